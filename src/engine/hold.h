/* hold.h - writing where others write, too (store.h, rule 12; ADR 22). Private to this folder;
 * commit thread.
 *
 * What the engine has in memory of a group of keys is true until another server commits in it. Who
 * holds groups is told whether that has happened, and reads again what is stale before anything is
 * decided by it. Where the store has one group nothing of this costs anything. */
#ifndef GRAMME_ENGINE_HOLD_H
#define GRAMME_ENGINE_HOLD_H

#include "model/table.h"
#include "store/store.h"

struct engine;

/* Whether other servers may write. */
static inline bool hold_is_needed(const struct store *store) {
    return __builtin_expect(store->groups > 1, 0);
}

/* The groups that a write of an item has, a bit each: its own, and all that the shard of its stream
 * lies in, so that numbers increase within a shard. A stream that was made in this store has shards
 * that lie in one group; one that came from another (gramme copy-store) may not. */
uint64_t hold_groups_of(const struct store *store, const struct table_definition *table,
                        struct slice key);

/* A write transaction that has all groups, held: of everything but writes of items. */
struct error *hold_begin(struct engine *engine, struct arena *arena, struct store_txn **ret_txn);
/* Holds the groups of a transaction. */
struct error *hold_groups(struct engine *engine, struct store_txn *txn);
/* Makes sure that everything that was committed so far is known. */
struct error *hold_catch_up(struct engine *engine, struct arena *arena);

#endif
