/* test_bundle.c - samples as bytes: what was put in comes out, once, and a piece of it is no more
 * than that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "publish/bundle.h"
#include "support/engine_fixture.h"

#define MINUTE INT64_C(60000)

struct scene {
    struct engine_fixture f;
    struct series_store *series;
    int64_t minute_ms; /* the present one */
};

static void begin(struct scene *scene) {
    assert_null(fixture_open(&scene->f, fixture_store()));
    const struct series_options options = {.engine = scene->f.engine, .clock = &system_clock};
    assert_null(series_open(&scene->f.arena, &options, &scene->series));
    scene->minute_ms = clock_now_ms(&system_clock) / MINUTE * MINUTE;
}

static void end(struct scene *scene) {
    series_close(scene->series);
    fixture_close(&scene->f);
}

static struct metric named(const char *name) {
    static struct metric_dimension of_table;
    of_table = (struct metric_dimension){SLICE_LITERAL("TableName"), SLICE_LITERAL("orders")};
    return (struct metric){.name_space = SLICE_LITERAL("AWS/DynamoDB"),
                           .name = slice_text(name),
                           .dimensions = &of_table,
                           .dimension_count = 1,
                           .unit = METRIC_UNIT_COUNT};
}

static void put(struct buffer *bundle, const char *name, int64_t time_ms, double value) {
    struct metric metric = named(name);
    struct sample sample = {.count = 0};
    sample_observe(&sample, value, 2);
    sample_observe(&sample, value + 100, 1);
    bundle_put(bundle, &metric, time_ms, &sample);
    sample_release(&sample);
}

/* The sum in all minutes, 0 when there are none. */
static double sum_of(struct scene *scene, const char *name) {
    struct metric metric = named(name);
    struct series_query query = {&metric, scene->minute_ms - 10 * MINUTE,
                                 scene->minute_ms + 10 * MINUTE, MINUTE, false};
    struct series_result result;
    double sum = 0;
    assert_null(series_read(scene->series, &scene->f.arena, &query, &result));
    for (size_t i = 0; i < result.count; i++) {
        assert_true(result.points[i].sample.count == 3);
        sum += result.points[i].sample.sum;
    }
    return sum;
}

static void what_was_put_in_comes_out(void **state) {
    (void)state;
    struct scene scene;
    struct buffer bundle;
    begin(&scene);
    buffer_init(&bundle, BUNDLE_BYTES_MAX);
    assert_true(bundle_open(buffer_slice(&bundle), scene.series)); /* of nothing */
    put(&bundle, "reads", scene.minute_ms, 0.5);
    put(&bundle, "reads", scene.minute_ms - MINUTE, 7);
    put(&bundle, "writes", scene.minute_ms, 3);
    assert_true(bundle_open(buffer_slice(&bundle), scene.series));
    assert_true(sum_of(&scene, "reads") == 101.5 + 121);
    assert_true(sum_of(&scene, "writes") == 109);
    buffer_release(&bundle);
    end(&scene);
}

static void a_piece_is_no_more_than_that(void **state) {
    (void)state;
    struct scene scene;
    struct buffer bundle;
    size_t first;
    begin(&scene);
    buffer_init(&bundle, BUNDLE_BYTES_MAX);
    put(&bundle, "first", scene.minute_ms, 1);
    first = bundle.len;
    put(&bundle, "second", scene.minute_ms, 1);
    for (size_t len = 1; len < first; len++) /* one byte is a bundle without samples */
        assert_int_equal(bundle_open(slice_of(bundle.data, len), scene.series), len == 1);
    assert_true(sum_of(&scene, "first") == 0);
    assert_false(bundle_open(slice_of(bundle.data, bundle.len - 1), scene.series));
    assert_true(sum_of(&scene, "first") == 103);
    assert_true(sum_of(&scene, "second") == 0);
    bundle.data[0] = 9; /* of another version */
    assert_false(bundle_open(buffer_slice(&bundle), scene.series));
    assert_true(sum_of(&scene, "first") == 103);
    buffer_release(&bundle);
    end(&scene);
}

static void what_does_not_fit_is_left_out(void **state) {
    (void)state;
    struct scene scene;
    struct buffer bundle;
    begin(&scene);
    buffer_init(&bundle, 200);
    put(&bundle, "first", scene.minute_ms, 1);
    put(&bundle, "second", scene.minute_ms, 1);
    put(&bundle, "third", scene.minute_ms, 1);
    assert_true(bundle.overflow);
    assert_true(bundle_open(buffer_slice(&bundle), scene.series));
    assert_true(sum_of(&scene, "first") == 103);
    assert_true(sum_of(&scene, "third") == 0);
    buffer_release(&bundle);
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_in_comes_out),
        cmocka_unit_test(a_piece_is_no_more_than_that),
        cmocka_unit_test(what_does_not_fit_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
