/* state.h - what the engine's files share. Private to this folder. */
#ifndef GRAMME_ENGINE_STATE_H
#define GRAMME_ENGINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/crowd.h"
#include "codec/catalog_keys.h"
#include "engine/catalog.h"
#include "engine/commit_queue.h"
#include "engine/engine.h"
#include "engine/write.h"

/* An immutable list of tables, sorted by name. */
struct catalog {
    atomic_uint references;
    size_t count;
    struct table *tables[];
};

/* When streams need to be looked at, and how far a look has come that takes several steps. */
struct stream_keeper {
    int64_t due_ms;      /* INT64_MAX: there are no streams */
    int64_t next_due_ms; /* of what the present look has seen so far */
    bool changed;        /* a stream came or ended meanwhile */
    struct slice cursor; /* the key of the last one that was looked at; absent: none */
    uint8_t cursor_bytes[STREAM_DEFINITION_KEY_MAX];
};

struct engine {
    struct engine_options options;
    struct store *store;
    struct key_codec keys;
    uint32_t next_id;   /* of tables and indexes; commit thread only */
    bool filling;       /* some index or range of expiries is being filled; commit thread only */
    struct {            /* what the sweeper knows (sweep.h); commit thread only */
        bool any;       /* some table has a TTL attribute */
        uint64_t first; /* no item expires before this second; 0: not known */
        size_t turn;    /* the table to look at next */
        struct crowd crowd;
        struct timespec sync_at; /* the step after that is durable */
        struct timespec log_at;  /* before that nothing is logged */
    } sweep;
    /* Commit thread only: when the first request token that is known ends. */
    int64_t tokens_end_ms;
    /* Of what was committed (sequence.h). The commit thread writes it; streams are read by it. */
    atomic_uint_fast64_t last_sequence;
    /* Commit thread only: streams that have something coming (stream_keep.c). */
    struct stream_keeper streams;
    /* Commit thread only. */
    struct copy *copies;       /* under way (copy.h) */
    int64_t backups_expire_ms; /* when the first of them does */
    struct reclaim *reclaims;  /* room to be given back (reclaim.h) */
    size_t reclaim_count;
    int64_t opened_at_ms; /* the time of the last number when the engine was opened */

    pthread_mutex_t catalog_lock; /* guards the pointer, not the list */
    struct catalog *catalog;
    atomic_uint_fast64_t catalog_generation;

    pthread_t commit_thread;
    struct commit_queue queue;
};

/* catalog.c */
struct error *catalog_load(struct engine *engine, struct arena *arena, struct store_txn *txn);
void catalog_clear(struct engine *engine);
/* A table whose definition is read from its stored form, so that it lives in its own arena.
 * `before` is the version that it replaces, or NULL. */
struct error *catalog_table_new(struct arena *arena, struct slice stored,
                                const struct table *before, struct table **ret_table);
/* The table with that id as it is now, borrowed; NULL: none. Commit thread. */
struct table *catalog_current_by_id(const struct engine *engine, uint32_t id);
/* Makes the table the one of its name. Takes over the reference. */
void catalog_publish(struct engine *engine, struct table *table);
/* Takes a table that was deleted out of the list. */
void catalog_withdraw(struct engine *engine, struct table *table);

/* catalog_change.c: runs one change in a transaction of its own; commit thread. */
void catalog_run(struct engine *engine, struct catalog_job *job);

/* format.c: the record that makes a store a gramme database. */
struct error *format_load_or_create(struct engine *engine, struct arena *arena);
void format_store_next_id(struct engine *engine, struct store_txn *txn);

/* commit.c */
struct error *commit_start(struct engine *engine, struct arena *arena);
void commit_stop(struct engine *engine);
/* Runs a job of the commit thread's own as a group by itself; `done` is not called. */
struct error *commit_writes(struct engine *engine, struct arena *arena, struct write_job *job,
                            enum store_durability durability);

#endif
