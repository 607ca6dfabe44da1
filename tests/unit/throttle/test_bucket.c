/* test_bucket.c - one bucket, by a clock that the test moves. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "throttle/bucket.h"

enum { UNIT = 2, THREADS = 4, ROUNDS = 20000 }; /* UNIT: in halves */

static const int64_t start_ms = 1700000000000;

/* How many requests of one unit are let in one after another, at most `most`. */
static int let_in(struct bucket *bucket, struct bucket_rate rate, int64_t now_ms, int most) {
    int count = 0;
    while (count < most && bucket_has(bucket, rate, now_ms, UNIT)) {
        bucket_take(bucket, rate, UNIT);
        count++;
    }
    return count;
}

static void a_second_at_once_and_no_more(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {5, 300};
    bucket_start(&bucket, rate, start_ms);
    assert_int_equal(let_in(&bucket, rate, start_ms, 100), 5);
    assert_int_equal(let_in(&bucket, rate, start_ms + 199, 100), 0);
    assert_int_equal(let_in(&bucket, rate, start_ms + 200, 100), 1);
    assert_int_equal(let_in(&bucket, rate, start_ms + 1200, 100), 5);
}

static void what_is_not_used_is_kept(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {5, 300};
    bucket_start(&bucket, rate, start_ms);
    assert_int_equal(let_in(&bucket, rate, start_ms, 100), 5);
    assert_int_equal(let_in(&bucket, rate, start_ms + 60000, 1000), 300);
    assert_int_equal(let_in(&bucket, rate, start_ms + 100000000, 10000), 1500);
}

static void less_may_be_kept(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {5, 1};
    bucket_start(&bucket, rate, start_ms);
    assert_int_equal(let_in(&bucket, rate, start_ms + 60000, 1000), 5);
}

static void debts_are_paid_first(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {5, 300};
    bucket_start(&bucket, rate, start_ms);
    bucket_take(&bucket, rate, 20 * UNIT);
    assert_false(bucket_has(&bucket, rate, start_ms + 3000, UNIT));
    assert_false(bucket_has(&bucket, rate, start_ms + 3199, UNIT));
    assert_true(bucket_has(&bucket, rate, start_ms + 3200, UNIT));
}

static void debts_are_bounded(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {5, 2};
    bucket_start(&bucket, rate, start_ms);
    bucket_take(&bucket, rate, 1000000);
    assert_false(bucket_has(&bucket, rate, start_ms + 2199, UNIT));
    assert_true(bucket_has(&bucket, rate, start_ms + 2200, UNIT));
    assert_int_equal(let_in(&bucket, rate, start_ms + 100000, 1000), 10);
}

/* A request that can cost more than there ever is comes through when the bucket is full. */
static void a_full_bucket_lets_everybody_in(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {1, 1};
    bucket_start(&bucket, rate, start_ms);
    assert_true(bucket_has(&bucket, rate, start_ms, 200 * UNIT));
    bucket_take(&bucket, rate, 1);
    assert_false(bucket_has(&bucket, rate, start_ms, 200 * UNIT));
    assert_true(bucket_has(&bucket, rate, start_ms + 500, 200 * UNIT));
}

static void another_rate_keeps_what_is_there(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate fast = {100, 10}, slow = {2, 10};
    bucket_start(&bucket, fast, start_ms);
    bucket_cut(&bucket, slow);
    assert_int_equal(let_in(&bucket, slow, start_ms, 1000), 20);
    bucket_cut(&bucket, fast);
    assert_int_equal(let_in(&bucket, fast, start_ms, 1000), 0);
    assert_int_equal(let_in(&bucket, fast, start_ms + 100, 1000), 10);
}

static void another_rate_does_not_keep_its_debts(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate fast = {100, 1}, slow = {1, 1};
    bucket_start(&bucket, fast, start_ms);
    bucket_take(&bucket, fast, 200 * UNIT);
    bucket_cut(&bucket, slow);
    assert_false(bucket_has(&bucket, slow, start_ms + 1999, UNIT));
    assert_true(bucket_has(&bucket, slow, start_ms + 2000, UNIT));
}

static void a_clock_that_is_set_back_is_believed(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {10, 1};
    bucket_start(&bucket, rate, start_ms);
    assert_int_equal(let_in(&bucket, rate, start_ms, 100), 10);
    assert_int_equal(let_in(&bucket, rate, start_ms - 5000, 100), 0);
    assert_int_equal(let_in(&bucket, rate, start_ms + 100, 100), 1);
    assert_int_equal(let_in(&bucket, rate, start_ms - 3600000, 100), 0);
    assert_int_equal(let_in(&bucket, rate, start_ms - 3600000 + 100, 100), 1);
}

static void the_largest_rate_does_not_overflow(void **state) {
    (void)state;
    struct bucket bucket;
    struct bucket_rate rate = {BUCKET_UNITS_MAX, 300};
    bucket_start(&bucket, rate, 0);
    bucket_take(&bucket, rate, (uint64_t)BUCKET_UNITS_MAX * 900);
    assert_false(bucket_has(&bucket, rate, 1, UNIT));
    assert_true(bucket_has(&bucket, rate, 7000000000000, (uint64_t)BUCKET_UNITS_MAX * 600));
}

static void *take_and_give(void *context) {
    struct bucket *bucket = context;
    for (int i = 0; i < ROUNDS; i++)
        bucket_take(bucket, (struct bucket_rate){1000000, 300}, 1);
    return NULL;
}

static void threads_lose_nothing(void **state) {
    (void)state;
    struct bucket bucket;
    pthread_t threads[THREADS];
    bucket_start(&bucket, (struct bucket_rate){1000000, 300}, start_ms);
    int64_t before = atomic_load(&bucket.grains);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &bucket), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(before - atomic_load(&bucket.grains),
                     (int64_t)THREADS * ROUNDS * BUCKET_GRAINS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_at_once_and_no_more),
        cmocka_unit_test(what_is_not_used_is_kept),
        cmocka_unit_test(less_may_be_kept),
        cmocka_unit_test(debts_are_paid_first),
        cmocka_unit_test(debts_are_bounded),
        cmocka_unit_test(a_full_bucket_lets_everybody_in),
        cmocka_unit_test(another_rate_keeps_what_is_there),
        cmocka_unit_test(another_rate_does_not_keep_its_debts),
        cmocka_unit_test(a_clock_that_is_set_back_is_believed),
        cmocka_unit_test(the_largest_rate_does_not_overflow),
        cmocka_unit_test(threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
