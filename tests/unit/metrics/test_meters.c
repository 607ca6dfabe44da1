/* test_meters.c - buckets, spreads, tables that come and go, and threads that count at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>

#include "metrics/meters.h"

static struct arena arena;
static struct meters *meters;

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    meters = meters_new();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    meters_free(meters);
    arena_release(&arena);
    return 0;
}

static struct meter_sums sums(bool take) {
    struct meter_sums result;
    meters_read(meters, &arena, take, &result);
    return result;
}

static struct meter_table *find(const struct meter_sums *all, const char *name) {
    for (size_t i = 0; i < all->table_count; i++)
        if (slice_is(all->tables[i]->name, name))
            return all->tables[i];
    return NULL;
}

static struct meter_table *table(struct meter_thread *thread, uint32_t id, const char *name) {
    return meter_table(thread, id, slice_text(name));
}

/* ---- times ---- */

static size_t bucket_after(uint64_t ns) {
    struct latency latency = {.ns = {0}};
    latency_add(&latency, ns);
    for (size_t i = 0; i < LATENCY_BUCKETS; i++)
        if (counter_read(&latency.buckets[i]) == 1)
            return i;
    fail_msg("%llu is in no bucket", (unsigned long long)ns);
    return 0;
}

static void test_each_bucket_ends_where_the_next_begins(void **state) {
    (void)state;
    for (size_t i = 0; i + 1 < LATENCY_BUCKETS; i++) {
        uint64_t last = latency_bucket_max(i);
        assert_int_equal(bucket_after(last), i);
        assert_int_equal(bucket_after(last + 1), i + 1);
    }
    assert_true(latency_bucket_max(LATENCY_BUCKETS - 1) == UINT64_MAX);
    assert_int_equal(bucket_after(0), 0);
    assert_int_equal(bucket_after(UINT64_MAX), LATENCY_BUCKETS - 1);
}

static void test_no_bucket_is_wider_than_a_quarter(void **state) {
    (void)state;
    for (size_t i = 1; i + 1 < LATENCY_BUCKETS; i++)
        assert_true(latency_bucket_max(i) <= latency_bucket_max(i - 1) * 5 / 4 + 1);
}

static void test_bounds_are_ends_of_buckets(void **state) {
    (void)state;
    for (size_t i = 0; i < LATENCY_BOUNDS; i++)
        assert_true(latency_bucket_max(bucket_after(latency_bounds[i])) == latency_bounds[i]);
}

/* ---- spreads ---- */

static void assert_spread(const struct spread *spread, uint64_t sum, uint64_t count,
                          uint64_t min_plus, uint64_t max_plus) {
    assert_int_equal(counter_read(&spread->sum), sum);
    assert_int_equal(counter_read(&spread->count), count);
    assert_int_equal(counter_read(&spread->min_plus), min_plus);
    assert_int_equal(counter_read(&spread->max_plus), max_plus);
}

static void test_extremes_are_taken_by_one_reader(void **state) {
    (void)state;
    struct meter_thread *one = meters_join(meters), *two = meters_join(meters);
    spread_add(&table(one, 1, "t")->own.read, 4);
    spread_add(&table(one, 1, "t")->own.read, 0);
    spread_add(&table(two, 1, "t")->own.read, 9);
    struct meter_sums seen = sums(false);
    assert_spread(&find(&seen, "t")->own.read, 13, 3, 1, 10);
    seen = sums(true);
    assert_spread(&find(&seen, "t")->own.read, 13, 3, 1, 10);
    seen = sums(true);
    assert_spread(&find(&seen, "t")->own.read, 13, 3, 0, 0);
    spread_add(&table(two, 1, "t")->own.read, 7);
    seen = sums(true);
    assert_spread(&find(&seen, "t")->own.read, 20, 4, 8, 8);
}

