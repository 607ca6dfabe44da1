/* test_keys.c - the orders of keys: how often each comes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/keys.h"

enum { DRAWS = 400000, KEYS = 1000 };

/* Draws far more than a chance of one in a million allows for are wrong: five standard deviations.
 */
static void assert_likely(uint64_t found, double probability) {
    double expected = probability * DRAWS;
    double deviation = sqrt(expected * (1 - probability));
    assert_true(fabs((double)found - expected) <= 5 * deviation + 1);
}

static void zipfian_ranks_come_as_often_as_they_should(void **state) {
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 10, KEYS};
    uint64_t found[KEYS];
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        struct zipfian zipfian;
        struct bench_random random = bench_random_seeded(7);
        double sum = 0;
        for (uint64_t i = 0; i < counts[c]; i++)
            sum += pow((double)i + 1, -0.99), found[i] = 0;
        zipfian_init(&zipfian, counts[c]);
        for (size_t i = 0; i < DRAWS; i++) {
            uint64_t rank = zipfian_next(&zipfian, &random);
            assert_true(rank < counts[c]);
            found[rank]++;
        }
        for (uint64_t i = 0; i < counts[c]; i++)
            assert_likely(found[i], pow((double)i + 1, -0.99) / sum);
    }
}

/* The share of the first of many: the sum of the rest is an integral, nearly. */
static void a_large_zipfian_has_the_right_top(void **state) {
    (void)state;
    const uint64_t count = 50000000;
    struct zipfian zipfian;
    struct bench_random random = bench_random_seeded(8);
    double sum = 0;
    uint64_t first = 0, top = 0;
    for (uint64_t i = 1; i <= 10000; i++)
        sum += pow((double)i, -0.99);
    double top_sum = sum;
    sum += 100 * (pow((double)count + 0.5, 0.01) - pow(10000.5, 0.01));
    zipfian_init(&zipfian, count);
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t rank = zipfian_next(&zipfian, &random);
        assert_true(rank < count);
        first += rank == 0;
        top += rank < 10000;
    }
    assert_likely(first, 1 / sum);
    assert_likely(top, top_sum / sum);
}

static void uniform_keys_are_even(void **state) {
    (void)state;
    struct key_space space;
    struct bench_random random = bench_random_seeded(9);
    uint64_t found[KEYS] = {0};
    key_space_init(&space, KEYS_UNIFORM, KEYS);
    for (size_t i = 0; i < DRAWS; i++)
        found[key_choose(&space, &random)]++;
    for (size_t i = 0; i < KEYS; i++)
        assert_likely(found[i], 1.0 / KEYS);
}

static void turns_visit_each_key_once(void **state) {
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 25, 100, 999, 1000, 7919, 65536, 100000};
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        struct key_space space;
        uint8_t *seen = calloc(counts[c], 1);
        key_space_init(&space, KEYS_SEQUENTIAL, counts[c]);
        for (uint64_t i = 0; i < 2 * counts[c]; i++) {
            uint64_t key = key_at_turn(&space, key_take_turns(&space, 1));
            assert_true(key < counts[c]);
            assert_int_equal(seen[key]++, i / counts[c]);
        }
        free(seen);
    }
}

/* Popular ranks are not neighbours: the ten first lie in ten different tenths or nearly so. */
static void zipfian_keys_are_spread(void **state) {
    (void)state;
    struct key_space space;
    bool tenths[10] = {false};
    int different = 0;
    key_space_init(&space, KEYS_ZIPFIAN, 100000);
    for (uint64_t rank = 0; rank < 10; rank++)
        tenths[key_at_turn(&space, rank) / 10000] = true;
    for (int i = 0; i < 10; i++)
        different += tenths[i];
    assert_true(different >= 8);
}

static void the_latest_keys_move_with_the_inserts(void **state) {
    (void)state;
    struct key_space space;
    struct bench_random random = bench_random_seeded(10);
    key_space_init(&space, KEYS_LATEST, KEYS);
    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(key_issue(&space), KEYS + i);
    /* In any order; number 5 is still missing, and so is what a window hides. */
    static const uint64_t order[] = {1, 0, 3, 4, 2};
    static const uint64_t added[] = {0, 2, 2, 2, 5};
    for (size_t i = 0; i < 5; i++) {
        key_added(&space, KEYS + order[i]);
        assert_int_equal(atomic_load(&space.added), added[i]);
    }
    key_added(&space, KEYS + 5 + KEYS_WINDOW);
    assert_int_equal(atomic_load(&space.added), 5);
    uint64_t newest = 0, before = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t key = key_choose(&space, &random);
        assert_true(key >= 5 && key <= KEYS + 4);
        newest += key == KEYS + 4;
        before += key == KEYS + 3;
    }
    double sum = 0;
    for (int i = 1; i <= KEYS; i++)
        sum += pow(i, -0.99);
    assert_likely(newest, 1 / sum);
    assert_likely(before, pow(2, -0.99) / sum);
}

static void a_seed_repeats_itself(void **state) {
    (void)state;
    struct bench_random a = bench_random_seeded(3), b = bench_random_seeded(3),
                        c = bench_random_seeded(4);
    int same = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t next = bench_random_next(&a);
        assert_int_equal(next, bench_random_next(&b));
        same += next == bench_random_next(&c);
    }
    assert_int_equal(same, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zipfian_ranks_come_as_often_as_they_should),
        cmocka_unit_test(a_large_zipfian_has_the_right_top),
        cmocka_unit_test(uniform_keys_are_even),
        cmocka_unit_test(turns_visit_each_key_once),
        cmocka_unit_test(zipfian_keys_are_spread),
        cmocka_unit_test(the_latest_keys_move_with_the_inserts),
        cmocka_unit_test(a_seed_repeats_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
