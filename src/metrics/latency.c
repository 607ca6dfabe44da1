/* latency.c - the bounds, and the ends of buckets. */
#include "metrics/latency.h"

const uint64_t latency_bounds[LATENCY_BOUNDS] = {
    50000,    100000,   250000,   500000,    1000000,   2500000,    5000000,
    10000000, 25000000, 50000000, 100000000, 250000000, 1000000000, 5000000000,
};

const struct latency_octave latency_octaves[LATENCY_OCTAVES] = {
#define NONE UINT64_MAX
    {NONE, 0},     {NONE, 0},       {NONE, 0},        {NONE, 0},     {NONE, 0},
    {50000, 0},    {100000, 1},     {250000, 2},      {500000, 3},   {1000000, 4},
    {NONE, 5},     {2500000, 5},    {5000000, 6},     {10000000, 7}, {25000000, 8},
    {50000000, 9}, {100000000, 10}, {250000000, 11},  {NONE, 12},    {1000000000, 12},
    {NONE, 13},    {NONE, 13},      {5000000000, 13}, {NONE, 14},    {NONE, 14},
#undef NONE
};

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
