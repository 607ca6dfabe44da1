/* pinned.h - a store on a standby: it has what the server that takes the writes had a moment ago.
 *
 * Which bytes are read, and what they mean, follows from what the caller knows of the watched keys
 * (store_changes). So reads of such a store are pinned to a number of changes: every statement asks
 * for it in its own snapshot, and is refused where the standby has another one, be it that it has
 * yet to hear of a change, or that the caller has. */
#ifndef GRAMME_STORE_POSTGRES_PINNED_H
#define GRAMME_STORE_POSTGRES_PINNED_H

#include "store/store.h"

/* Of a store that was opened with `standby`: reads are of this number from now on. Any thread. */
void postgres_pin(struct store *store, uint64_t number);

struct postgres_position {
    uint64_t log;     /* how far the server is in the log of all that was ever written */
    uint64_t changes; /* as store_changes() tells */
};

/* Of any store, also one that takes the writes. Any thread. */
struct error *postgres_position(struct store *store, struct arena *arena,
                                struct postgres_position *ret_position);

#endif
