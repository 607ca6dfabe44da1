/* test_meter_page.c - meters as Prometheus metrics: which counters are summed, which have a
 * sample of their own, and which are omitted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prometheus/meter_page.h"

enum { GET = 3, PUT, UNNAMED };

static const char *const names[METER_OPERATIONS_MAX] = {[GET] = "GetItem", [PUT] = "PutItem"};

static struct arena arena;
static struct meters *meters;
static struct meter_thread *thread;
static struct buffer out;

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    buffer_init(&out, 1024 * 1024);
    meters = meters_new();
    thread = meters_join(meters);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    meters_free(meters);
    buffer_release(&out);
    arena_release(&arena);
    return 0;
}

static struct meter_table *table(const char *name) {
    return meter_table(thread, (uint32_t)name[0], slice_text(name));
}

static struct meter_operation *operation(const char *name, unsigned number) {
    return meter_operation(thread, table(name), number);
}

static struct meter_page_part part_of(struct meters *from) {
    struct meter_page_part part = {.name_space = SLICE_LITERAL("")};
    meters_read(from, &arena, false, &part.sums);
    return part;
}

static void write_parts(const struct meter_page_part *parts, size_t count, bool open_metrics) {
    struct exposition exposition = {.out = &out, .open_metrics = open_metrics};
    buffer_reset(&out);
    meter_page_write(&exposition, parts, count, names);
    buffer_append_byte(&out, '\0');
    assert_false(out.overflow);
}

static void write_page(void) {
    struct meter_page_part part = part_of(meters);
    write_parts(&part, 1, false);
}

static bool has(const char *text) {
    return strstr((const char *)out.data, text) != NULL;
}

/* Expects this complete line on the page. */
static void expect(const char *line) {
    struct slice wanted = arena_printf(&arena, "\n%s\n", line);
    if (!has((const char *)wanted.data))
        fail_msg("without %s:\n%s", line, (const char *)out.data);
}

static void empty_page_has_only_commit_histograms(void **state) {
    (void)state;
    write_parts(NULL, 0, false);
    expect("gramme_commit_group_size_count 0");
    expect("gramme_commit_group_size_bucket{le=\"+Inf\"} 0");
    expect("gramme_sync_seconds_count 0");
    expect("gramme_sync_seconds_bucket{le=\"+Inf\"} 0");
    assert_false(has("gramme_requests"));
    assert_false(has("table="));
}

/* ---- requests ---- */

static void error_codes_of_one_type_are_summed(void **state) {
    (void)state;
    struct meter_operation *get = operation("t", GET);
    counter_add(&get->outcomes[METER_OK], 5);
    counter_add(&get->outcomes[METER_ERRORS + ERROR_VALIDATION], 1);
    counter_add(&get->outcomes[METER_ERRORS + ERROR_EMPTY_KEY], 2);
    counter_add(&get->outcomes[METER_ERRORS + ERROR_ITEM_TOO_LARGE], 4);
    counter_add(&get->outcomes[METER_ERRORS + ERROR_RESOURCE_NOT_FOUND], 8);
    counter_add(&get->outcomes[METER_ERRORS + ERROR_CLOUDWATCH_ARN_NOT_FOUND], 16);
    write_page();
    expect("gramme_requests_total{table=\"t\",operation=\"GetItem\",code=\"ok\"} 5");
    expect(
        "gramme_requests_total{table=\"t\",operation=\"GetItem\",code=\"ValidationException\"} 7");
    expect("gramme_requests_total{table=\"t\",operation=\"GetItem\",code=\"ResourceNotFound"
           "Exception\"} 24");
    assert_false(has("code=\"SerializationException\""));
}

/* Neither the operation nor the table has a name. */
static void unnamed_operation_is_shown_as_none(void **state) {
    (void)state;
    struct meter_table *none = meter_no_table(thread);
    counter_add(&meter_operation(thread, none, UNNAMED)->outcomes[METER_OK], 1);
    write_page();
    expect("gramme_requests_total{operation=\"(none)\",code=\"ok\"} 1");
}

