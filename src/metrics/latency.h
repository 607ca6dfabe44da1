/* latency.h - times in buckets that grow with the time.
 *
 * Each power of two of nanoseconds, from about a microsecond to half a minute, is cut in four. The
 * bounds that a page for Prometheus shows (latency_bounds) are cuts, too, so that its buckets are
 * sums of these, exactly; there is at most one of them in a power of two. */
#ifndef GRAMME_METRICS_LATENCY_H
#define GRAMME_METRICS_LATENCY_H

#include <stddef.h>

#include "metrics/counter.h"

enum {
    LATENCY_BOUNDS = 14,
    LATENCY_OCTAVE_MIN = 10, /* 1,024 ns; what is quicker is in the first bucket */
    LATENCY_OCTAVE_MAX = 34, /* up to 34 s; what is slower is in the last one */
    LATENCY_OCTAVES = LATENCY_OCTAVE_MAX - LATENCY_OCTAVE_MIN + 1,
    LATENCY_BUCKETS = LATENCY_OCTAVES * 4 + LATENCY_BOUNDS,
};

/* In nanoseconds, ascending; a time that equals a bound is within it. */
extern const uint64_t latency_bounds[LATENCY_BOUNDS];

struct latency {
    struct spread ns;
    counter buckets[LATENCY_BUCKETS];
};

/* Of a power of two: the bound that it holds, if any, and how many are below it. */
struct latency_octave {
    uint64_t bound; /* UINT64_MAX: none */
    uint64_t below;
};
extern const struct latency_octave latency_octaves[LATENCY_OCTAVES];

/* A bucket's number is that of its quarter of a power of two, plus the bounds that are below the
 * time: where a bound cuts a quarter, the two halves are neighbours. */
static inline size_t latency_bucket(uint64_t ns) {
    unsigned octave = 63 ^ (unsigned)__builtin_clzll(ns | 1), row = octave - LATENCY_OCTAVE_MIN;
    if (__builtin_expect(row >= LATENCY_OCTAVES, 0))
        return octave < LATENCY_OCTAVE_MIN ? 0 : LATENCY_BUCKETS - 1;
    uint64_t quarter = (uint64_t)row * 4 + (ns >> (octave - 2)) - 4;
    return quarter + latency_octaves[row].below + (ns > latency_octaves[row].bound);
}

/* Of a time that the spread holds. */
static inline void latency_add_held(struct latency *latency, uint64_t ns) {
    spread_add_held(&latency->ns, ns);
    counter_add(&latency->buckets[latency_bucket(ns)], 1);
}

static inline void latency_add(struct latency *latency, uint64_t ns) {
    latency_add_held(latency, ns);
    spread_hold(&latency->ns, ns);
}

void latency_merge(struct latency *total, struct latency *from, bool take);

/* The largest time of a bucket; UINT64_MAX for the last one. */
uint64_t latency_bucket_max(size_t bucket);

#endif
