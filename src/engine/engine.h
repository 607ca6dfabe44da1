/* engine.h - DynamoDB's verbs on a store: open and close, and what the parts share.
 *
 * An engine owns a store, the catalog of tables, and the commit thread by which everything changes.
 * Reads run on the caller's thread (read.h); writes are handed to the commit thread as jobs
 * (write.h, catalog.h). */
#ifndef GRAMME_ENGINE_ENGINE_H
#define GRAMME_ENGINE_ENGINE_H

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "store/store.h"

struct engine;

struct engine_options {
    /* Opened with engine_keyspaces; owned by the engine from here on, also when opening fails. */
    struct store *store;
    enum store_durability durability;
    /* With STORE_RELAXED: how often what was committed is made durable. */
    uint32_t sync_interval_ms;
    const struct clock *clock;
    const struct random *random; /* for the secret of a new database */
    struct slice region;         /* for ARNs; lives as long as the engine */
    struct slice account;
    uint64_t collection_bytes_max; /* 0: the service's 10 GB */
    /* For tests of clients: what touches an item of a transaction that runs at about the same time
     * fails with a conflict, as in the service, though there is no need for it here. */
    bool transaction_conflicts;
};

/* The keyspaces an engine's store is opened with. */
enum engine_keyspace {
    KEYSPACE_CATALOG,
    KEYSPACE_ITEMS,
    KEYSPACE_INDEXES,
    KEYSPACE_CHANGES,
    KEYSPACE_COUNT
};
extern const struct store_keyspace engine_keyspaces[KEYSPACE_COUNT];

struct error *engine_open(struct arena *arena, const struct engine_options *options,
                          struct engine **ret_engine);
/* Finishes what is queued, then stops. engine_close(NULL) is fine. */
void engine_close(struct engine *engine);

/* To be called when the clock was set forward, so that what has its time now is done now. The time
 * is stored, soon. Any thread. */
void engine_time_moved(struct engine *engine);
/* Moves the clock that the engine was opened with, and stores the time before anything is done at
 * it, so that a later run never begins before what this one did, nor before *ret_now_ms. Waits for
 * that; any thread but the engine's own. */
enum clock_moved engine_move_clock(struct engine *engine, struct movable_clock *clock,
                                   const struct clock_move *move, int64_t *ret_now_ms);
/* When the data that was opened was last changed, as far as that was stored; 0: not. */
int64_t engine_last_change_ms(const struct engine *engine);

#endif
