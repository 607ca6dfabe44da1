/* histogram.h - how often each duration came, in buckets that grow with it.
 *
 * Every power of two is cut into 128 buckets, so a bucket is at most 1/128 of its value wide and
 * the middle of it is less than 0.4 % off. Below 128 ns the buckets are exact. It covers an hour;
 * what is longer goes to the last bucket, but minimum, maximum and sum are exact. Threads: one
 * thread records, any thread may read or merge from it meanwhile. */
#ifndef GRAMME_BENCH_HISTOGRAM_H
#define GRAMME_BENCH_HISTOGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_SUB_BITS = 7,
    HISTOGRAM_VALUE_BITS = 42,
    HISTOGRAM_BUCKETS = (HISTOGRAM_VALUE_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS,
};

struct histogram {
    _Atomic uint64_t total;
    _Atomic uint64_t sum_ns;
    _Atomic uint64_t min_ns; /* UINT64_MAX while empty */
    _Atomic uint64_t max_ns;
    _Atomic uint64_t counts[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *histogram);
void histogram_record(struct histogram *histogram, uint64_t ns);
/* Adds what `from` has. */
void histogram_merge(struct histogram *histogram, const struct histogram *from);
/* What came to `later` since it was `earlier`; the extremes are then those of buckets. */
void histogram_between(struct histogram *ret_difference, const struct histogram *earlier,
                       const struct histogram *later);

uint64_t histogram_total(const struct histogram *histogram);
/* The smallest value that at least this share (0 to 1) of the values does not exceed; 0 when
 * empty. */
uint64_t histogram_quantile(const struct histogram *histogram, double share);
uint64_t histogram_min(const struct histogram *histogram); /* 0 when empty */
uint64_t histogram_max(const struct histogram *histogram);
double histogram_mean(const struct histogram *histogram);

/* For those who print it: how many are in a bucket, and the value that stands for it. */
uint64_t histogram_count(const struct histogram *histogram, size_t bucket);
uint64_t histogram_value(size_t bucket);

#endif
