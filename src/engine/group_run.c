/* group_run.c - all jobs of a group, one after another, then one commit. */
#include "engine/group_run.h"

#include "base/check.h"
#include "engine/ahead.h"
#include "engine/group_flush.h"
#include "engine/hold.h"
#include "engine/item_write.h"
#include "engine/keyspaces.h"
#include "engine/state.h"
#include "engine/transaction.h"
#include "engine/txn.h"
#include "engine/write_throttle.h"
#include "metrics/meters.h"

enum {
    GROUP_WRITES_MAX = 4096,
    GROUP_BYTES_MAX = 16 * 1024 * 1024,
    UPDATE_BYTES_ASSUMED = 32 * 1024,
};

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

struct job *group_take(struct job **list, size_t *ret_writes) {
    struct job *first = *list, *last = NULL;
    size_t writes = 0, bytes = 0;
    for (struct job *job = first; job != NULL && job->kind == JOB_WRITE; job = job->next) {
        writes += write_job_of(job)->count;
        bytes += job_bytes(write_job_of(job));
        if (last != NULL && (writes > GROUP_WRITES_MAX || bytes > GROUP_BYTES_MAX)) {
            writes -= write_job_of(job)->count;
            break;
        }
        last = job;
    }
    CHECK(last != NULL); /* the first one is a job of writes */
    *list = last->next;
    last->next = NULL;
    *ret_writes = writes;
    return first;
}

static void run_transaction(struct group *group, struct write_job *job) {
    transaction_run(group, job);
    if (write_is_throttled(group, &job->writes[0]))
        write_throttle_take_all(group, job);
}

static void run_job(struct group *group, struct write_job *job) {
    if (job->transaction != NULL) {
        run_transaction(group, job);
        return;
    }
    /* Of a batch no write conflicts: the service hands those back, and the client repeats them. */
    struct error *conflict = job->batch ? NULL : transaction_conflict(group, job, &job->writes[0]);
    if (conflict != NULL) {
        job->writes[0].error = conflict;
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        item_write_run(group, job, &job->writes[i]);
        if (write_is_throttled(group, &job->writes[i]))
            write_throttle_take(group, &job->writes[i]);
    }
}

static void run_writes(struct group *group, struct job *jobs) {
    for (struct job *job = jobs; job != NULL; job = job->next)
        run_job(group, write_job_of(job));
}

/* What is not made durable is not waited for, and says nothing about the disk. */
static struct error *commit(struct group *group, struct store_txn *txn, bool *ret_conflict) {
    struct meter_thread *meters = group->owners.options->meters;
    if (meters == NULL || group->durability != STORE_DURABLE ||
        !store_can(group->owners.options->store, STORE_PERSISTENT))
        return txn_commit(txn, group->durability, ret_conflict);
    uint64_t began_ns = monotonic_ns();
    struct error *error = txn_commit(txn, group->durability, ret_conflict);
    counter_set(&meter_commit(meters)->last_sync_ns, monotonic_ns() - began_ns);
    latency_add(&meter_commit(meters)->syncs, counter_read(&meter_commit(meters)->last_sync_ns));
    return error;
}

static void note_writes(struct recent *recent, const struct group *group) {
    recent_begin(recent);
    for (size_t i = 0; i < group->count; i++)
        if (group->slots[i].keyspace == KEYSPACE_ITEMS && slot_changed(&group->slots[i]))
            recent_note(recent, group->slots[i].key);
}

static struct error *run_in_transaction(struct group *group, struct recent *recent,
                                        struct job *jobs, struct store_txn *txn,
                                        bool *ret_conflict) {
    *ret_conflict = false;
    TRY(group_fetch(group, txn));
    run_writes(group, jobs);
    /* Where others write, what was read may not be true any more, also when nothing came of it. */
    if (!group_flush(group, txn) && !hold_is_needed(txn->store))
        return NULL;
    if (recent->numbers == NULL)
        return commit(group, txn, ret_conflict);
    note_writes(recent, group);
    TRY(commit(group, txn, ret_conflict));
    if (!*ret_conflict)
        recent_committed(recent);
    return NULL;
}

