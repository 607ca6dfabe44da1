/* test_series.c - series over time: by minute and by five minutes, across ends and failures, within
 * their bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cloudwatch/series.h"
#include "engine/record.h"
#include "store/fault/fault.h"
#include "support/engine_fixture.h"
#include "support/shared_store.h"

#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define START (INT64_C(1794744000000) / DAY * DAY + 12 * HOUR) /* noon */

struct scene {
    struct store *inner; /* a handle that outlives the engines */
    struct engine_fixture f;
    struct fixture_clock clock;
    struct series_options options;
    struct series_store *series;
};

static int64_t now_ms(const struct clock *clock) {
    return ((const struct fixture_clock *)(const void *)clock)->now_ms;
}

static void open_series(struct scene *scene) {
    scene->options.engine = scene->f.engine;
    scene->options.clock = &scene->clock.clock;
    struct error *error = series_open(&scene->f.arena, &scene->options, &scene->series);
    if (error != NULL)
        fail_msg("%.*s", SLICE_ARGS(error->message));
}

static void begin(struct scene *scene) {
    *scene = (struct scene){.clock = {{now_ms}, START}};
    struct store *store = shared_store_new(fixture_store());
    scene->inner = shared_store_again(store);
    assert_null(fixture_open(&scene->f, store));
    open_series(scene);
}

static void reopen(struct scene *scene) {
    series_close(scene->series);
    fixture_close(&scene->f);
    assert_null(fixture_open(&scene->f, shared_store_again(scene->inner)));
    open_series(scene);
}

static void end(struct scene *scene) {
    series_close(scene->series);
    fixture_close(&scene->f);
    store_close(scene->inner);
}

static struct metric named(const char *name) {
    return (struct metric){.name_space = SLICE_LITERAL("test"), .name = slice_text(name)};
}

static void add_at(struct scene *scene, const char *name, int64_t time_ms, double value) {
    struct metric metric = named(name);
    struct sample sample = {.sum = value, .count = 1, .min = value, .max = value};
    series_add(scene->series, &metric, time_ms, &sample);
}

static void write_all(struct scene *scene) {
    assert_null(series_write(scene->series, &scene->f.arena));
}

/* "minutes after START=sum/count ..." */
static const char *read_all(struct scene *scene, const char *name, int64_t from, int64_t to,
                            int64_t period) {
    struct metric metric = named(name);
    struct series_query query = {&metric, from, to, period, false};
    struct series_result result;
    struct arena *arena = &scene->f.arena;
    assert_null(series_read(scene->series, arena, &query, &result));
    struct slice text = SLICE_LITERAL("");
    for (size_t i = 0; i < result.count; i++)
        text = arena_printf(arena, "%.*s%s%lld=%g/%g", SLICE_ARGS(text), i == 0 ? "" : " ",
                            (long long)((result.points[i].time_ms - START) / MINUTE),
                            result.points[i].sample.sum, result.points[i].sample.count);
    return (const char *)text.data;
}

static size_t count_records(struct scene *scene, const char *kind) {
    struct record *records;
    size_t count;
    assert_null(
        engine_read_records(scene->f.engine, &scene->f.arena, slice_text(kind), &records, &count));
    return count;
}

/* ---- the tests ---- */

static void periods_begin_where_asked(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    for (int i = 0; i < 6; i++)
        add_at(&scene, "m", START - i * MINUTE + 59999, 1 << i);
    add_at(&scene, "m", START, 100);
    assert_string_equal(read_all(&scene, "m", START - 5 * MINUTE, START + MINUTE, MINUTE),
                        "-5=32/1 -4=16/1 -3=8/1 -2=4/1 -1=2/1 0=101/2");
    assert_string_equal(read_all(&scene, "m", START - 4 * MINUTE, START, 3 * MINUTE),
                        "-4=28/3 -1=2/1");
    assert_string_equal(read_all(&scene, "m", START - DAY, START + HOUR, HOUR), "-60=62/5 0=101/2");
    assert_string_equal(read_all(&scene, "other", START - HOUR, START, MINUTE), "");
    end(&scene);
}

