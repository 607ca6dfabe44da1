/* latency.c - which bucket a time is in.
 *
 * A bucket's number is that of its quarter of a power of two, plus the bounds that are below the
 * time: where a bound cuts a quarter, the two halves are neighbours. */
#include "metrics/latency.h"

const uint64_t latency_bounds[LATENCY_BOUNDS] = {
    50000,    100000,   250000,   500000,    1000000,   2500000,    5000000,
    10000000, 25000000, 50000000, 100000000, 250000000, 1000000000, 5000000000,
};

/* How many bounds are below a power of two. */
static const uint8_t bounds_below[LATENCY_OCTAVES + 1] = {
    0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 12, 13, 13, 13, 14, 14, 14,
};

static unsigned octave_of(uint64_t ns) {
    return 63 - (unsigned)__builtin_clzll(ns);
}

static size_t bucket_of(uint64_t ns) {
    if (ns >> LATENCY_OCTAVE_MIN == 0)
        return 0;
    if (ns >> (LATENCY_OCTAVE_MAX + 1) != 0)
        return LATENCY_BUCKETS - 1;
    unsigned octave = octave_of(ns), row = octave - LATENCY_OCTAVE_MIN;
    size_t quarter = row * 4 + ((ns >> (octave - 2)) & 3);
    size_t below = bounds_below[row];
    if (below < bounds_below[row + 1] && ns > latency_bounds[below])
        below++;
    return quarter + below;
}

void latency_add(struct latency *latency, uint64_t ns) {
    spread_add(&latency->ns, ns);
    counter_add(&latency->buckets[bucket_of(ns)], 1);
}

void latency_merge(struct latency *total, struct latency *from, bool take) {
    spread_merge(&total->ns, &from->ns, take);
    for (size_t i = 0; i < LATENCY_BUCKETS; i++)
        counter_add(&total->buckets[i], counter_read(&from->buckets[i]));
}

uint64_t latency_bucket_max(size_t bucket) {
    size_t quarter = 0, below = 0;
    if (bucket >= LATENCY_BUCKETS - 1)
        return UINT64_MAX;
    for (;; quarter++) {
        unsigned octave = LATENCY_OCTAVE_MIN + (unsigned)(quarter / 4);
        uint64_t end = (UINT64_C(4) + quarter % 4 + 1) << (octave - 2);
        if (below < LATENCY_BOUNDS && latency_bounds[below] < end - 1) {
            if (bucket == quarter + below)
                return latency_bounds[below];
            below++;
        }
        if (bucket == quarter + below)
            return end - 1;
    }
}
