/* commit.c - the commit thread.
 *
 * It takes everything that waits, runs it one after another in one store transaction, commits once,
 * and answers all. While a commit is being synced the next group gathers, so the number of syncs
 * does not grow with the number of clients. A change of the catalog is a group of its own.
 *
 * Between groups the thread does its chores (chores.h), and with STORE_RELAXED it makes what was
 * committed durable every sync_interval_ms.
 * Memory: one arena per group; a job's results are in the job's arena. */
#include "engine/commit.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "base/deadline.h"
#include "base/log.h"
#include "engine/ahead.h"
#include "engine/catalog_change.h"
#include "engine/chores.h"
#include "engine/clock_job.h"
#include "engine/group_run.h"
#include "engine/hold.h"
#include "engine/load.h"
#include "engine/record.h"
#include "engine/state.h"
#include "engine/txn.h"
#include "metrics/meters.h"

/* What is kept from one turn to the next. */
struct committer {
    struct arena arena; /* of a group */
    struct chores chores;
    bool unsynced; /* what was committed without a sync waits for one */
    struct timespec sync_at;
};

static const struct timespec at_once = {0, 0};

static void answer_writes(struct job *jobs, const struct error *error) {
    if (error != NULL)
        log_repeated_error("commit failed: %.*s", SLICE_ARGS(error->message));
    while (jobs != NULL) {
        struct job *next = jobs->next; /* the job is gone after done */
        struct write_job *job = write_job_of(jobs);
        if (error != NULL)
            job->error = error_local(job->arena, "the commit failed");
        ahead_end(job);
        job->done(job);
        jobs = next;
    }
}

static void run_catalog_job(struct engine *engine, struct job *first) {
    struct catalog_job *job = container_of(first, struct catalog_job, job);
    catalog_run(engine, job);
    job->done(job);
}

/* A later run must not be before a time at which this one did something: it is stored first, as the
 * number that it starts with. */
static struct error *store_time(struct engine *engine, struct arena *arena) {
    uint64_t last =
        sequence_next(&engine->sequence, engine->store, clock_now_ms(engine->options.clock));
    struct store_txn *txn;
    bool conflict;
    TRY(hold_begin(engine, arena, &txn));
    sequence_put(txn, last);
    struct error *error = txn_commit(txn, engine->options.durability, &conflict);
    store_end(txn);
    if (error == NULL && !conflict)
        sequence_close(&engine->sequence, last);
    return error;
}

struct error *commit_keep_time(struct engine *engine, struct arena *arena) {
    TRY(store_time(engine, arena));
    return atomic_load(&engine->sequence.closed) != 0
               ? NULL
               : error_local(arena, "the time could not be stored");
}

static void keep_time(struct engine *engine, struct arena *arena) {
    struct error *error = store_time(engine, arena);
    if (error != NULL)
        log_error("storing the time failed: %.*s", SLICE_ARGS(error->message));
    arena_reset(arena);
}

/* The job is gone once it is done. */
static void run_clock_job(struct engine *engine, struct arena *arena, struct job *first) {
    struct clock_job *job = container_of(first, struct clock_job, waited.job);
    job->outcome = movable_clock_move(job->clock, job->move);
    job->now_ms = clock_now_ms(&job->clock->clock);
    if (job->outcome == CLOCK_MOVED)
        keep_time(engine, arena);
    commit_queue_finish(&engine->queue, &job->waited);
}

/* The arena is that of who waits, and the job too is gone once it is done. */
static void run_load_job(struct engine *engine, struct job *first) {
    struct load_job *job = container_of(first, struct load_job, waited.job);
    job->error = engine_load(engine, job->arena);
    commit_queue_finish(&engine->queue, &job->waited);
}

static void run_record_job(struct engine *engine, struct job *first) {
    struct record_job *job = container_of(first, struct record_job, waited.job);
    job->error = record_run(engine->store, job);
    commit_queue_finish(&engine->queue, &job->waited);
}

