/* test_top.c - pages read back, times between two of them, and what is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

#include "top/view.h"

static struct arena arena;

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

static struct top_page page_of(const char *text) {
    struct top_page page;
    top_page_read(&arena, slice_text(text), &page);
    return page;
}

#define BUCKETS(a, b, c, sum)                                                            \
    "gramme_request_duration_seconds_bucket{operation=\"GetItem\",le=\"0.001\"} " a "\n" \
    "gramme_request_duration_seconds_bucket{operation=\"GetItem\",le=\"0.01\"} " b "\n"  \
    "gramme_request_duration_seconds_bucket{operation=\"GetItem\",le=\"+Inf\"} " c "\n"  \
    "gramme_request_duration_seconds_sum{operation=\"GetItem\"} " sum "\n"               \
    "gramme_request_duration_seconds_count{operation=\"GetItem\"} " c "\n"

static const char first[] =
    "# HELP gramme_requests_total Requests.\n# TYPE gramme_requests_total counter\n"
    "gramme_requests_total{table=\"music\",operation=\"GetItem\",code=\"ok\"} 10\n" BUCKETS(
        "10", "10", "10", "0.005") "gramme_build_info{version=\"1.2\",store=\"memory\"} 1\n";

static const char second[] =
    "gramme_requests_total{table=\"music\",operation=\"GetItem\",code=\"ok\"} 110\n"
    "gramme_requests_total{table=\"a-table-whose-name-is-longer-than-its-column\","
    "operation=\"PutItem\",code=\"ok\"} 20\n"
    "gramme_requests_total{operation=\"GetItem\",code=\"ResourceNotFoundException\"} 4\n" BUCKETS(
        "60", "110", "110", "0.205") "gramme_consumed_read_units_total{table=\"music\"} 50\n"
                                     "gramme_consumed_read_units_total{table=\"music\",index=\"i\"}"
                                     " 7\n"
                                     "gramme_commit_group_size_sum 20\n"
                                     "gramme_commit_group_size_count 10\n"
                                     "gramme_connections 3\ngramme_uptime_seconds 3725\n"
                                     "gramme_build_info{version=\"1.2\",store=\"memory\"} 1\n";

static void test_read(void **state) {
    (void)state;
    struct top_page page = page_of(second);
    assert_int_equal(page.tables.count, 3);
    assert_int_equal(page.operations.count, 2);
    const struct top_row *music = &page.tables.list[0], *get = &page.operations.list[0];
    assert_true(slice_is(music->name, "music"));
    assert_true(music->requests == 110 && music->errors == 0 && music->read_units == 57);
    assert_true(get->requests == 114 && get->errors == 4);
    assert_int_equal(get->times.bucket_count, 3);
    assert_true(isinf(get->times.bounds[2]) && get->times.count == 110);
    assert_true(page.groups == 10 && page.grouped == 20 && page.connections == 3);
    assert_true(slice_is(page.version, "1.2"));
}

/* Whatever it is given, it reads what it understands. */
static void test_nonsense(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "\n\n",
        "gramme_requests_total",
        "gramme_requests_total{",
        "gramme_requests_total{table=\"",
        "gramme_requests_total{table} 1",
        "gramme_requests_total{table=\"x\"}",
        "gramme_requests_total{table=\"x\"} y",
        "gramme_request_duration_seconds_bucket{le=\"9\"} 1",
        "{\"status\":\"starting\"}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct top_page page = page_of(texts[i]);
        assert_true(page.tables.count <= 1);
    }
}

static void test_quantiles_are_of_the_time_between(void **state) {
    (void)state;
    struct top_page before = page_of(first), now = page_of(second);
    const struct top_times *was = &before.operations.list[0].times;
    const struct top_times *is = &now.operations.list[0].times;
    assert_true(fabs(top_quantile(was, is, 0.25) - 0.0005) < 1e-9);
    assert_true(fabs(top_quantile(was, is, 0.5) - 0.001) < 1e-9);
    assert_true(fabs(top_quantile(was, is, 0.75) - 0.0055) < 1e-9);
    assert_true(top_quantile(is, is, 0.5) == 0);
}

static const char *view(size_t rows, size_t columns) {
    struct buffer out;
    struct top_page before = page_of(first), now = page_of(second);
    buffer_init(&out, 65536);
    top_view_write(&out, &before, &now, 2, (struct top_size){rows, columns});
    buffer_append_byte(&out, '\0');
    const char *text = arena_copy(&arena, out.data, out.len);
    buffer_release(&out);
    return text;
}

static void test_view(void **state) {
    (void)state;
    assert_string_equal(
        view(0, SIZE_MAX),
        "gramme 1.2  up 1:02:05  cpu 0%  memory 0 MB  connections 3\n"
        "requests 62/s  commits 5/s of 2.0 writes  queue 0  sync p50 - p99 -\n"
        "\n"
        "OPERATION                           /s  errors/s       mean        p50        p99\n"
        "GetItem                             52         2    2.00 ms    1.00 ms    9.82 ms\n"
        "PutItem                             10         0          -          -          -\n"
        "\n"
        "TABLE                               /s  errors/s       mean   read u/s  write u/s  "
        "throttled\n"
        "music                               50         0          -       28.5          0         "
        " "
        "0\n"
        "a-table-whose-name-is-long..        10         0          -          0          0         "
        " "
        "0\n"
        "(no table)                           2         2          -          0          0         "
        " "
        "0\n");
}

static void test_view_stays_on_its_screen(void **state) {
    (void)state;
    for (size_t rows = 1; rows < 15; rows++) {
        const char *at = view(rows, 20);
        size_t lines = 0;
        for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1, lines++)
            assert_true(end - at <= 20);
        assert_true(lines <= rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nonsense, setup, teardown),
        cmocka_unit_test_setup_teardown(test_quantiles_are_of_the_time_between, setup, teardown),
        cmocka_unit_test_setup_teardown(test_view, setup, teardown),
        cmocka_unit_test_setup_teardown(test_view_stays_on_its_screen, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