static void latency_buckets_are_cumulative(void **state) {
    (void)state;
    struct latency *get = &operation("t", GET)->latency;
    latency_add(get, 50000);
    latency_add(get, 50001);
    latency_add(get, 1000000000);
    latency_add(&operation("u", GET)->latency, 60000000000);
    write_page();
#define LINE "gramme_request_duration_seconds_bucket{operation=\"GetItem\",le="
    expect(LINE "\"5e-05\"} 1");
    expect(LINE "\"0.0001\"} 2");
    expect(LINE "\"0.25\"} 2");
    expect(LINE "\"1\"} 3");
    expect(LINE "\"5\"} 3");
    expect(LINE "\"+Inf\"} 4");
#undef LINE
    expect("gramme_request_duration_seconds_sum{operation=\"GetItem\"} 61.000100001");
    expect("gramme_request_duration_seconds_count{operation=\"GetItem\"} 4");
    expect("gramme_table_request_seconds_sum{table=\"t\",operation=\"GetItem\"} 1.000100001");
    expect("gramme_table_request_seconds_count{table=\"t\",operation=\"GetItem\"} 3");
    expect("gramme_table_request_seconds_sum{table=\"u\",operation=\"GetItem\"} 60");
}

/* Latency is recorded only for successful requests. */
static void failed_operation_has_no_histogram(void **state) {
    (void)state;
    counter_add(&operation("t", PUT)->outcomes[METER_ERRORS + ERROR_VALIDATION], 1);
    write_page();
    assert_false(has("gramme_request_duration_seconds"));
    assert_false(has("gramme_table_request_seconds"));
}

/* ---- tables and indexes ---- */

static void half_capacity_units_are_shown_as_fractions(void **state) {
    (void)state;
    struct meter_table *t = table("t");
    struct meter_index *index = meter_index(thread, t, SLICE_LITERAL("i"));
    spread_add(&t->own.read, 1);
    spread_add(&t->own.read, 2);
    spread_add(&index->own.read, 5);
    spread_add(&index->own.write, 2);
    write_page();
    expect("gramme_consumed_read_units_total{table=\"t\"} 1.5");
    expect("gramme_consumed_read_units_total{table=\"t\",index=\"i\"} 2.5");
    expect("gramme_consumed_write_units_total{table=\"t\",index=\"i\"} 1");
    assert_false(has("gramme_consumed_write_units_total{table=\"t\"}"));
}

static void throttled_events_are_labelled_by_limit(void **state) {
    (void)state;
    meter_throttled(thread, table("t"), SLICE_NONE, METER_READ_PROVISIONED, 2);
    meter_throttled(thread, table("t"), SLICE_LITERAL("i"), METER_WRITE_KEY_RANGE, 3);
    meter_throttled_request(thread, table("t"), PUT);
    write_page();
    expect("gramme_throttled_total{table=\"t\",reason=\"ReadProvisionedThroughputExceeded\"} 2");
    expect("gramme_throttled_total{table=\"t\",index=\"i\",reason=\"WriteKeyRangeThroughput"
           "Exceeded\"} 3");
    expect("gramme_throttled_requests_total{table=\"t\",operation=\"PutItem\"} 1");
}

static void table_counters_of_zero_are_omitted(void **state) {
    (void)state;
    struct meter_table *t = table("t");
    counter_add(&t->conditions_failed, 1);
    counter_add(&t->conflicts, 2);
    counter_add(&t->expired, 3);
    write_page();
    expect("gramme_conditional_check_failed_total{table=\"t\"} 1");
    expect("gramme_transaction_conflicts_total{table=\"t\"} 2");
    expect("gramme_ttl_deleted_items_total{table=\"t\"} 3");
    assert_false(has("gramme_stream_records"));
}

/* ---- commits ---- */

