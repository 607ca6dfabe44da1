/* counter.h - a number that one thread writes and any thread reads.
 *
 * The writer loads and stores, which is cheaper than adding in one step and as good, since nobody
 * else writes. Counters only grow. The extremes of a spread are the exception: a reader may take
 * them, so that the next ones are those of the time after that; an extreme that falls between its
 * load and its store may be lost then, and whoever takes them is ready for a spread that has
 * samples and no extremes. */
#ifndef GRAMME_METRICS_COUNTER_H
#define GRAMME_METRICS_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint64_t counter;

static inline uint64_t counter_read(const counter *c) {
    return atomic_load_explicit(c, memory_order_relaxed);
}

static inline void counter_set(counter *c, uint64_t value) {
    atomic_store_explicit(c, value, memory_order_relaxed);
}

static inline void counter_add(counter *c, uint64_t more) {
    counter_set(c, counter_read(c) + more);
}

/* Samples, without each of them. */
struct spread {
    counter sum;
    counter count;
    counter min_plus; /* the smallest, plus one; 0: none was seen since they were taken */
    counter max_plus; /* the largest, likewise */
};

void spread_widen(struct spread *spread, uint64_t min_plus, uint64_t max_plus);

/* Whether a sample lies between the extremes, as nearly every one does: one comparison tells. */
static inline bool spread_holds(const struct spread *spread, uint64_t sample) {
    uint64_t min_plus = counter_read(&spread->min_plus);
    return __builtin_expect(sample + 1 - min_plus <= counter_read(&spread->max_plus) - min_plus, 1);
}

/* Of a sample that the spread holds. */
static inline void spread_add_held(struct spread *spread, uint64_t sample) {
    counter_add(&spread->sum, sample);
    counter_add(&spread->count, 1);
}

static inline void spread_hold(struct spread *spread, uint64_t sample) {
    if (!spread_holds(spread, sample))
        spread_widen(spread, sample + 1, sample + 1);
}

static inline void spread_add(struct spread *spread, uint64_t sample) {
    spread_add_held(spread, sample);
    spread_hold(spread, sample);
}

/* Adds `from` to a total. `take`: its extremes begin anew. */
void spread_merge(struct spread *total, struct spread *from, bool take);

#endif
