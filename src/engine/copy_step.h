/* copy_step.h - one step of a copy (copy.h). Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_COPY_STEP_H
#define GRAMME_ENGINE_COPY_STEP_H

#include "codec/backup.h"
#include "codec/copy.h"
#include "engine/state.h"

/* A step while it is made, and what came of it. */
struct copy_run {
    struct engine *engine;
    struct arena *arena;
    struct copy_state state; /* after the step */
    int64_t items_before;
    bool finished;
    struct table *table;         /* the target, borrowed; NULL: it is a backup */
    struct table_count *entries; /* that the step has made, one per index of the table */
    struct backup backup;        /* that is taken */
    struct table *finished_with; /* the table as it is when it is finished; owned */
};

/* Commits the step. On an error nothing has changed. */
struct error *copy_run_step(struct engine *engine, struct arena *arena,
                            const struct copy_state *state, struct copy_run *ret_run);
/* After it was committed: shows what came of it. */
void copy_run_publish(struct copy_run *run);

/* Drops what only a copy kept of its source's history; for the transaction that ends it. */
void copy_release_source(struct engine *engine, struct arena *arena, struct store_txn *txn,
                         const struct copy_state *state);

#endif
