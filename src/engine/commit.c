/* commit.c - the commit thread.
 *
 * It takes everything that waits, runs it one after another in one store transaction, commits once,
 * and answers all. While a commit is being synced the next group gathers, so the number of syncs
 * does not grow with the number of clients. A change of the catalog is a group of its own.
 *
 * Between groups the thread does its chores (chores.h), and with STORE_RELAXED it makes what was
 * committed durable every sync_interval_ms.
 * Memory: one arena per group; a job's results are in the job's arena. */
#include "base/container.h"
#include "base/deadline.h"
#include "base/log.h"
#include "engine/chores.h"
#include "engine/clock_job.h"
#include "engine/item_write.h"
#include "engine/sequence.h"
#include "engine/state.h"
#include "engine/transaction.h"
#include "engine/txn.h"

/* A group ends at this many items or bytes, so that its memory and the wait of its first request
 * are bounded. */
enum {
    GROUP_WRITES_MAX = 4096,
    GROUP_BYTES_MAX = 16 * 1024 * 1024,
    UPDATE_BYTES_ASSUMED = 32 * 1024,
};

void engine_submit_writes(struct engine *engine, struct write_job *job) {
    job->job.kind = JOB_WRITE;
    commit_queue_put(&engine->queue, &job->job);
}

void engine_submit_catalog(struct engine *engine, struct catalog_job *job) {
    job->job.kind = JOB_CATALOG;
    commit_queue_put(&engine->queue, &job->job);
}

/* ---- a group of writes ---- */

static struct write_job *as_write(struct job *job) {
    return container_of(job, struct write_job, job);
}

/* What a job's items will take, as far as that is known before it runs: what is there now, which is
 * read and may be recorded, counts as an average item of its table, what an update makes as a
 * fairly large one. */
static size_t job_bytes(const struct write_job *job) {
    size_t bytes = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct item_write *write = &job->writes[i];
        bytes += write->store_key.len + write->stored.len;
        if (write->refused == NULL)
            bytes += (size_t)table_average_bytes(write->table);
        if (write->kind == WRITE_UPDATE)
            bytes += UPDATE_BYTES_ASSUMED;
    }
    return bytes;
}

/* Cuts the leading jobs of one group off the list. */
static struct job *take_group(struct job **list, size_t *ret_writes) {
    struct job *first = *list, *last = NULL;
    size_t writes = 0, bytes = 0;
    for (struct job *job = first; job != NULL && job->kind == JOB_WRITE; job = job->next) {
        writes += as_write(job)->count;
        bytes += job_bytes(as_write(job));
        if (last != NULL && (writes > GROUP_WRITES_MAX || bytes > GROUP_BYTES_MAX)) {
            writes -= as_write(job)->count;
            break;
        }
        last = job;
    }
    *list = last->next;
    last->next = NULL;
    *ret_writes = writes;
    return first;
}

static void run_job(struct group *group, struct write_job *job) {
    if (job->transaction != NULL) {
        transaction_run(group, job);
        return;
    }
    /* Of a batch no write conflicts: the service hands those back, and the client repeats them. */
    struct error *conflict = job->batch ? NULL : transaction_conflict(group, job, &job->writes[0]);
    if (conflict != NULL) {
        job->writes[0].error = conflict;
        return;
    }
    for (size_t i = 0; i < job->count; i++)
        item_write_run(group, &job->writes[i], job->arena);
}

static void run_writes(struct group *group, struct job *jobs) {
    for (struct job *job = jobs; job != NULL; job = job->next)
        run_job(group, as_write(job));
}

static struct error *run_in_transaction(struct group *group, struct job *jobs,
                                        struct store_txn *txn, bool *ret_conflict) {
    *ret_conflict = false;
    TRY(group_fetch(group, txn));
    run_writes(group, jobs);
    return group_flush(group, txn) ? txn_commit(txn, group->durability, ret_conflict) : NULL;
}

/* One attempt. After a conflict nothing has happened, and the group is run again on what the store
 * holds then. */
static struct error *attempt_group(struct group *group, struct job *jobs, bool *ret_conflict) {
    struct store_txn *txn;
    TRY(store_begin(group->engine->store, group->arena, STORE_WRITE, &txn));
    struct error *error = run_in_transaction(group, jobs, txn, ret_conflict);
    group_finish(group, error == NULL && !*ret_conflict);
    store_end(txn);
    return error;
}

/* All keys that the group will read, so that they are read at once. */
static void reserve_slots(struct group *group, struct engine *engine, struct arena *arena,
                          struct job *jobs, size_t writes) {
    size_t capacity = writes * WRITE_SLOTS_MAX;
    for (struct job *job = jobs; job != NULL; job = job->next)
        if (as_write(job)->transaction != NULL)
            capacity += TRANSACTION_SLOTS_MAX;
    group_init(group, engine, arena, capacity);
    for (struct job *job = jobs; job != NULL; job = job->next) {
        struct slot *slots[WRITE_SLOTS_MAX];
        for (size_t i = 0; i < as_write(job)->count; i++)
            item_write_slots(group, &as_write(job)->writes[i], slots);
        if (as_write(job)->transaction != NULL)
            transaction_reserve(group, as_write(job));
    }
}

static struct error *run_group(struct engine *engine, struct arena *arena, struct job *jobs,
                               size_t writes, enum store_durability durability) {
    struct group group;
    reserve_slots(&group, engine, arena, jobs, writes);
    group.durability = durability;
    for (int attempt = 0; attempt < TXN_ATTEMPTS_MAX; attempt++) {
        bool conflict;
        TRY(attempt_group(&group, jobs, &conflict));
        if (!conflict)
            return NULL;
    }
    return txn_too_many_conflicts(arena);
}

struct error *commit_writes(struct engine *engine, struct arena *arena, struct write_job *job,
                            enum store_durability durability) {
    job->job = (struct job){.kind = JOB_WRITE};
    return run_group(engine, arena, &job->job, job->count, durability);
}

static void answer_writes(struct job *jobs, const struct error *error) {
    if (error != NULL)
        log_repeated_error("commit failed: %.*s", SLICE_ARGS(error->message));
    while (jobs != NULL) {
        struct job *next = jobs->next; /* the job is gone after done */
        struct write_job *job = as_write(jobs);
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

static void run_other_job(struct engine *engine, struct arena *arena, struct job *job) {
    if (job->kind == JOB_CATALOG)
        run_catalog_job(engine, job);
    else
        run_clock_job(engine, arena, job);
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
        struct job *group = take_group(&jobs, &writes);
        answer_writes(group, run_group(engine, arena, group, writes, engine->options.durability));
        arena_reset(arena);
    }
}

/* ---- the thread ---- */

static bool syncs_later(const struct engine *engine) {
    return engine->options.durability == STORE_RELAXED &&
           store_can(engine->store, STORE_PERSISTENT);
}

static void sync_store(struct engine *engine, struct arena *arena) {
    struct error *error = store_sync(engine->store, arena);
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