static void units_are_apart(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    struct metric metric = named("m");
    struct sample sample = {.sum = 3, .count = 1, .min = 3, .max = 3};
    metric.unit = METRIC_UNIT_BYTES;
    series_add(scene.series, &metric, START, &sample);
    add_at(&scene, "m", START, 1);
    assert_string_equal(read_all(&scene, "m", START, START + MINUTE, MINUTE), "0=1/1");
    metric.unit = METRIC_UNIT_ANY;
    struct series_query query = {&metric, START, START + MINUTE, MINUTE, false};
    struct series_result result;
    assert_null(series_read(scene.series, &scene.f.arena, &query, &result));
    assert_int_equal(result.count, 1);
    assert_true(result.points[0].sample.sum == 4);
    assert_int_equal(result.units, 1 << METRIC_UNIT_BYTES | 1 << METRIC_UNIT_NONE);
    end(&scene);
}

static void an_hour_is_put_away(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    for (int i = 0; i < 90; i++) {
        scene.clock.now_ms = START + i * MINUTE;
        add_at(&scene, "m", scene.clock.now_ms, 1);
        if (i % 7 == 0)
            write_all(&scene);
    }
    add_at(&scene, "m", START + 10 * MINUTE, 5); /* late, into a block */
    write_all(&scene);
    assert_int_equal(count_records(&scene, "metric"), 1);
    assert_int_equal(count_records(&scene, "metric-hour"), 2); /* the second has just begun */
    assert_true(count_records(&scene, "metric-journal") > 0);
    assert_string_equal(read_all(&scene, "m", START, START + 2 * HOUR, HOUR), "0=65/61 60=30/30");
    assert_string_equal(read_all(&scene, "m", START + 10 * MINUTE, START + 11 * MINUTE, MINUTE),
                        "10=6/2");
    scene.clock.now_ms += 2 * HOUR;
    write_all(&scene);
    assert_int_equal(count_records(&scene, "metric-hour"), 2);
    assert_int_equal(count_records(&scene, "metric-journal"), 0);
    assert_string_equal(read_all(&scene, "m", START, START + 2 * HOUR, HOUR), "0=65/61 60=30/30");
    end(&scene);
}

static void they_are_there_again(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    add_at(&scene, "m", START, 1);
    add_at(&scene, "n", START, 2);
    reopen(&scene); /* writes what there is */
    add_at(&scene, "m", START, 10);
    write_all(&scene);
    add_at(&scene, "m", START, 100); /* the same minute again */
    reopen(&scene);
    reopen(&scene);
    assert_string_equal(read_all(&scene, "m", START, START + MINUTE, MINUTE), "0=111/3");
    assert_string_equal(read_all(&scene, "n", START, START + MINUTE, MINUTE), "0=2/1");
    assert_int_equal(count_records(&scene, "metric"), 2);
    end(&scene);
}

/* A departure that fails at each of its steps in turn, and goes on after a restart. */
static void nothing_counts_twice(void **state) {
    (void)state;
    for (unsigned step = 1; step < 12; step++) {
        struct scene scene = {.clock = {{now_ms}, START}};
        struct store *faulty = fault_store_new(fixture_store());
        struct store *store = shared_store_new(faulty);
        scene.inner = shared_store_again(store);
        assert_null(fixture_open(&scene.f, store));
        open_series(&scene);
        for (int i = 0; i < 2000; i++) /* more than fits in one commit */
            add_at(&scene, (const char *)arena_printf(&scene.f.arena, "m%d", i).data, START, 1);
        write_all(&scene);
        scene.clock.now_ms += HOUR;
        add_at(&scene, "m7", START, 1);
        fault_store_arm(faulty, FAULT_ERROR_FROM_HERE, step);
        struct error *error = series_write(scene.series, &scene.f.arena);
        add_at(&scene, "m8", START, 1);
        series_close(scene.series); /* cannot write either */
        fault_store_arm(faulty, FAULT_NONE, 0);
        open_series(&scene);
        const char *seven = read_all(&scene, "m7", START, START + MINUTE, MINUTE);
        if (error == NULL)
            assert_string_equal(seven, "0=2/2");
        else
            assert_true(strcmp(seven, "0=2/2") == 0 || strcmp(seven, "0=1/1") == 0);
        assert_string_equal(read_all(&scene, "m1999", START, START + MINUTE, MINUTE), "0=1/1");
        end(&scene);
    }
}

