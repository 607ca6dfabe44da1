/* test_sample.c - samples: what they add up to, percentiles, their bytes; metrics as bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/check.h"
#include "cloudwatch/metric.h"
#include "cloudwatch/sample.h"

static void assert_near(double value, double wanted, double part) {
    assert_true(value >= wanted * (1 - part) && value <= wanted * (1 + part));
}

static void one_value_needs_no_buckets(void **state) {
    (void)state;
    struct sample sample = {0};
    double value;
    sample_observe(&sample, 7, 3);
    sample_observe(&sample, 7, 1);
    assert_int_equal(sample.bucket_count, 0);
    assert_true(sample.sum == 28 && sample.count == 4 && sample.min == 7 && sample.max == 7);
    assert_true(sample_percentile(&sample, 99.9, &value) && value == 7);
    sample_release(&sample);
}

static void percentiles_are_near(void **state) {
    (void)state;
    struct sample sample = {0}, half = {0};
    double value, count, sum;
    for (int i = 1; i <= 1000; i++)
        sample_observe(i % 2 == 0 ? &sample : &half, i, 1);
    sample_merge(&sample, &half);
    assert_true(sample.count == 1000 && sample.sum == 500500 && sample.min == 1);
    assert_true(sample_percentile(&sample, 50, &value));
    assert_near(value, 500, 0.025);
    assert_true(sample_percentile(&sample, 99, &value));
    assert_near(value, 990, 0.025);
    assert_true(sample_percentile(&sample, 100, &value) && value == 1000);
    assert_true(sample_percentile(&sample, 0, &value) && value == 1);
    assert_true(sample_between(&sample, 10, 90, &count, &sum));
    assert_near(count, 800, 0.01);
    assert_near(sum / count, 500, 0.025);
    assert_true(sample_within(&sample, 100, 200, &count));
    assert_near(count, 100, 0.1);
    sample_release(&sample);
    sample_release(&half);
}

static void what_is_not_known_stays_so(void **state) {
    (void)state;
    struct sample sample = {0}, negative = {0};
    const struct sample statistics = {.sum = 10, .count = 4, .min = 1, .max = 4};
    double value;
    sample_observe(&sample, 2, 1);
    sample_merge(&sample, &statistics);
    assert_false(sample_percentile(&sample, 50, &value));
    sample_observe(&sample, 2, 1);
    assert_false(sample_percentile(&sample, 50, &value));
    assert_true(sample.count == 6 && sample.sum == 14);
    sample_observe(&negative, -1, 1);
    assert_false(sample_percentile(&negative, 50, &value));
    sample_release(&sample);
    sample_release(&negative);
}

static void buckets_are_bounded(void **state) {
    (void)state;
    struct sample sample = {0};
    double value = 1e-20, least;
    for (int i = 0; i < 2000; i++, value *= 1.06)
        sample_observe(&sample, value, 1);
    assert_int_equal(sample.bucket_count, SAMPLE_BUCKETS_MAX);
    assert_true(sample_percentile(&sample, 0, &least) && least == 1e-20);
    sample_release(&sample);
}

static void bytes_are_the_sample(void **state) {
    (void)state;
    CLEANUP(buffer_release) struct buffer out;
    struct sample samples[3] = {0}, again = {0};
    buffer_init(&out, 1 << 16);
    sample_observe(&samples[0], 2.5, 1);
    sample_observe(&samples[1], 2.5, 4);
    for (int i = 0; i < 50; i++)
        sample_observe(&samples[2], i, 2);
    for (int i = 0; i < 3; i++)
        sample_encode(&samples[i], &out);
    struct slice bytes = buffer_slice(&out);
    for (int i = 0; i < 3; i++) {
        assert_true(sample_decode(&bytes, &again));
        assert_true(again.sum == samples[i].sum && again.count == samples[i].count);
        assert_true(again.min == samples[i].min && again.max == samples[i].max);
        assert_int_equal(again.bucket_count, samples[i].bucket_count);
        for (int b = 0; b < again.bucket_count; b++) {
            assert_int_equal(again.buckets[b].place, samples[i].buckets[b].place);
            assert_true(again.buckets[b].weight == samples[i].buckets[b].weight);
        }
    }
    assert_int_equal(bytes.len, 0);
    assert_false(sample_decode(&bytes, &again));
    for (int i = 0; i < 3; i++)
        sample_release(&samples[i]);
    sample_release(&again);
}

static void a_metric_is_its_bytes(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct metric_dimension dimensions[] = {{SLICE_LITERAL("b"), SLICE_LITERAL("2")},
                                            {SLICE_LITERAL("a"), SLICE_LITERAL("1")}};
    metric_sort_dimensions(dimensions, 2);
    const struct metric metric = {SLICE_LITERAL("ns"), SLICE_LITERAL("name"), dimensions, 2,
                                  METRIC_UNIT_BYTES};
    struct metric again;
    struct slice bytes = metric_encode(&arena, &metric);
    assert_true(metric_decode(&arena, bytes, &again));
    assert_true(slice_is(again.name_space, "ns") && slice_is(again.name, "name"));
    assert_int_equal(again.dimension_count, 2);
    assert_true(slice_is(again.dimensions[0].name, "a"));
    assert_true(slice_is(again.dimensions[1].value, "2"));
    assert_int_equal(again.unit, METRIC_UNIT_BYTES);
    for (size_t len = 0; len < bytes.len; len++)
        assert_false(metric_decode(&arena, slice_of(bytes.data, len), &again));
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_needs_no_buckets), cmocka_unit_test(percentiles_are_near),
        cmocka_unit_test(what_is_not_known_stays_so), cmocka_unit_test(buckets_are_bounded),
        cmocka_unit_test(bytes_are_the_sample),       cmocka_unit_test(a_metric_is_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
