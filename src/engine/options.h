/* options.h - what an engine is opened with. */
#ifndef GRAMME_ENGINE_OPTIONS_H
#define GRAMME_ENGINE_OPTIONS_H

#include "base/clock.h"
#include "base/random.h"
#include "store/store.h"

struct eventual;
struct meter_thread;
struct throttle;

struct engine_options {
    /* Opened with engine_keyspaces; owned by the engine from here on, also when opening fails. */
    struct store *store;
    enum store_durability durability;
    /* With STORE_RELAXED: how often what was committed is made durable. */
    uint32_t sync_interval_ms;
    const struct clock *clock;
    const struct random *random;   /* for the secret of a new database */
    int64_t ttl_delay_ms;          /* how long items are kept after they expire */
    uint64_t collection_bytes_max; /* 0: the service's 10 GB */
    /* For tests of clients: what touches an item of a transaction that runs at about the same time
     * fails with a conflict, as in the service, though there is no need for it here. */
    bool transaction_conflicts;
    unsigned leniencies; /* base/leniency.h */
    /* What limits the use of tables, as the service does; NULL: nothing. Not the engine's. */
    struct throttle *throttle;
    /* The store keeps data on a disk as it is: a table that asks for encryption gets none, which is
     * said in the log. */
    bool plain_files;
    struct meter_thread *meters; /* of the commit thread (metrics/meters.h); NULL: none */
    /* Another server leads the store: this engine only reads. It has no commit thread, and nothing
     * may be submitted; engine_look_again() tells it what the other has changed. */
    bool follows;
    /* Another server leads the store, which has groups of keys, and this engine writes items in
     * some of them, as one of the store's writers (hold.h). Nothing but writes of items may be
     * submitted, and no transaction with a token. */
    bool joins;
    /* For reads that need not be consistent (engine/eventual.h), on the same data; NULL: there is
     * none. Not the engine's. */
    struct eventual *eventual;
    /* For tests that say what happens when: there is no commit thread, and what it would do is done
     * by engine_step(). Nothing may wait for a job then, as engine_reload() does. */
    bool stepped;
};

#endif