static void run_other_job(struct engine *engine, struct arena *arena, struct job *job) {
    if (job->kind == JOB_CATALOG)
        run_catalog_job(engine, job);
    else if (job->kind == JOB_CLOCK)
        run_clock_job(engine, arena, job);
    else if (job->kind == JOB_LOAD)
        run_load_job(engine, job);
    else
        run_record_job(engine, job);
}

static void run_jobs(struct engine *engine, struct arena *arena, struct job *jobs) {
    while (jobs != NULL) {
        if (jobs->kind != JOB_WRITE) {
            struct job *first = jobs;
            jobs = jobs->next;
            run_other_job(engine, arena, first);
            continue;
        }
        size_t writes;
        struct job *group = group_take(&jobs, &writes);
        answer_writes(group, group_run(engine, arena, group, writes, engine->options.durability));
        arena_reset(arena);
    }
}

/* ---- turns, and the thread that takes them ---- */

static bool syncs_later(const struct engine *engine) {
    return engine->options.durability == STORE_RELAXED &&
           store_can(engine->store, STORE_PERSISTENT);
}

static void sync_store(struct engine *engine, struct arena *arena) {
    uint64_t began_ns = monotonic_ns();
    struct error *error = store_sync(engine->store, arena);
    if (engine->options.meters != NULL)
        latency_add(&meter_commit(engine->options.meters)->syncs, monotonic_ns() - began_ns);
    if (error != NULL)
        log_error("sync failed: %.*s", SLICE_ARGS(error->message));
    arena_reset(arena);
}

static void sync_when_due(struct engine *engine, struct committer *committer, bool committed,
                          bool stop) {
    if (committed && !committer->unsynced && syncs_later(engine)) {
        committer->unsynced = true;
        committer->sync_at = deadline_after_ms(engine->options.sync_interval_ms);
    }
    if (committer->unsynced && (stop || deadline_passed(&committer->sync_at))) {
        sync_store(engine, &committer->arena);
        committer->unsynced = false;
    }
}

/* Chores are of who leads. */
static const struct timespec *wait_until(const struct engine *engine) {
    const struct committer *committer = engine->committer;
    const struct timespec *chore =
        engine->options.joins ? NULL : chores_deadline(&committer->chores);
    if (!committer->unsynced || (chore != NULL && deadline_before(chore, &committer->sync_at)))
        return chore;
    return &committer->sync_at;
}

/* False: that was the last one. */
static bool take_turn(struct engine *engine, const struct timespec *deadline) {
    struct committer *committer = engine->committer;
    struct commit_taken taken = commit_queue_take(&engine->queue, deadline);
    if (taken.woken)
        keep_time(engine, &committer->arena);
    run_jobs(engine, &committer->arena, taken.jobs);
    bool active = taken.jobs != NULL || taken.woken;
    bool stepped = !taken.stop && !engine->options.joins &&
                   chores_run(&committer->chores, engine, &committer->arena, active);
    sync_when_due(engine, committer, active || stepped, taken.stop);
    return !taken.stop;
}

static void *commit_main(void *context) {
    struct engine *engine = context;
    while (take_turn(engine, wait_until(engine)))
        ;
    return NULL;
}

static void committer_free(struct committer *committer) {
    arena_release(&committer->arena);
    free(committer);
}

struct error *commit_start(struct engine *engine, struct arena *arena) {
    engine->committer = calloc(1, sizeof(*engine->committer));
    CHECK(engine->committer != NULL);
    arena_init(&engine->committer->arena);
    chores_init(&engine->committer->chores);
    if (engine->options.stepped ||
        pthread_create(&engine->commit_thread, NULL, commit_main, engine) == 0)
        return NULL;
    committer_free(engine->committer);
    return error_local(arena, "the commit thread did not start");
}

void commit_step(struct engine *engine) {
    CHECK(engine->options.stepped);
    take_turn(engine, &at_once);
}

void commit_stop(struct engine *engine) {
    commit_queue_stop(&engine->queue);
    if (engine->options.stepped)
        while (take_turn(engine, &at_once))
            ;
    else
        pthread_join(engine->commit_thread, NULL);
    committer_free(engine->committer);
}
