/* state.h - what the engine's files share. Private to this folder. */
#ifndef GRAMME_ENGINE_STATE_H
#define GRAMME_ENGINE_STATE_H

#include <pthread.h>

#include "engine/backfill_keeper.h"
#include "engine/backup_keeper.h"
#include "engine/catalog.h"
#include "engine/catalog_job.h"
#include "engine/commit_queue.h"
#include "engine/copy.h"
#include "engine/format.h"
#include "engine/keyspace.h"
#include "engine/options.h"
#include "engine/reclaim.h"
#include "engine/sequence.h"
#include "engine/stream_keeper.h"
#include "engine/sweeper.h"
#include "engine/token_keeper.h"
#include "engine/write.h"

struct engine {
    struct engine_options options;
    struct store *store;
    struct format_record format;
    struct sequence sequence;
    struct catalog catalog;
    struct copies copies;
    struct token_keeper tokens;
    struct backup_keeper backups;
    struct stream_keeper streams;
    struct backfill_keeper filling;
    struct sweeper sweeper;
    struct reclaims reclaims;
    struct commit_queue queue;
    pthread_t commit_thread;
    int64_t time_at_open_ms; /* of the last number then */
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