/* All keys that the group will read, so that they are read at once. */
static void reserve_slots(struct group *group, struct engine *engine, struct arena *arena,
                          struct job *jobs, size_t writes) {
    size_t capacity = writes * WRITE_SLOTS_MAX;
    for (struct job *job = jobs; job != NULL; job = job->next)
        if (write_job_of(job)->transaction != NULL)
            capacity += TRANSACTION_SLOTS_MAX;
    const struct group_owners owners = {
        .options = &engine->options,
        .keys = &engine->format.keys,
        .sequence = &engine->sequence,
        .sweeper = &engine->sweeper,
        .tokens = &engine->tokens,
        .damage = &engine->damage,
    };
    group_init(group, &owners, arena, capacity);
    for (struct job *job = jobs; job != NULL; job = job->next) {
        struct slot *slots[WRITE_SLOTS_MAX];
        for (size_t i = 0; i < write_job_of(job)->count; i++)
            item_write_slots(group, &write_job_of(job)->writes[i], slots);
        if (write_job_of(job)->transaction != NULL)
            transaction_reserve(group, write_job_of(job));
        ahead_take(&engine->recent, group, write_job_of(job));
    }
}

/* ---- where others write ---- */

/* By the table as it was asked for, which may be gone by now. No stream needs more groups since:
 * one whose shards lie in several came with the store's data, and may have ended, but none begins.
 */
static uint64_t groups_of_job(const struct store *store, const struct write_job *job) {
    uint64_t groups = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct item_write *write = &job->writes[i];
        if (write->refused == NULL)
            groups |= hold_groups_of(store, &write->table->definition, write->store_key);
    }
    return groups;
}

static uint64_t groups_of(const struct engine *engine, struct job *jobs) {
    uint64_t groups = 0;
    for (struct job *job = jobs; job != NULL; job = job->next)
        groups |= groups_of_job(engine->store, write_job_of(job));
    return groups;
}

/* At first it is tried with what is known. When that was not true, the groups are held, and all is
 * looked at again, tables too. */
static struct error *share(struct group *group, struct engine *engine, struct store_txn *txn,
                           struct job *jobs, size_t writes, bool again) {
    if (!hold_is_needed(engine->store))
        return NULL;
    store_touch(txn, groups_of(engine, jobs));
    if (!again && !engine->stale)
        return NULL;
    enum store_durability durability = group->durability;
    TRY(hold_groups(engine, txn));
    reserve_slots(group, engine, group->arena, jobs, writes);
    group->durability = durability;
    return NULL;
}

/* One attempt. After a conflict nothing has happened, and the group is run again on what the store
 * holds then. */
static struct error *attempt_group(struct group *group, struct engine *engine, struct job *jobs,
                                   size_t writes, bool again, bool *ret_conflict) {
    struct store_txn *txn;
    TRY(store_begin(engine->store, group->arena, STORE_WRITE, &txn));
    struct error *error = share(group, engine, txn, jobs, writes, again);
    if (error == NULL)
        error = run_in_transaction(group, &engine->recent, jobs, txn, ret_conflict);
    group_finish(group, error == NULL && !*ret_conflict);
    store_end(txn);
    return error;
}

struct error *group_run(struct engine *engine, struct arena *arena, struct job *jobs, size_t writes,
                        enum store_durability durability) {
    struct group group;
    if (engine->options.meters != NULL)
        meter_group(meter_commit(engine->options.meters), writes);
    reserve_slots(&group, engine, arena, jobs, writes);
    group.durability = durability;
    for (int attempt = 0; attempt < TXN_ATTEMPTS_MAX; attempt++) {
        bool conflict;
        TRY(attempt_group(&group, engine, jobs, writes, attempt > 0, &conflict));
        if (!conflict)
            return NULL;
    }
    return txn_too_many_conflicts(arena);
}

struct error *group_run_own(struct engine *engine, struct arena *arena, struct write_job *job,
                            enum store_durability durability) {
    job->job = (struct job){.kind = JOB_WRITE};
    job->ahead = NULL;
    return group_run(engine, arena, &job->job, job->count, durability);
}
