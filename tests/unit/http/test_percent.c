/* test_percent.c - percent-encoding of every byte, and texts that are no escapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "http/percent.h"

static struct arena arena;

static void check(struct slice text, const char *expected) {
    struct slice copy = arena_printf(&arena, "%.*s", SLICE_ARGS(text)); /* NUL-terminated */
    assert_string_equal((const char *)copy.data, expected);
}

static void expect_decoded(const char *text, const char *expected) {
    check(percent_decode(&arena, arena_slice(&arena, slice_text(text))), expected);
}

static void all_escapes_are_decoded(void **state) {
    (void)state;
    arena_init(&arena);
    for (unsigned byte = 0; byte < 256; byte++)
        for (int lower = 0; lower < 2; lower++) {
            struct slice text = arena_printf(&arena, lower ? "<%%%02x>" : "<%%%02X>", byte);
            struct slice decoded = percent_decode(&arena, text);
            assert_int_equal(decoded.len, 3);
            assert_int_equal(decoded.data[0], '<');
            assert_int_equal(decoded.data[1], byte);
            assert_int_equal(decoded.data[2], '>');
        }
    arena_release(&arena);
}

static void other_texts_stay(void **state) {
    (void)state;
    arena_init(&arena);
    expect_decoded("", "");
    expect_decoded("a@b+c", "a@b+c");
    expect_decoded("%", "%");
    expect_decoded("a%4", "a%4");
    expect_decoded("%%41%", "%A%");
    expect_decoded("%4g%g4%/0%0/%:0%0:%@0%0@%`0%0`", "%4g%g4%/0%0/%:0%0:%@0%0@%`0%0`");
    expect_decoded("%41%5a%5A", "AZZ");
    expect_decoded("%2541", "%41"); /* decoded once */
    arena_release(&arena);
}

static void all_bytes_are_encoded_and_decoded_again(void **state) {
    (void)state;
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    arena_init(&arena);
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t text[1] = {(uint8_t)byte};
        bool stays = byte != 0 && strchr(plain, (int)byte) != NULL;
        struct slice encoded = percent_encode(&arena, slice_of(text, 1), 0);
        struct slice expected = stays ? slice_of(text, 1) : arena_printf(&arena, "%%%02X", byte);
        assert_true(slice_equal(encoded, expected));
        assert_true(slice_equal(percent_decode(&arena, encoded), slice_of(text, 1)));
    }
    arena_release(&arena);
}

static void one_byte_may_be_kept(void **state) {
    (void)state;
    arena_init(&arena);
    check(percent_encode(&arena, SLICE_LITERAL("/a b/c"), '/'), "/a%20b/c");
    check(percent_encode(&arena, SLICE_LITERAL("/a b/c"), 0), "%2Fa%20b%2Fc");
    check(percent_encode(&arena, SLICE_LITERAL("/a/b"), '/'), "/a/b");
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_escapes_are_decoded),
        cmocka_unit_test(other_texts_stay),
        cmocka_unit_test(all_bytes_are_encoded_and_decoded_again),
        cmocka_unit_test(one_byte_may_be_kept),
    };
    return cmocka_run_group_tests_name("percent", tests, NULL, NULL);
}
