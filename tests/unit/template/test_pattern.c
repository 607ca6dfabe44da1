/* test_pattern.c - the regular expressions of AllowedPattern, and that none of them runs away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "template/pattern.h"

static enum pattern_outcome match(const char *pattern, const char *text) {
    struct arena arena;
    arena_init(&arena);
    enum pattern_outcome outcome = pattern_match(&arena, slice_text(pattern), slice_text(text));
    arena_release(&arena);
    return outcome;
}

struct sample {
    const char *pattern;
    const char *text;
    enum pattern_outcome outcome;
};

static void check_samples(const struct sample *samples, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (match(samples[i].pattern, samples[i].text) != samples[i].outcome)
            fail_msg("pattern %s on '%s' is not %d", samples[i].pattern, samples[i].text,
                     (int)samples[i].outcome);
}

#define CHECK_SAMPLES(samples) check_samples(samples, sizeof(samples) / sizeof(*(samples)))

static void test_whole_texts(void **state) {
    (void)state;
    static const struct sample samples[] = {
        {"abc", "abc", PATTERN_MATCHES},
        {"abc", "abcd", PATTERN_DIFFERS},
        {"abc", "xabc", PATTERN_DIFFERS},
        {"", "", PATTERN_MATCHES},
        {"", "a", PATTERN_DIFFERS},
        {"^abc$", "abc", PATTERN_MATCHES},
        {"a|bc", "bc", PATTERN_MATCHES},
        {"a|bc", "abc", PATTERN_DIFFERS},
        {"dev|staging|prod", "staging", PATTERN_MATCHES},
        {"(a|b)c", "bc", PATTERN_MATCHES},
        {"(?:a|b)?c", "c", PATTERN_MATCHES},
        {"a.c", "a\nc", PATTERN_DIFFERS},
        {"a.c", "axc", PATTERN_MATCHES},
        {"a|", "", PATTERN_MATCHES},
    };
    CHECK_SAMPLES(samples);
}

static void test_repetition(void **state) {
    (void)state;
    static const struct sample samples[] = {
        {"a*", "", PATTERN_MATCHES},
        {"a*", "aaaa", PATTERN_MATCHES},
        {"a+", "", PATTERN_DIFFERS},
        {"a+?", "aa", PATTERN_MATCHES},
        {"a{3}", "aaa", PATTERN_MATCHES},
        {"a{3}", "aa", PATTERN_DIFFERS},
        {"a{2,}", "aaaaa", PATTERN_MATCHES},
        {"a{2,}", "a", PATTERN_DIFFERS},
        {"a{1,3}", "aaaa", PATTERN_DIFFERS},
        {"a{0,3}", "", PATTERN_MATCHES},
        {"(ab){2}c", "ababc", PATTERN_MATCHES},
        {"(a*)*b", "aaaab", PATTERN_MATCHES},
        {"x{0}", "", PATTERN_MATCHES},
    };
    CHECK_SAMPLES(samples);
}

static void test_classes(void **state) {
    (void)state;
    static const struct sample samples[] = {
        {"[a-zA-Z][a-zA-Z0-9-]*", "my-Table7", PATTERN_MATCHES},
        {"[a-zA-Z][a-zA-Z0-9-]*", "7x", PATTERN_DIFFERS},
        {"[^0-9]+", "abc", PATTERN_MATCHES},
        {"[^0-9]+", "ab1", PATTERN_DIFFERS},
        {"[-a]+", "a-a", PATTERN_MATCHES},
        {"[a-]+", "a-a", PATTERN_MATCHES},
        {"[]a]+", "]a", PATTERN_MATCHES},
        {"\\d{1,3}\\.\\d+", "10.25", PATTERN_MATCHES},
        {"\\d{1,3}\\.\\d+", "10x25", PATTERN_DIFFERS},
        {"[\\w.]+", "a_b.c", PATTERN_MATCHES},
        {"\\S+", "a b", PATTERN_DIFFERS},
        {"[\\s\\S]*", "a b\n", PATTERN_MATCHES},
        {"a\\tb", "a\tb", PATTERN_MATCHES},
    };
    CHECK_SAMPLES(samples);
}

static void test_what_is_not_understood(void **state) {
    (void)state;
    static const struct sample samples[] = {
        {"(?=a)a", "a", PATTERN_NOT_UNDERSTOOD},   {"(?i)a", "a", PATTERN_NOT_UNDERSTOOD},
        {"(a)\\1", "aa", PATTERN_NOT_UNDERSTOOD},  {"a**", "a", PATTERN_NOT_UNDERSTOOD},
        {"*", "a", PATTERN_NOT_UNDERSTOOD},        {"(a", "a", PATTERN_NOT_UNDERSTOOD},
        {"a)", "a", PATTERN_NOT_UNDERSTOOD},       {"[a", "a", PATTERN_NOT_UNDERSTOOD},
        {"[z-a]", "a", PATTERN_NOT_UNDERSTOOD},    {"a{2,1}", "a", PATTERN_NOT_UNDERSTOOD},
        {"a{9999}", "a", PATTERN_NOT_UNDERSTOOD},  {"a{", "a", PATTERN_NOT_UNDERSTOOD},
        {"\\", "a", PATTERN_NOT_UNDERSTOOD},       {"\\p{L}", "a", PATTERN_NOT_UNDERSTOOD},
        {"[a&&[b]]", "a", PATTERN_NOT_UNDERSTOOD}, {"[a-", "a", PATTERN_NOT_UNDERSTOOD},
    };
    CHECK_SAMPLES(samples);
}

/* What takes other engines for ever is either quick here or refused as too large. */
static void test_nothing_runs_away(void **state) {
    (void)state;
    char text[4096];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(match("(a*)*(a|a)*(a*a*)*b", text), PATTERN_DIFFERS);
    assert_int_equal(match("((((((a?){30}){30}){30}){30}){30})", text), PATTERN_NOT_UNDERSTOOD);
    assert_int_equal(
        match("((((((((((((((((((((((((a?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?", "a"),
        PATTERN_NOT_UNDERSTOOD);
    assert_int_equal(match("(.*)(.*)(.*)(.*)(.*)(.*)x", text), PATTERN_DIFFERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_texts),       cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_classes),           cmocka_unit_test(test_what_is_not_understood),
        cmocka_unit_test(test_nothing_runs_away),
    };
    return cmocka_run_group_tests_name("template pattern", tests, NULL, NULL);
}
