/* test_histogram.c - quantiles against the exact ones of sorted values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/histogram.h"
#include "bench/keys.h"

enum { VALUES = 20000 };

static struct histogram *histogram_new(void) {
    struct histogram *histogram = malloc(sizeof(*histogram));
    assert_non_null(histogram);
    histogram_init(histogram);
    return histogram;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void assert_near(uint64_t found, uint64_t exact) {
    uint64_t difference = found > exact ? found - exact : exact - found;
    assert_true(difference * 200 <= exact); /* half a per cent */
}

/* Values over nine powers of ten. */
static void quantiles_are_near(void **state) {
    (void)state;
    static const double shares[] = {0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
    struct histogram *histogram = histogram_new();
    struct bench_random random = bench_random_seeded(1);
    uint64_t *values = malloc(VALUES * sizeof(*values)), sum = 0;
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = bench_random_next(&random) >> (24 + bench_random_below(&random, 30));
        histogram_record(histogram, values[i]);
        sum += values[i];
    }
    qsort(values, VALUES, sizeof(*values), compare);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        size_t rank = (size_t)(shares[i] * VALUES);
        rank += (double)rank < shares[i] * VALUES || rank == 0;
        assert_near(histogram_quantile(histogram, shares[i]), values[rank - 1]);
    }
    assert_int_equal(histogram_min(histogram), values[0]);
    assert_int_equal(histogram_max(histogram), values[VALUES - 1]);
    assert_int_equal(histogram_quantile(histogram, 1), values[VALUES - 1]);
    assert_int_equal(histogram_total(histogram), VALUES);
    assert_true(histogram_mean(histogram) == (double)sum / VALUES);
    free(values);
    free(histogram);
}

static void every_value_is_in_a_bucket_of_its_size(void **state) {
    (void)state;
    struct histogram *histogram = histogram_new();
    for (uint64_t value = 1; value < UINT64_C(1) << 41; value += 1 + value / 300) {
        histogram_init(histogram);
        histogram_record(histogram, 0);
        histogram_record(histogram, value);
        histogram_record(histogram, UINT64_C(1) << 41);
        assert_near(histogram_quantile(histogram, 0.5), value);
    }
    free(histogram);
}

static void small_values_are_exact(void **state) {
    (void)state;
    struct histogram *histogram = histogram_new();
    for (uint64_t value = 1; value <= 100; value++)
        histogram_record(histogram, value);
    assert_int_equal(histogram_quantile(histogram, 0.5), 50);
    assert_int_equal(histogram_quantile(histogram, 0.501), 51);
    assert_int_equal(histogram_quantile(histogram, 0.99), 99);
    assert_int_equal(histogram_quantile(histogram, 0.991), 100);
    free(histogram);
}

static void an_empty_one_says_nothing(void **state) {
    (void)state;
    struct histogram *histogram = histogram_new();
    assert_int_equal(histogram_quantile(histogram, 0.99), 0);
    assert_int_equal(histogram_min(histogram), 0);
    assert_int_equal(histogram_max(histogram), 0);
    assert_true(histogram_mean(histogram) == 0);
    free(histogram);
}

static void beyond_the_end_only_the_maximum_tells(void **state) {
    (void)state;
    struct histogram *histogram = histogram_new();
    histogram_record(histogram, 1000);
    histogram_record(histogram, UINT64_MAX / 2);
    assert_near(histogram_quantile(histogram, 0.5), 1000);
    assert_int_equal(histogram_quantile(histogram, 1), UINT64_MAX / 2);
    assert_int_equal(histogram_max(histogram), UINT64_MAX / 2);
    free(histogram);
}

static void merging_adds_and_the_difference_takes_away(void **state) {
    (void)state;
    struct histogram *before = histogram_new(), *after = histogram_new(),
                     *between = histogram_new();
    for (uint64_t i = 0; i < 10; i++)
        histogram_record(before, 100);
    histogram_merge(after, before);
    histogram_record(after, 7);
    histogram_record(after, 90);
    histogram_record(after, 120);
    histogram_between(between, before, after);
    assert_int_equal(histogram_total(after), 13);
    assert_int_equal(histogram_min(after), 7);
    assert_int_equal(histogram_max(after), 120);
    assert_int_equal(histogram_total(between), 3);
    assert_int_equal(histogram_quantile(between, 0.5), 90);
    assert_int_equal(histogram_min(between), 7);
    assert_int_equal(histogram_max(between), 120);
    assert_true(histogram_mean(between) == 217.0 / 3);
    free(before);
    free(after);
    free(between);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_near),
        cmocka_unit_test(every_value_is_in_a_bucket_of_its_size),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(an_empty_one_says_nothing),
        cmocka_unit_test(beyond_the_end_only_the_maximum_tells),
        cmocka_unit_test(merging_adds_and_the_difference_takes_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