static void minutes_last_a_day_and_five_two_weeks(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    for (int64_t at = 0; at < 20 * DAY; at += 3 * HOUR) {
        scene.clock.now_ms = START + at;
        add_at(&scene, "m", scene.clock.now_ms, 1);
        write_all(&scene);
    }
    int64_t now = scene.clock.now_ms;
    struct metric metric = named("m");
    struct series_query query = {&metric, now - 30 * DAY, now + HOUR, MINUTE, false};
    struct series_result result;
    assert_null(series_read(scene.series, &scene.f.arena, &query, &result));
    assert_int_equal(result.count, 8); /* of a day, every three hours */
    query.period_ms = 5 * MINUTE;
    assert_null(series_read(scene.series, &scene.f.arena, &query, &result));
    assert_int_equal(result.count, 14 * 8);
    assert_true(result.points[0].time_ms % (5 * MINUTE) == 0);
    assert_true(count_records(&scene, "metric-hour") <= 10);
    assert_true(count_records(&scene, "metric-day") <= 16);
    scene.clock.now_ms += 15 * DAY;
    add_at(&scene, "other", scene.clock.now_ms, 1);
    scene.clock.now_ms += HOUR;
    write_all(&scene); /* the idle one is forgotten */
    scene.clock.now_ms += HOUR;
    add_at(&scene, "other", scene.clock.now_ms, 1);
    scene.clock.now_ms += HOUR;
    write_all(&scene);
    assert_int_equal(count_records(&scene, "metric"), 1);
    assert_int_equal(count_records(&scene, "metric-day"), 1);
    end(&scene);
}

static void old_samples_and_future_ones(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    add_at(&scene, "m", START - 3 * DAY - 2 * MINUTE, 1);
    add_at(&scene, "m", START - 14 * DAY, 2);
    add_at(&scene, "m", START + 2 * HOUR, 4);
    add_at(&scene, "m", START + 2 * HOUR + MINUTE, 8);
    scene.clock.now_ms += HOUR;
    write_all(&scene);
    assert_string_equal(read_all(&scene, "m", START - 15 * DAY, START + 4 * HOUR, 5 * MINUTE),
                        "-4325=1/1 120=4/1");
    assert_string_equal(read_all(&scene, "m", START - 15 * DAY, START + 4 * HOUR, MINUTE),
                        "120=4/1");
    end(&scene);
}

static void the_idlest_goes(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    series_close(scene.series);
    scene.options.series_max = 3;
    open_series(&scene);
    add_at(&scene, "a", START - 3 * MINUTE, 1);
    add_at(&scene, "b", START - 2 * MINUTE, 1);
    add_at(&scene, "c", START - MINUTE, 1);
    scene.clock.now_ms += HOUR;
    write_all(&scene);
    assert_int_equal(count_records(&scene, "metric-hour"), 3);
    add_at(&scene, "a", START, 2);
    add_at(&scene, "d", START, 1); /* b goes */
    assert_string_equal(read_all(&scene, "b", START - HOUR, START + HOUR, HOUR), "");
    scene.clock.now_ms += HOUR;
    write_all(&scene);
    assert_int_equal(count_records(&scene, "metric"), 3);
    assert_int_equal(count_records(&scene, "metric-day"), 3);
    add_at(&scene, "b", START, 7);
    assert_string_equal(read_all(&scene, "b", START - HOUR, START + HOUR, HOUR), "0=7/1");
    reopen(&scene);
    assert_string_equal(read_all(&scene, "b", START - HOUR, START + HOUR, HOUR), "0=7/1");
    assert_string_equal(read_all(&scene, "a", START - HOUR, START + HOUR, HOUR), "-60=1/1 0=2/1");
    end(&scene);
}

static void what_is_too_much_is_put_away_early(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    series_close(scene.series);
    scene.options.pending_bytes = 4096;
    open_series(&scene);
    for (int i = 0; i < 1200; i++) {
        add_at(&scene, "m", START - i * MINUTE, 1);
        if (i % 30 == 0)
            write_all(&scene);
    }
    write_all(&scene);
    assert_true(count_records(&scene, "metric-hour") > 15);
    assert_string_equal(read_all(&scene, "m", START - 1199 * MINUTE, START + MINUTE, DAY),
                        "-1199=1200/1200");
    end(&scene);
}

