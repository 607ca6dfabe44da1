/* test_name_order.c - the order of names in the service's texts, against recorded answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/request/name_order.h"

/* Names and result as one text each, separated by spaces. */
static void expect_order(const char *given, size_t buckets_min, const char *expected) {
    struct arena arena;
    arena_init(&arena);
    struct slice names[16], *ordered;
    size_t count = 0;
    for (const char *at = given; *at != 0; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        names[count++] = slice_of(at, len);
        at += len;
    }
    count = name_order(&arena, names, count, buckets_min, &ordered);
    struct slice text = SLICE_LITERAL("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&arena, "%.*s%s%.*s", SLICE_ARGS(text), i == 0 ? "" : " ",
                            SLICE_ARGS(ordered[i]));
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
    arena_release(&arena);
}

static void recorded_orders(void **state) {
    (void)state;
    expect_order("pk sk a b c", NAME_BUCKETS_FITTING, "sk a b pk c");
    expect_order("pk sk a", NAME_BUCKETS_DEFAULT, "a sk pk");
    expect_order("pk sk", NAME_BUCKETS_FITTING, "sk pk");
    expect_order("my-hash my-string my-int", NAME_BUCKETS_FITTING, "my-string my-int my-hash");
    expect_order("my-hash my-string", NAME_BUCKETS_DEFAULT, "my-hash my-string");
}

static void each_name_once(void **state) {
    (void)state;
    expect_order("", NAME_BUCKETS_FITTING, "");
    expect_order("x", NAME_BUCKETS_FITTING, "x");
    expect_order("pk sk pk a sk", NAME_BUCKETS_DEFAULT, "a sk pk");
    /* Equal hashes stay as they came: "Aa" and "BB" have the same. */
    expect_order("BB Aa", NAME_BUCKETS_FITTING, "BB Aa");
    expect_order("Aa BB", NAME_BUCKETS_FITTING, "Aa BB");
}

/* Java hashes UTF-16: U+00E9 is 233, U+20AC is 8364, U+1F600 is 0xD83D * 31 + 0xDE00 = 1772899. */
static void names_beyond_ascii(void **state) {
    (void)state;
    expect_order("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", NAME_BUCKETS_DEFAULT,
                 "\xf0\x9f\x98\x80 \xc3\xa9 \xe2\x82\xac");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_orders),
        cmocka_unit_test(each_name_once),
        cmocka_unit_test(names_beyond_ascii),
    };
    return cmocka_run_group_tests_name("name_order", tests, NULL, NULL);
}