static void commit_size_buckets_are_cumulative(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 1 << 20};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        meter_group(meter_commit(thread), sizes[i]);
    write_page();
    expect("gramme_commit_group_size_bucket{le=\"1\"} 1");
    expect("gramme_commit_group_size_bucket{le=\"2\"} 2");
    expect("gramme_commit_group_size_bucket{le=\"4\"} 4");
    expect("gramme_commit_group_size_bucket{le=\"8\"} 5");
    expect("gramme_commit_group_size_bucket{le=\"4096\"} 5");
    expect("gramme_commit_group_size_bucket{le=\"+Inf\"} 6");
    expect("gramme_commit_group_size_sum 1048591");
    expect("gramme_commit_group_size_count 6");
    assert_false(has("le=\"8192\""));
}

static void open_metrics_writes_bounds_as_floats(void **state) {
    (void)state;
    struct meter_page_part part;
    meter_group(meter_commit(thread), 2);
    latency_add(&meter_commit(thread)->syncs, 2000000000);
    part = part_of(meters);
    write_parts(&part, 1, true);
    expect("gramme_commit_group_size_bucket{le=\"1.0\"} 0");
    expect("gramme_commit_group_size_bucket{le=\"4096.0\"} 1");
    expect("gramme_sync_seconds_bucket{le=\"0.25\"} 0");
    expect("gramme_sync_seconds_bucket{le=\"5.0\"} 1");
}

/* ---- several name spaces ---- */

static void name_spaces_are_labelled_and_latency_is_summed(void **state) {
    (void)state;
    struct meters *others = meters_new();
    struct meter_thread *other = meters_join(others);
    struct meter_table *same = meter_table(other, 1, SLICE_LITERAL("t"));
    counter_add(&operation("t", GET)->outcomes[METER_OK], 1);
    latency_add(&operation("t", GET)->latency, 1000);
    meter_group(meter_commit(thread), 1);
    counter_add(&meter_operation(other, same, GET)->outcomes[METER_OK], 2);
    latency_add(&meter_operation(other, same, GET)->latency, 1000);
    meter_group(meter_commit(other), 1);
    struct meter_page_part parts[] = {part_of(meters), part_of(others)};
    parts[1].name_space = SLICE_LITERAL("else\"where");
    write_parts(parts, 2, false);
    expect("gramme_requests_total{table=\"t\",operation=\"GetItem\",code=\"ok\"} 1");
    expect("gramme_requests_total{name_space=\"else\\\"where\",table=\"t\",operation=\"GetItem\","
           "code=\"ok\"} 2");
    expect("gramme_request_duration_seconds_count{operation=\"GetItem\"} 2");
    expect("gramme_commit_group_size_count 2");
    meters_free(others);
}

static void untold_part_adds_only_latency_and_commits(void **state) {
    (void)state;
    spread_add(&table("secret")->own.read, 1);
    counter_add(&operation("secret", GET)->outcomes[METER_OK], 1);
    latency_add(&operation("secret", GET)->latency, 1000);
    meter_group(meter_commit(thread), 1);
    struct meter_page_part part = part_of(meters);
    part.untold = true;
    write_parts(&part, 1, false);
    assert_false(has("secret"));
    expect("gramme_request_duration_seconds_count{operation=\"GetItem\"} 1");
    expect("gramme_commit_group_size_count 1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(empty_page_has_only_commit_histograms),
        TEST(error_codes_of_one_type_are_summed),
        TEST(unnamed_operation_is_shown_as_none),
        TEST(latency_buckets_are_cumulative),
        TEST(failed_operation_has_no_histogram),
        TEST(half_capacity_units_are_shown_as_fractions),
        TEST(throttled_events_are_labelled_by_limit),
        TEST(table_counters_of_zero_are_omitted),
        TEST(commit_size_buckets_are_cumulative),
        TEST(open_metrics_writes_bounds_as_floats),
        TEST(name_spaces_are_labelled_and_latency_is_summed),
        TEST(untold_part_adds_only_latency_and_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