/* The last piece takes the rest. */
static void a_journal_has_at_most_64_pieces(void **state) {
    (void)state;
    enum { SERIES = 200, PIECES_MAX = 64 };
    struct scene scene;
    begin(&scene);
    series_close(scene.series);
    scene.options.piece_bytes = 1;
    open_series(&scene);
    for (int i = 0; i < SERIES; i++)
        add_at(&scene, (const char *)arena_printf(&scene.f.arena, "m%d", i).data, START, i);
    write_all(&scene);
    assert_int_equal(count_records(&scene, "metric-journal"), PIECES_MAX);
    reopen(&scene);
    for (int i = 0; i < SERIES; i++)
        assert_string_equal(read_all(&scene,
                                     (const char *)arena_printf(&scene.f.arena, "m%d", i).data,
                                     START, START + MINUTE, MINUTE),
                            (const char *)arena_printf(&scene.f.arena, "0=%d/1", i).data);
    end(&scene);
}

static void lists_are_filtered_and_paged(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    struct metric_dimension dimension = {SLICE_LITERAL("d"), SLICE_LITERAL("1")};
    struct metric with = named("a"), *metrics;
    struct sample sample = {.sum = 1, .count = 1, .min = 1, .max = 1};
    struct series_filter filter = {0};
    size_t count;
    bool more;
    with.dimensions = &dimension;
    with.dimension_count = 1;
    series_add(scene.series, &with, START, &sample);
    with.unit = METRIC_UNIT_COUNT; /* another series of the same metric */
    series_add(scene.series, &with, START, &sample);
    add_at(&scene, "a", START - 4 * HOUR, 1);
    add_at(&scene, "b", START, 1);
    struct arena *arena = &scene.f.arena;
    series_list(scene.series, arena, &filter, 2, &metrics, &count, &more);
    assert_int_equal(count, 2);
    assert_true(more);
    filter.after = series_token(arena, &metrics[1]);
    series_list(scene.series, arena, &filter, 2, &metrics, &count, &more);
    assert_int_equal(count, 1);
    assert_false(more);
    assert_int_equal(metrics[0].dimension_count, 1);
    filter = (struct series_filter){.name = SLICE_LITERAL("a"), .since_ms = START - 3 * HOUR};
    series_list(scene.series, arena, &filter, 500, &metrics, &count, &more);
    assert_int_equal(count, 1);
    dimension.value = SLICE_NONE;
    filter = (struct series_filter){.dimensions = &dimension, .dimension_count = 1};
    series_list(scene.series, arena, &filter, 500, &metrics, &count, &more);
    assert_int_equal(count, 1);
    dimension.value = SLICE_LITERAL("2");
    series_list(scene.series, arena, &filter, 500, &metrics, &count, &more);
    assert_int_equal(count, 0);
    end(&scene);
}

/* Ends within the length of a metric's name. */
static void a_journal_that_is_cut_off_is_damaged(void **state) {
    (void)state;
    static const uint8_t cut_off[] = {1, 'm', 1, 0, 0, 0, 9, 0};
    struct scene scene;
    begin(&scene);
    series_close(scene.series);
    const struct record record = {.kind = SLICE_LITERAL("metric-journal"),
                                  .name = SLICE_LITERAL("0000000000000000"),
                                  .value = slice_of(cut_off, sizeof(cut_off))};
    assert_null(engine_change_records(scene.f.engine, &scene.f.arena, &record, 1));
    struct error *error = series_open(&scene.f.arena, &scene.options, &scene.series);
    assert_non_null(error);
    assert_non_null(memmem(error->message.data, error->message.len, "damaged", 7));
    scene.series = NULL;
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_begin_where_asked),
        cmocka_unit_test(units_are_apart),
        cmocka_unit_test(an_hour_is_put_away),
        cmocka_unit_test(they_are_there_again),
        cmocka_unit_test(nothing_counts_twice),
        cmocka_unit_test(minutes_last_a_day_and_five_two_weeks),
        cmocka_unit_test(old_samples_and_future_ones),
        cmocka_unit_test(the_idlest_goes),
        cmocka_unit_test(what_is_too_much_is_put_away_early),
        cmocka_unit_test(a_journal_has_at_most_64_pieces),
        cmocka_unit_test(lists_are_filtered_and_paged),
        cmocka_unit_test(a_journal_that_is_cut_off_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