static void test_groups_have_sizes_of_powers_of_two(void **state) {
    (void)state;
    const struct {
        uint64_t writes;
        size_t size;
    } cases[] = {{0, 0}, {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {4096, 12}, {1u << 20, 13}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct meter_commit commit = {.groups = {0}};
        meter_group(&commit, cases[i].writes);
        assert_int_equal(counter_read(&commit.group_sizes[cases[i].size]), 1);
        assert_spread(&commit.groups, cases[i].writes, 1, cases[i].writes + 1, cases[i].writes + 1);
    }
}

/* ---- tables ---- */

static void test_tables_are_added_up_by_name(void **state) {
    (void)state;
    struct meter_thread *one = meters_join(meters), *two = meters_join(meters);
    counter_add(&table(one, 7, "b")->conflicts, 1);
    counter_add(&table(two, 7, "b")->conflicts, 2);
    counter_add(&table(two, 8, "a")->expired, 5);
    counter_add(&meter_index(one, table(one, 7, "b"), slice_text("i"))->own.read.sum, 3);
    counter_add(&meter_index(two, table(two, 7, "b"), slice_text("i"))->own.read.sum, 4);
    counter_add(&meter_operation(one, table(one, 7, "b"), 3)->outcomes[METER_OK], 2);
    counter_add(
        &meter_operation(two, table(two, 7, "b"), 3)->outcomes[METER_ERRORS + ERROR_VALIDATION], 1);
    meter_throttled(one, table(one, 7, "b"), slice_text("i"), METER_WRITE_KEY_RANGE, 6);
    meter_throttled(one, table(one, 7, "b"), SLICE_NONE, METER_READ_ACCOUNT, 2);
    meter_throttled_request(one, table(one, 7, "b"), 3);
    struct meter_sums seen = sums(false);
    assert_int_equal(seen.table_count, 4);
    assert_true(slice_is(seen.tables[0]->name, ""));
    assert_true(slice_is(seen.tables[1]->name, "(other)"));
    assert_true(slice_is(seen.tables[2]->name, "a"));
    const struct meter_table *b = seen.tables[3];
    assert_int_equal(counter_read(&b->conflicts), 3);
    assert_int_equal(counter_read(&b->indexes->own.read.sum), 7);
    assert_int_equal(counter_read(&b->indexes->own.throttled[METER_WRITE_KEY_RANGE]), 6);
    assert_int_equal(counter_read(&b->own.throttled[METER_READ_ACCOUNT]), 2);
    assert_null(b->indexes->next);
    assert_int_equal(counter_read(&b->operations[3]->outcomes[METER_OK]), 2);
    assert_int_equal(counter_read(&b->operations[3]->outcomes[METER_ERRORS + ERROR_VALIDATION]), 1);
    assert_int_equal(counter_read(&b->operations[3]->throttled), 1);
    assert_null(b->operations[4]);
}

static void test_who_leaves_is_followed(void **state) {
    (void)state;
    struct meter_thread *one = meters_join(meters), *two = meters_join(meters);
    counter_add(&table(one, 7, "b")->conflicts, 1);
    meters_leave(meters, one);
    assert_ptr_equal(meters_join(meters), one);
    assert_ptr_not_equal(meters_join(meters), one);
    counter_add(&table(one, 7, "b")->conflicts, 2);
    counter_add(&table(two, 7, "b")->conflicts, 4);
    struct meter_sums seen = sums(false);
    assert_int_equal(counter_read(&find(&seen, "b")->conflicts), 7);
}

static void test_a_table_that_is_made_again_goes_on(void **state) {
    (void)state;
    struct meter_thread *thread = meters_join(meters);
    for (uint32_t id = 1; id <= 100000; id++)
        counter_add(&table(thread, id, "t")->conflicts, 1);
    struct meter_sums seen = sums(false);
    assert_int_equal(seen.table_count, 3);
    assert_int_equal(counter_read(&find(&seen, "t")->conflicts), 100000);
}

/* Whatever is asked for, what one thread holds is bounded, and nothing that is counted is lost. */
static void test_too_many_are_counted_together(void **state) {
    (void)state;
    struct meter_thread *thread = meters_join(meters);
    char name[16];
    enum { TABLES = 3 * METER_TABLES_MAX };
    for (uint32_t id = 1; id <= TABLES; id++) {
        snprintf(name, sizeof(name), "t%u", id);
        for (unsigned operation = 0; operation < 4; operation++)
            counter_add(
                &meter_operation(thread, table(thread, id, name), operation)->outcomes[METER_OK],
                1);
        for (unsigned i = 0; i < 3; i++) {
            char index[2] = {(char)('a' + i), 0};
            meter_throttled(thread, table(thread, id, name), slice_text(index), METER_READ_ACCOUNT,
                            1);
        }
    }
    struct meter_sums seen = sums(false);
    uint64_t requests = 0, throttled = 0, indexes = 0;
    for (size_t i = 0; i < seen.table_count; i++) {
        for (unsigned j = 0; j < 4; j++)
            if (seen.tables[i]->operations[j] != NULL)
                requests += counter_read(&seen.tables[i]->operations[j]->outcomes[METER_OK]);
        for (struct meter_index *at = seen.tables[i]->indexes; at != NULL; at = at->next) {
            throttled += counter_read(&at->own.throttled[METER_READ_ACCOUNT]);
            indexes++;
        }
    }
    assert_int_equal(seen.table_count, METER_TABLES_MAX);
    assert_int_equal(indexes, METER_INDEXES_MAX + 1);
    assert_int_equal(requests, TABLES * 4);
    assert_int_equal(throttled, TABLES * 3);
    assert_true(counter_read(&find(&seen, "(other)")->operations[0]->outcomes[METER_OK]) > 0);
}

static void test_requests_without_a_table_or_a_name(void **state) {
    (void)state;
    struct meter_thread *thread = meters_join(meters);
    struct meter_operation *none =
        meter_operation(thread, meter_no_table(thread), METER_NO_OPERATION + 5);
    counter_add(&none->outcomes[METER_ERRORS + ERROR_UNKNOWN_OPERATION], 1);
    struct meter_sums seen = sums(false);
    const struct meter_operation *operation = find(&seen, "")->operations[METER_NO_OPERATION];
    assert_int_equal(counter_read(&operation->outcomes[METER_ERRORS + ERROR_UNKNOWN_OPERATION]), 1);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 20000 };

static void *count(void *user) {
    struct meter_thread *thread = user;
    char name[16];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        snprintf(name, sizeof(name), "t%u", i % 300);
        struct meter_table *at = table(thread, i % 300, name);
        spread_add(&at->own.write, i % 7);
        latency_add(&meter_operation(thread, at, i % 5)->latency, i);
        spread_add(&meter_index(thread, at, slice_text("i"))->own.read, 1);
    }
    return NULL;
}

