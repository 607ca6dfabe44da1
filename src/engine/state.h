/* state.h - what the engine's files share. Private to this folder. */
#ifndef GRAMME_ENGINE_STATE_H
#define GRAMME_ENGINE_STATE_H

#include <pthread.h>

#include "engine/backfill_keeper.h"
#include "engine/catalog.h"
#include "engine/catalog_job.h"
#include "engine/commit_queue.h"
#include "engine/format.h"
#include "engine/keyspace.h"
#include "engine/options.h"
#include "engine/reclaim.h"
#include "engine/sequence.h"
#include "engine/sweeper.h"
#include "engine/token_keeper.h"
#include "engine/write.h"

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
    struct format_record format;
    struct sequence sequence;
    struct token_keeper tokens;
    struct backfill_keeper filling;
    struct sweeper sweeper;
    /* Commit thread only: streams that have something coming (stream_keep.c). */
    struct stream_keeper streams;
    /* Commit thread only. */
    struct copy *copies;       /* under way (copy.h) */
    int64_t backups_expire_ms; /* when the first of them does */
    struct reclaims reclaims;
    int64_t time_at_open_ms; /* of the last number then */

    struct catalog catalog;

    pthread_t commit_thread;
    struct commit_queue queue;
};

/* catalog_change.c: runs one change in a transaction of its own; commit thread. */
void catalog_run(struct engine *engine, struct catalog_job *job);

/* commit.c */
struct error *commit_start(struct engine *engine, struct arena *arena);
void commit_stop(struct engine *engine);
/* Runs a job of the commit thread's own as a group by itself; `done` is not called. */
struct error *commit_writes(struct engine *engine, struct arena *arena, struct write_job *job,
                            enum store_durability durability);

#endif
