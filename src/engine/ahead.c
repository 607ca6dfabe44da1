/* ahead.c - fetches for jobs that wait for the commit thread, and what they are still worth. */
#include "engine/ahead.h"

#include "engine/keyspaces.h"
#include "engine/state.h"

/* What the items of all jobs that wait may take, by the averages of their tables. */
enum { BYTES_AHEAD_MAX = 16 * 1024 * 1024 };

struct ahead_fetch {
    struct store_fetch fetch;
    struct engine *engine;
    struct write_job *job;
    uint64_t seen; /* the commits up to this one */
    size_t bytes;  /* as was guessed */
};

/* ---- fetching ---- */

static size_t guess_bytes(const struct write_job *job) {
    size_t bytes = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->writes[i].refused == NULL)
            bytes += (size_t)table_average_bytes(job->writes[i].table);
    return bytes;
}

/* What failed is read by the commit thread, and fails there or not. */
static void queue_job(struct store_fetch *fetch) {
    struct ahead_fetch *ahead = container_of(fetch, struct ahead_fetch, fetch);
    commit_queue_put(&ahead->engine->queue, &ahead->job->job);
}

static size_t wanted_keys(const struct write_job *job, struct store_key *ret_keys) {
    size_t count = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->writes[i].refused == NULL)
            ret_keys[count++] = (struct store_key){KEYSPACE_ITEMS, job->writes[i].store_key};
    return count;
}

static bool has_room(struct recent *recent, size_t bytes) {
    if (atomic_fetch_add(&recent->bytes_ahead, bytes) + bytes <= BYTES_AHEAD_MAX)
        return true;
    atomic_fetch_sub(&recent->bytes_ahead, bytes);
    return false;
}

/* The number is asked for before the store is: it has seen at least that. */
static bool start(struct engine *engine, struct write_job *job) {
    struct ahead_fetch *ahead = ARENA_NEW(job->arena, struct ahead_fetch);
    struct store_key *keys = ARENA_ARRAY(job->arena, struct store_key, job->count);
    struct store_txn *txn = NULL;
    size_t count = wanted_keys(job, keys), bytes = guess_bytes(job);
    if (count == 0 || !has_room(&engine->recent, bytes))
        return false;
    if (store_begin(engine->store, job->arena, STORE_READ_LATEST, &txn) != NULL) {
        atomic_fetch_sub(&engine->recent.bytes_ahead, bytes);
        return false;
    }
    *ahead = (struct ahead_fetch){
        .fetch = {.count = count,
                  .keys = keys,
                  .values = ARENA_ARRAY(job->arena, struct slice, count),
                  .done = queue_job},
        .engine = engine,
        .job = job,
        .seen = atomic_load(&engine->recent.committed),
        .bytes = bytes,
    };
    job->ahead = ahead;
    store_get_many_start(txn, &ahead->fetch);
    return true;
}

/* A commit thread that has nothing to do reads sooner by itself. */
void engine_submit_writes(struct engine *engine, struct write_job *job) {
    job->job.kind = JOB_WRITE;
    job->ahead = NULL;
    if (engine->recent.numbers == NULL || !commit_queue_is_busy(&engine->queue) ||
        !start(engine, job))
        commit_queue_put(&engine->queue, &job->job);
}

void ahead_end(struct write_job *job) {
    if (job->ahead == NULL)
        return;
    atomic_fetch_sub(&job->ahead->engine->recent.bytes_ahead, job->ahead->bytes);
    store_end(job->ahead->fetch.txn);
}

/* ---- what it is worth ---- */

void ahead_take(const struct recent *recent, struct group *group, const struct write_job *job) {
    const struct ahead_fetch *ahead = job->ahead;
    if (ahead == NULL || ahead->fetch.error != NULL)
        return;
    for (size_t i = 0; i < ahead->fetch.count; i++) {
        if (!recent_is_since(recent, ahead->fetch.keys[i].key, ahead->seen))
            continue;
        struct slot *slot = group_slot(group, NULL, ahead->fetch.keys[i]);
        slot->committed = ahead->fetch.values[i];
        slot->fetched = true;
    }
}
