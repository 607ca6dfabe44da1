/* hold.c - see hold.h. */
#include "engine/hold.h"

#include "codec/key.h"
#include "engine/load.h"
#include "engine/state.h"

/* ---- which groups ---- */

/* The first rank of a shard, and the last. */
static uint32_t rank_of_shard(uint64_t shard, uint64_t shards) {
    return (uint32_t)(((shard << 32) + shards - 1) / shards);
}

static uint32_t last_rank_of_shard(uint64_t shard, uint64_t shards) {
    return shard + 1 == shards ? UINT32_MAX : rank_of_shard(shard + 1, shards) - 1;
}

uint64_t hold_groups_of(const struct store *store, const struct table_definition *table,
                        struct slice key) {
    uint32_t groups = store->groups, rank = key_hash_rank(key);
    uint32_t shards = (uint32_t)table->stream_shards;
    if (table->stream == STREAM_OFF || shards % groups == 0)
        return UINT64_C(1) << key_hash_part(rank, groups);
    uint32_t shard = key_hash_part(rank, shards);
    uint32_t first = key_hash_part(rank_of_shard(shard, shards), groups);
    uint32_t last = key_hash_part(last_rank_of_shard(shard, shards), groups);
    return (UINT64_C(2) << last) - (UINT64_C(1) << first);
}

/* ---- holding ---- */

/* Of who leads the catalog is its own; others may have found new numbers, and written items. */
static struct error *catch_up(struct engine *engine, struct arena *arena, enum store_held held) {
    struct store_txn *txn;
    if (engine->options.joins && held == STORE_HELD_ALL_MOVED)
        return engine_load(engine, arena);
    TRY(store_begin(engine->store, arena, STORE_READ, &txn));
    struct error *error = sequence_load(&engine->sequence, arena, txn);
    store_end(txn);
    recent_forget(&engine->recent);
    return error;
}

/* What could not be read again is stale until it is. */
struct error *hold_groups(struct engine *engine, struct store_txn *txn) {
    enum store_held held;
    TRY(store_hold(txn, &held));
    if (engine->stale)
        held = STORE_HELD_ALL_MOVED;
    if (held == STORE_HELD_SAME)
        return NULL;
    engine->stale = true;
    TRY(catch_up(engine, txn->arena, held));
    engine->stale = false;
    return NULL;
}

struct error *hold_begin(struct engine *engine, struct arena *arena, struct store_txn **ret_txn) {
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_WRITE, &txn));
    struct error *error = hold_is_needed(engine->store) ? hold_groups(engine, txn) : NULL;
    if (error != NULL) {
        store_end(txn);
        return error;
    }
    *ret_txn = txn;
    return NULL;
}

struct error *hold_catch_up(struct engine *engine, struct arena *arena) {
    struct store_txn *txn;
    if (!hold_is_needed(engine->store))
        return NULL;
    TRY(hold_begin(engine, arena, &txn));
    store_end(txn);
    return NULL;
}
