/* histogram.c - see histogram.h. Atomics are relaxed and written by one thread: plain moves. */
#include "bench/histogram.h"

enum { SUB_BUCKETS = 1 << HISTOGRAM_SUB_BITS };

static uint64_t get(const _Atomic uint64_t *number) {
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void set(_Atomic uint64_t *number, uint64_t value) {
    atomic_store_explicit(number, value, memory_order_relaxed);
}

static size_t bucket_of(uint64_t ns) {
    if (ns < SUB_BUCKETS)
        return (size_t)ns;
    unsigned shift = 63u - (unsigned)__builtin_clzll(ns) - HISTOGRAM_SUB_BITS;
    size_t bucket = ((size_t)shift + 1) * SUB_BUCKETS + ((ns >> shift) & (SUB_BUCKETS - 1));
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

uint64_t histogram_value(size_t bucket) {
    if (bucket < SUB_BUCKETS)
        return bucket;
    size_t shift = bucket / SUB_BUCKETS - 1;
    uint64_t low = (uint64_t)(SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

void histogram_init(struct histogram *histogram) {
    set(&histogram->total, 0);
    set(&histogram->sum_ns, 0);
    set(&histogram->min_ns, UINT64_MAX);
    set(&histogram->max_ns, 0);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        set(&histogram->counts[i], 0);
}

void histogram_record(struct histogram *histogram, uint64_t ns) {
    size_t bucket = bucket_of(ns);
    set(&histogram->counts[bucket], get(&histogram->counts[bucket]) + 1);
    set(&histogram->total, get(&histogram->total) + 1);
    set(&histogram->sum_ns, get(&histogram->sum_ns) + ns);
    if (ns > get(&histogram->max_ns))
        set(&histogram->max_ns, ns);
    if (ns < get(&histogram->min_ns))
        set(&histogram->min_ns, ns);
}

void histogram_merge(struct histogram *histogram, const struct histogram *from) {
    set(&histogram->total, get(&histogram->total) + get(&from->total));
    set(&histogram->sum_ns, get(&histogram->sum_ns) + get(&from->sum_ns));
    if (get(&from->max_ns) > get(&histogram->max_ns))
        set(&histogram->max_ns, get(&from->max_ns));
    if (get(&from->min_ns) < get(&histogram->min_ns))
        set(&histogram->min_ns, get(&from->min_ns));
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        set(&histogram->counts[i], get(&histogram->counts[i]) + get(&from->counts[i]));
}

void histogram_between(struct histogram *ret_difference, const struct histogram *earlier,
                       const struct histogram *later) {
    uint64_t total = 0;
    histogram_init(ret_difference);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t count = get(&later->counts[i]) - get(&earlier->counts[i]);
        set(&ret_difference->counts[i], count);
        if (count == 0)
            continue;
        if (total == 0)
            set(&ret_difference->min_ns, histogram_value(i));
        set(&ret_difference->max_ns, histogram_value(i));
        total += count;
    }
    set(&ret_difference->total, total);
    set(&ret_difference->sum_ns, get(&later->sum_ns) - get(&earlier->sum_ns));
}

uint64_t histogram_total(const struct histogram *histogram) {
    return get(&histogram->total);
}

uint64_t histogram_min(const struct histogram *histogram) {
    return get(&histogram->total) == 0 ? 0 : get(&histogram->min_ns);
}

uint64_t histogram_max(const struct histogram *histogram) {
    return get(&histogram->max_ns);
}

double histogram_mean(const struct histogram *histogram) {
    uint64_t total = get(&histogram->total);
    return total == 0 ? 0 : (double)get(&histogram->sum_ns) / (double)total;
}

uint64_t histogram_count(const struct histogram *histogram, size_t bucket) {
    return get(&histogram->counts[bucket]);
}

/* The value at that rank, counted from 1. The middle of a bucket may lie outside of what came. */
static uint64_t value_at(const struct histogram *histogram, uint64_t rank) {
    uint64_t seen = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
        seen += get(&histogram->counts[i]);
        if (seen < rank)
            continue;
        uint64_t value = histogram_value(i);
        if (value > get(&histogram->max_ns))
            return get(&histogram->max_ns);
        return value < get(&histogram->min_ns) ? get(&histogram->min_ns) : value;
    }
    return get(&histogram->max_ns);
}

uint64_t histogram_quantile(const struct histogram *histogram, double share) {
    uint64_t total = get(&histogram->total);
    if (total == 0)
        return 0;
    double exact = share * (double)total;
    uint64_t rank = (uint64_t)exact;
    if ((double)rank < exact || rank == 0)
        rank++;
    return rank < total ? value_at(histogram, rank) : get(&histogram->max_ns);
}
