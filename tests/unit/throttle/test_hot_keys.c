/* test_hot_keys.c - keys that are used much, among those that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "throttle/hot_keys.h"

enum { UNIT = 2, LIMIT = 1000 };

static const int64_t start_ms = 1700000000000;

static struct hot_keys *keys_new(void) {
    struct hot_keys *keys = calloc(1, sizeof(*keys));
    assert_non_null(keys);
    hot_keys_init(keys);
    return keys;
}

static void keys_free(struct hot_keys *keys) {
    hot_keys_release(keys);
    free(keys);
}

static int let_in(struct hot_keys *keys, uint64_t key, int64_t now_ms, int most) {
    int count = 0;
    while (count < most && hot_keys_has(keys, key, LIMIT, now_ms, UNIT)) {
        hot_keys_take(keys, key, LIMIT, now_ms, UNIT);
        count++;
    }
    return count;
}

/* As good as random, and the same in every run. */
static uint64_t key_number(uint64_t n) {
    n = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return n ^ n >> 27;
}

static void a_key_has_its_units_and_no_more(void **state) {
    (void)state;
    struct hot_keys *keys = keys_new();
    assert_int_equal(let_in(keys, key_number(1), start_ms, 5000), LIMIT);
    assert_int_equal(let_in(keys, key_number(2), start_ms, 5000), LIMIT);
    assert_int_equal(let_in(keys, key_number(1), start_ms + 500, 5000), LIMIT / 2);
    assert_int_equal(let_in(keys, key_number(1), start_ms + 60000, 5000), LIMIT);
    keys_free(keys);
}

/* Not by the second that the clock shows, but by the time that has passed. */
static void a_hot_key_has_no_new_second(void **state) {
    (void)state;
    struct hot_keys *keys = keys_new();
    assert_int_equal(let_in(keys, key_number(1), start_ms + 999, 5000), LIMIT);
    assert_int_equal(let_in(keys, key_number(1), start_ms + 1000, 5000), 1);
    keys_free(keys);
}

static void cold_keys_are_left_alone(void **state) {
    (void)state;
    struct hot_keys *keys = keys_new();
    assert_int_equal(let_in(keys, key_number(0), start_ms, 5000), LIMIT);
    for (uint64_t i = 1; i <= 50000; i++)
        assert_int_equal(let_in(keys, key_number(i), start_ms, 2), 2);
    keys_free(keys);
}

/* More than there are buckets: some are limited by the estimate, all of them by about as much. */
static void too_many_hot_keys_are_limited_too(void **state) {
    (void)state;
    struct hot_keys *keys = keys_new();
    for (uint64_t i = 0; i < 2 * HOT_KEY_BUCKETS; i++)
        assert_true(let_in(keys, key_number(i), start_ms, 5000) <= LIMIT);
    keys_free(keys);
}

static void a_cold_bucket_goes_to_another_key(void **state) {
    (void)state;
    struct hot_keys *keys = keys_new();
    for (int64_t round = 0; round < 200; round++)
        for (uint64_t i = 0; i < 10; i++) {
            uint64_t key = key_number((uint64_t)round * 10 + i);
            assert_int_equal(let_in(keys, key, start_ms + round * 10000 + 999, 5000), LIMIT);
            assert_int_equal(let_in(keys, key, start_ms + round * 10000 + 1000, 5000), 1);
        }
    keys_free(keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_has_its_units_and_no_more),
        cmocka_unit_test(a_hot_key_has_no_new_second),
        cmocka_unit_test(cold_keys_are_left_alone),
        cmocka_unit_test(too_many_hot_keys_are_limited_too),
        cmocka_unit_test(a_cold_bucket_goes_to_another_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
