/* state.h - what the engine's files share. Private to this folder. */
#ifndef GRAMME_ENGINE_STATE_H
#define GRAMME_ENGINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "codec/key.h"
#include "engine/catalog.h"
#include "engine/engine.h"
#include "engine/write.h"

/* An immutable list of tables, sorted by name. */
struct catalog {
    atomic_uint references;
    size_t count;
    struct table *tables[];
};

struct engine {
    struct engine_options options;
    struct store *store;
    struct key_codec keys;
    uint32_t next_id;    /* of tables and indexes; commit thread only */
    bool index_creating; /* some index is being filled; commit thread only */
    /* Commit thread only: when the first request token that is known ends, and when to try again
     * after an error. */
    int64_t tokens_end_ms;
    int64_t tokens_retry_ms;

    pthread_mutex_t catalog_lock; /* guards the pointer, not the list */
    struct catalog *catalog;
    atomic_uint_fast64_t catalog_generation;

    pthread_t commit_thread;
    pthread_mutex_t queue_lock;
    pthread_cond_t queue_filled;
    struct job *queue_head;
    struct job *queue_tail;
    bool stopping;
};

/* catalog.c */
struct error *catalog_load(struct engine *engine, struct arena *arena, struct store_txn *txn);
void catalog_clear(struct engine *engine);
/* A table whose definition is read from its stored form, so that it lives in its own arena.
 * `before` is the version that it replaces, or NULL. */
struct error *catalog_table_new(struct arena *arena, struct slice stored,
                                const struct table *before, struct table **ret_table);
/* Makes the table the one of its name. Takes over the reference. */
void catalog_publish(struct engine *engine, struct table *table);
/* Runs one change in a transaction of its own; commit thread. */
void catalog_run(struct engine *engine, struct catalog_job *job);

/* format.c: the record that makes a store a gramme database. */
struct error *format_load_or_create(struct engine *engine, struct arena *arena);
void format_store_next_id(struct engine *engine, struct store_txn *txn);

/* commit.c */
struct error *commit_start(struct engine *engine, struct arena *arena);
void commit_stop(struct engine *engine);

/* Commits. A conflict means that nothing happened: the caller runs its transaction again, a few
 * times at most. */
enum { COMMIT_ATTEMPTS_MAX = 10 };
struct error *engine_commit(struct engine *engine, struct store_txn *txn, bool *ret_conflict);
struct error *engine_too_many_conflicts(struct arena *arena);

/* catalog_records.c: keys and values of the catalog's keyspace. */
struct store_key catalog_table_key(struct arena *arena, struct slice name);
struct store_key catalog_stats_key(struct arena *arena, uint32_t table_id);
struct slice catalog_stats_encode(struct arena *arena, int64_t item_count, int64_t size_bytes);
struct error *catalog_stats_decode(struct arena *arena, struct slice bytes, int64_t *ret_item_count,
                                   int64_t *ret_size_bytes);

#endif