static void test_threads_count_while_others_read(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, meters_join(meters)), 0);
    uint64_t last = 0;
    for (int i = 0; i < 30; i++) {
        struct meter_sums seen = sums(true);
        uint64_t now = 0;
        for (size_t j = 0; j < seen.table_count; j++)
            now += counter_read(&seen.tables[j]->own.write.count);
        assert_true(now >= last);
        last = now;
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct meter_sums seen = sums(false);
    uint64_t writes = 0, times = 0, reads = 0;
    for (size_t i = 0; i < seen.table_count; i++) {
        writes += counter_read(&seen.tables[i]->own.write.count);
        if (seen.tables[i]->indexes != NULL)
            reads += counter_read(&seen.tables[i]->indexes->own.read.sum);
        for (size_t j = 0; j < 5; j++)
            if (seen.tables[i]->operations[j] != NULL)
                times += counter_read(&seen.tables[i]->operations[j]->latency.ns.count);
    }
    assert_int_equal(writes, THREADS * ROUNDS);
    assert_int_equal(times, THREADS * ROUNDS);
    assert_int_equal(reads, THREADS * ROUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_bucket_ends_where_the_next_begins),
        cmocka_unit_test(test_no_bucket_is_wider_than_a_quarter),
        cmocka_unit_test(test_bounds_are_ends_of_buckets),
        cmocka_unit_test_setup_teardown(test_extremes_are_taken_by_one_reader, setup, teardown),
        cmocka_unit_test(test_groups_have_sizes_of_powers_of_two),
        cmocka_unit_test_setup_teardown(test_tables_are_added_up_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_leaves_is_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_table_that_is_made_again_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_many_are_counted_together, setup, teardown),
        cmocka_unit_test_setup_teardown(test_requests_without_a_table_or_a_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads_count_while_others_read, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
