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

#include "base/container.h"
#include "base/deadline.h"
#include "base/log.h"
#include "engine/catalog_change.h"
#include "engine/chores.h"
#include "engine/clock_job.h"
#include "engine/group_run.h"
#include "engine/load.h"
#include "engine/record.h"
#include "engine/state.h"
#include "engine/txn.h"
#include "metrics/meters.h"

static void answer_writes(struct job *jobs, const struct error *error) {
    if (error != NULL)
        log_repeated_error("commit failed: %.*s", SLICE_ARGS(error->message));
    while (jobs != NULL) {
        struct job *next = jobs->next; /* the job is gone after done */
        struct write_job *job = write_job_of(jobs);
        if (error != NULL)
            job->error = error_local(job->arena, "the commit failed");
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
    uint64_t last = sequence_next(&engine->sequence, clock_now_ms(engine->options.clock));
    struct store_txn *txn;
    bool conflict;
    TRY(store_begin(engine->store, arena, STORE_WRITE, &txn));
    sequence_put(txn, last);
    struct error *error = txn_commit(txn, engine->options.durability, &conflict);
    store_end(txn);
    if (error == NULL && !conflict)
        sequence_used(&engine->sequence, last);
    return error;
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

/* ---- the thread ---- */

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

/* What was committed without a sync waits for one. */
struct unsynced {
    bool any;
    struct timespec sync_at;
};

static void sync_when_due(struct engine *engine, struct arena *arena, bool committed, bool stop,
                          struct unsynced *unsynced) {
    if (committed && !unsynced->any && syncs_later(engine)) {
        unsynced->any = true;
        unsynced->sync_at = deadline_after_ms(engine->options.sync_interval_ms);
    }
    if (unsynced->any && (stop || deadline_passed(&unsynced->sync_at))) {
        sync_store(engine, arena);
        unsynced->any = false;
    }
}

static const struct timespec *wait_until(const struct chores *chores,
                                         const struct unsynced *unsynced) {
    const struct timespec *chore = chores_deadline(chores);
    if (!unsynced->any || (chore != NULL && deadline_before(chore, &unsynced->sync_at)))
        return chore;
    return &unsynced->sync_at;
}

static void *commit_main(void *context) {
    struct engine *engine = context;
    struct arena arena;
    struct chores chores;
    struct unsynced unsynced = {.any = false};
    struct commit_taken taken = {.stop = false};
    arena_init(&arena);
    chores_init(&chores);
    while (!taken.stop) {
        taken = commit_queue_take(&engine->queue, wait_until(&chores, &unsynced));
        if (taken.woken)
            keep_time(engine, &arena);
        run_jobs(engine, &arena, taken.jobs);
        bool active = taken.jobs != NULL || taken.woken;
        bool stepped = !taken.stop && chores_run(&chores, engine, &arena, active);
        sync_when_due(engine, &arena, active || stepped, taken.stop, &unsynced);
    }
    arena_release(&arena);
    return NULL;
}

struct error *commit_start(struct engine *engine, struct arena *arena) {
    if (pthread_create(&engine->commit_thread, NULL, commit_main, engine) != 0)
        return error_local(arena, "the commit thread did not start");
    return NULL;
}

void commit_stop(struct engine *engine) {
    commit_queue_stop(&engine->queue);
    pthread_join(engine->commit_thread, NULL);
}
