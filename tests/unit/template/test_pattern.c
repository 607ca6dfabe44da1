/* test_pattern.c - the regular expressions of AllowedPattern, and that none of them runs away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "template/pattern.h"

/* -1: it is no pattern. */
static int match(const char *pattern, const char *text) {
    struct arena arena;
    arena_init(&arena);
    enum pattern_outcome outcome = PATTERN_JAVA_ONLY;
    struct error *error = pattern_match(&arena, slice_text(pattern), slice_text(text), &outcome);
    arena_release(&arena);
    return error == NULL ? (int)outcome : -1;
}

struct sample {
    const char *pattern;
    const char *text;
    enum pattern_outcome outcome;
};

static void check_samples(const struct sample *samples, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (match(samples[i].pattern, samples[i].text) != (int)samples[i].outcome)
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

static void test_what_java_has(void **state) {
    (void)state;
    static const struct sample samples[] = {
        {"(?=.*\\d)(?=.*[a-z]).{8,}", "passw0rd", PATTERN_MATCHES},
        {"(?=.*\\d)(?=.*[a-z]).{8,}", "password", PATTERN_DIFFERS},
        {"(?!arn:).*(?<!-)", "arn:x", PATTERN_DIFFERS},
        {"(?!arn:).*(?<!-)", "table-", PATTERN_DIFFERS},
        {"(?!arn:).*(?<!-)", "table", PATTERN_MATCHES},
        {"(?i)a", "A", PATTERN_MATCHES},
        {"(?s)a.b", "a\nb", PATTERN_MATCHES},
        {"(a|b)\\1", "aa", PATTERN_MATCHES},
        {"(?<x>a|b)\\k<x>", "ab", PATTERN_DIFFERS},
        {"a*+b", "aab", PATTERN_MATCHES},
        {"(?>a*)ab", "aab", PATTERN_DIFFERS},
        {"\\Q[a]\\E", "[a]", PATTERN_MATCHES},
        {"a.c", "a\rc", PATTERN_DIFFERS},
        {"...", "aé✓", PATTERN_MATCHES},
        {"[à-ü]", "é", PATTERN_MATCHES},
        {"\\w", "é", PATTERN_DIFFERS},
        {"\\p{L}", "é", PATTERN_MATCHES},
        {"\\p{Alpha}", "é", PATTERN_DIFFERS},
        {"\\p{Alpha}+", "ab", PATTERN_MATCHES},
        {"\\P{Alpha}+", "12", PATTERN_MATCHES},
        {"[\\p{Alnum}_]+", "a_1", PATTERN_MATCHES},
        {"[^\\p{Alnum}]", "a", PATTERN_DIFFERS},
        {"\\p{IsLatin}", "é", PATTERN_MATCHES},
        {"\\u00e9[\\u0061-\\u007a]", "éz", PATTERN_MATCHES},
    };
    CHECK_SAMPLES(samples);
}

static void test_classes_within_classes(void **state) {
    (void)state;
    static const struct sample samples[] = {
        {"[a-z&&[^m]]", "a", PATTERN_JAVA_ONLY}, {"[a-z[0-9]]", "a", PATTERN_JAVA_ONLY},
        {"[]a-z&&b]", "a", PATTERN_JAVA_ONLY},   {"[\\[&]", "[", PATTERN_MATCHES},
        {"a&&b", "a&&b", PATTERN_MATCHES},       {"[^]a]&&", "x&&", PATTERN_MATCHES},
        {"\\Q[[\\E", "[[", PATTERN_MATCHES},     {"[a]\\[[b]", "a[b", PATTERN_MATCHES},
    };
    CHECK_SAMPLES(samples);
}

static void test_what_is_no_pattern(void **state) {
    (void)state;
    static const char *const patterns[] = {
        "*",  "(a",  "a)",           "[a",    "[z-a]", "a{2,1}", "a{99999}",
        "\\", "[a-", "\\p{InGreek}", "\\p{L", "(?<a",  "\\C",    "(?<=a*)b",
    };
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        if (match(patterns[i], "a") != -1)
            fail_msg("%s is taken for a pattern", patterns[i]);
}

static void test_the_error_says_what_is_wrong(void **state) {
    (void)state;
    struct arena arena;
    enum pattern_outcome outcome;
    arena_init(&arena);
    struct error *error = pattern_match(&arena, SLICE_LITERAL("(a"), SLICE_LITERAL("a"), &outcome);
    assert_string_equal((const char *)error->message.data, "missing closing parenthesis");
    arena_release(&arena);
}

/* What takes for ever is given up, whether in steps, in memory or in the program's size. */
static void test_nothing_runs_away(void **state) {
    (void)state;
    char text[4096], pattern[20000];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(match("(a*)*(a|a)*(a*a*)*[bc]", text), PATTERN_ENDLESS);
    assert_int_equal(match("(a+)+[^a]", text), PATTERN_ENDLESS);
    assert_int_equal(match("(.*)(.*)(.*)(.*)(.*)(.*)[xy]", text), PATTERN_ENDLESS);
    assert_int_equal(match("(a|b|ab)*c?", text), PATTERN_MATCHES);
    assert_int_equal(match("((((((a?){30}){30}){30}){30}){30})", text), -1);
    memset(pattern, '(', sizeof(pattern) - 1);
    pattern[sizeof(pattern) - 1] = '\0';
    assert_int_equal(match(pattern, "a"), -1);
    memset(pattern, 'a', sizeof(pattern) - 1);
    assert_int_equal(match(pattern, "a"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_texts),
        cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_what_java_has),
        cmocka_unit_test(test_classes_within_classes),
        cmocka_unit_test(test_what_is_no_pattern),
        cmocka_unit_test(test_the_error_says_what_is_wrong),
        cmocka_unit_test(test_nothing_runs_away),
    };
    return cmocka_run_group_tests_name("template pattern", tests, NULL, NULL);
}
