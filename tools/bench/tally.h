/* tally.h - what came of the requests: latencies and errors, by kind of request.
 *
 * Each worker has its own and is the only one to write it. The histograms and the atomic counters
 * may be read meanwhile; names and texts when the worker has ended. */
#ifndef GRAMME_BENCH_TALLY_H
#define GRAMME_BENCH_TALLY_H

#include "base/slice.h"
#include "bench/histogram.h"
#include "bench/workload.h"

enum { TALLY_TYPES_MAX = 32, TALLY_TYPE_CHARS = 64, TALLY_TEXT_CHARS = 512 };

struct kind_tally {
    struct histogram latency; /* of replies with status 200 */
    _Atomic uint64_t errors;
    _Atomic uint64_t misses;      /* GetItem of an item that is not there */
    _Atomic uint64_t unprocessed; /* replies of batches that left something undone */
};

struct tally_type {
    char name[TALLY_TYPE_CHARS]; /* ProvisionedThroughputExceededException, "connection lost" */
    uint64_t count;
};

struct tally {
    struct kind_tally kinds[WORKLOAD_KINDS_MAX];
    _Atomic uint64_t errors; /* of all kinds, and attempts to connect that failed */
    _Atomic uint64_t warmup; /* requests before the measurement began */
    uint64_t behind;         /* requests that were due and never sent */
    struct tally_type types[TALLY_TYPES_MAX]; /* the last one stands for all further ones */
    size_t type_count;
    uint64_t first_error_ns;
    char first_error[TALLY_TEXT_CHARS]; /* also from the warm-up; empty: there was none */
};

void tally_init(struct tally *tally);

struct tally_error {
    int kind; /* -1: none, the connection could not be made */
    struct slice type;
    struct slice text;
    uint64_t now_ns;
    bool counts; /* false during the warm-up: only the text is kept */
};
void tally_error(struct tally *tally, const struct tally_error *error);

static inline void tally_add(_Atomic uint64_t *counter, uint64_t n) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline uint64_t tally_get(const _Atomic uint64_t *counter) {
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Adds another one, whose worker has ended. */
void tally_merge(struct tally *tally, const struct tally *from);
/* Replies of all kinds so far. */
uint64_t tally_replies(const struct tally *tally);

#endif
