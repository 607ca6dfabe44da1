/* sequence.h - numbers of changes: increasing in the order of commits, and times at once.
 *
 * A number is a time in ms, shifted, plus a count: the next one is the time now, or the last one
 * plus one when that is larger (the clock stood still or went back). So the changes up to a moment
 * are those below sequence_at() of the ms after it, without an index by time. The last number is
 * stored in the commit that uses it, so that none is used twice. */
#ifndef GRAMME_ENGINE_SEQUENCE_H
#define GRAMME_ENGINE_SEQUENCE_H

#include "engine/engine.h"

enum { SEQUENCE_COUNT_BITS = 20 };
_Static_assert(CLOCK_MAX_MS < INT64_MAX >> SEQUENCE_COUNT_BITS, "some are stored as int64_t");

/* The first number of a ms. */
static inline uint64_t sequence_at(int64_t ms) {
    return (uint64_t)ms << SEQUENCE_COUNT_BITS;
}

static inline int64_t sequence_ms(uint64_t sequence) {
    return (int64_t)(sequence >> SEQUENCE_COUNT_BITS);
}

/* The rest is for the commit thread. */

struct error *sequence_load(struct engine *engine, struct arena *arena, struct store_txn *txn);
/* The number that comes next at that time. */
uint64_t sequence_next(const struct engine *engine, int64_t now_ms);
/* Stores the last number that the transaction uses. */
void sequence_put(struct store_txn *txn, uint64_t last);
/* The transaction is committed. */
void sequence_used(struct engine *engine, uint64_t last);
/* Stores the time without a change, as the number that it starts with. */
struct error *sequence_keep_time(struct engine *engine, struct arena *arena);

#endif
