/* sequence.h - numbers of changes (codec/sequence.h): increasing in the order of commits, and times
 * at once. The next one is the time now, or the last one plus one when that is larger (the clock
 * stood still or went back). The last number is stored in the commit that uses it, so that none is
 * used twice.
 *
 * Where several servers write (hold.h), each takes its own of every STORE_WRITERS_MAX numbers, and
 * stores its own last one; who writes after another in a group of keys has read all of them.
 * Private to this folder. */
#ifndef GRAMME_ENGINE_SEQUENCE_H
#define GRAMME_ENGINE_SEQUENCE_H

#include <stdatomic.h>

#include "codec/sequence.h"
#include "store/store.h"

struct sequence {
    /* Of what was committed. The commit thread writes it; streams are read by it on any thread. */
    atomic_uint_fast64_t last;
    /* Where several write: no number up to this is used any more, by whichever of them. */
    atomic_uint_fast64_t closed;
};

/* The rest is for the commit thread. */

/* Reads the last number, whatever was known; but it never goes back, since whoever read by a number
 * may rely on what it said. */
struct error *sequence_load(struct sequence *sequence, struct arena *arena, struct store_txn *txn);
/* The number that comes next at that time, of a writer to that store, and the one behind it. */
uint64_t sequence_next(const struct sequence *sequence, const struct store *store, int64_t now_ms);
static inline uint64_t sequence_after(uint64_t number, const struct store *store) {
    return number + (store->groups > 1 ? STORE_WRITERS_MAX : 1);
}
/* Stores the last number that the transaction uses. */
void sequence_put(struct store_txn *txn, uint64_t last);
/* The transaction is committed. */
static inline void sequence_used(struct sequence *sequence, uint64_t last) {
    atomic_store(&sequence->last, last);
}
/* Likewise, and it had all groups of keys: whatever comes is after it. */
static inline void sequence_close(struct sequence *sequence, uint64_t last) {
    sequence_used(sequence, last);
    atomic_store(&sequence->closed, last);
}

#endif
