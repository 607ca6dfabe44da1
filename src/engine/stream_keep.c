/* stream_keep.c - closing and forgetting.
 *
 * - A generation of shards is over (stream_shard.h): the last number of the database is raised past
 *   its end and stored, so that nothing comes to it any more, also if the clock goes back.
 * - All records of a generation are older than the retention: they are deleted, as one range.
 * - A stream ended as long ago: it goes, with what is left of its records.
 *
 * The chore looks at all streams when the first of them has something coming, a few in each step.
 * Threads: commit thread. */
#include "engine/stream_keep.h"
#include "engine/hold.h"
#include "engine/keyspace.h"

#include "codec/stream.h"
#include "engine/reclaim.h"
#include "engine/sequence.h"
#include "engine/state.h"
#include "engine/stream_shard.h"
#include "engine/txn.h"
#include "model/limits.h"

enum { STEP_STREAMS_MAX = 32 };

/* What is to be done with one stream. */
struct care {
    struct stream_definition stream;
    struct slice key;
    bool drop;
    uint32_t keep; /* the first generation to be kept */
    bool has_old;  /* there are records of those before it */
};

struct step {
    struct engine *engine;
    struct arena *arena;
    int64_t now_ms;
    int64_t horizon_ms;
    struct care cares[STEP_STREAMS_MAX];
    size_t count;
    bool complete;  /* there are no more streams */
    uint64_t roll;  /* the last number to be stored; 0: as it is */
    int64_t due_ms; /* when the first of them has something coming */
};

/* ---- reading ---- */

static void note_due(struct step *step, int64_t ms) {
    if (ms < step->due_ms)
        step->due_ms = ms;
}

/* Closes the generations that have ended by now. */
static void plan_roll(struct step *step, const struct stream_extent *extent) {
    struct stream_shard newest = {extent->count - 1, 0}, next = {extent->count, 0};
    const struct sequence *sequence = &step->engine->sequence;
    uint64_t closed = shard_first(extent, newest) - 1, last = sequence->last;
    bool shared = hold_is_needed(step->engine->store);
    if (closed > (shared ? sequence->closed : last) && closed > step->roll)
        step->roll = closed > last ? closed : last;
    note_due(step, sequence_ms(shard_first(extent, next)));
}

static void plan(struct step *step, struct care *care) {
    const struct stream_definition *stream = &care->stream;
    uint64_t last = step->engine->sequence.last, now = sequence_at(step->now_ms);
    struct stream_extent extent =
        stream_extent_of(stream, now > last ? now : last, step->horizon_ms);
    care->drop = stream_is_gone(stream, step->horizon_ms);
    care->keep = extent.first;
    if (care->drop)
        return;
    if (stream->ended == 0)
        plan_roll(step, &extent);
    else
        note_due(step, sequence_ms((uint64_t)stream->ended) + LIMIT_STREAM_RETENTION_MS);
    struct stream_shard oldest = {extent.first, 0};
    if (shard_last(&extent, oldest) != UINT64_MAX)
        note_due(step, sequence_ms(shard_last(&extent, oldest) + 1) + LIMIT_STREAM_RETENTION_MS);
}

static struct error *read_streams(struct step *step, struct store_scan *scan) {
    while (step->count < STEP_STREAMS_MAX) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        step->complete = !found;
        if (!found)
            return NULL;
        if (key.len > STREAM_DEFINITION_KEY_MAX)
            return error_local(step->arena, "the key of a stream is damaged");
        struct care *care = &step->cares[step->count];
        TRY(stream_definition_decode(step->arena, arena_slice(step->arena, value), &care->stream));
        care->key = arena_slice(step->arena, key);
        plan(step, care);
        step->count++;
    }
    return NULL;
}

static struct error *scan_streams(struct step *step, struct store_txn *txn) {
    struct slice cursor = step->engine->streams.cursor;
    struct store_range range = range_in(KEYSPACE_CATALOG, stream_definition_key_range(step->arena));
    if (slice_present(cursor))
        range.first = key_after(step->arena, cursor);
    struct store_scan *scan;
    TRY(store_scan_open(txn, &range, false, &scan));
    struct error *error = read_streams(step, scan);
    store_scan_close(scan);
    return error;
}

static bool is_to_trim(const struct care *care) {
    return !care->drop && care->keep > care->stream.kept;
}

/* The records of the generations that are not kept any more. */
static struct store_range old_records(const struct step *step, const struct care *care) {
    const struct stream_shard first = {(uint32_t)care->stream.kept, 0}, last = {care->keep, 0};
    return (struct store_range){
        KEYSPACE_CHANGES,
        stream_record_key(step->arena, care->stream.id, first, 0),
        stream_record_key(step->arena, care->stream.id, last, 0),
    };
}

static struct error *look_for_old(const struct step *step, struct store_txn *txn,
                                  struct care *care) {
    struct store_range range = old_records(step, care);
    struct store_scan *scan;
    struct slice key, value;
    TRY(store_scan_open(txn, &range, false, &scan));
    struct error *error = store_scan_next(scan, &care->has_old, &key, &value);
    store_scan_close(scan);
    return error;
}

/* ---- writing ---- */

static void drop(const struct step *step, struct store_txn *txn, const struct care *care) {
    struct store_key key = catalog_key(care->key);
    struct store_range range =
        range_in(KEYSPACE_CHANGES, key_range_of_table(step->arena, care->stream.id));
    store_delete(txn, &key);
    store_drop_range(txn, &range);
}

static void trim(const struct step *step, struct store_txn *txn, const struct care *care) {
    struct store_range range = old_records(step, care);
    if (care->has_old)
        store_delete_range(txn, &range);
    struct store_key key = catalog_key(care->key);
    struct stream_definition trimmed = care->stream;
    trimmed.kept = care->keep;
    store_put(txn, &key, stream_definition_encode(step->arena, &trimmed));
}

static void give_back_room(const struct step *step) {
    for (size_t i = 0; i < step->count; i++) {
        const struct care *care = &step->cares[i];
        if (care->drop)
            reclaim_range_of(&step->engine->reclaims, KEYSPACE_CHANGES, care->stream.id);
        struct store_range range = old_records(step, care);
        if (care->has_old)
            reclaim_later(&step->engine->reclaims, KEYSPACE_CHANGES, range.first, range.last);
    }
}

static struct error *commit(struct step *step, struct store_txn *txn) {
    for (size_t i = 0; i < step->count; i++) {
        if (step->cares[i].drop)
            drop(step, txn, &step->cares[i]);
        else if (is_to_trim(&step->cares[i]))
            trim(step, txn, &step->cares[i]);
    }
    if (step->roll != 0)
        sequence_put(txn, step->roll);
    if (!txn->wrote)
        return NULL;
    /* What is deleted once more after a crash is none the worse; a shard that was seen closed must
     * stay so. */
    TRY(txn_commit_step(txn, step->roll != 0 ? step->engine->options.durability : STORE_RELAXED));
    if (step->roll != 0)
        sequence_close(&step->engine->sequence, step->roll);
    give_back_room(step);
    return NULL;
}

static struct error *run_in_transaction(struct step *step, struct store_txn *txn) {
    TRY(scan_streams(step, txn));
    for (size_t i = 0; i < step->count; i++)
        if (is_to_trim(&step->cares[i]))
            TRY(look_for_old(step, txn, &step->cares[i]));
    return commit(step, txn);
}

/* ---- the chore ---- */

static void begin_look(struct stream_keeper *keeper) {
    keeper->cursor = SLICE_NONE;
    keeper->next_due_ms = INT64_MAX;
    keeper->changed = false;
}

/* Remembers how far the look has come. */
static void advance(struct stream_keeper *keeper, const struct step *step) {
    if (step->due_ms < keeper->next_due_ms)
        keeper->next_due_ms = step->due_ms;
    if (step->complete) {
        keeper->due_ms = keeper->changed ? 0 : keeper->next_due_ms;
        keeper->cursor = SLICE_NONE;
        return;
    }
    struct slice key = step->cares[step->count - 1].key;
    memcpy(keeper->cursor_bytes, key.data, key.len);
    keeper->cursor = slice_of(keeper->cursor_bytes, key.len);
}

struct error *stream_keep(struct engine *engine, struct arena *arena, enum chore_state *ret_state) {
    struct stream_keeper *keeper = &engine->streams;
    int64_t now_ms = clock_now_ms(engine->options.clock);
    *ret_state = keeper->due_ms == INT64_MAX ? CHORE_ASLEEP : CHORE_WAITING;
    if (now_ms < keeper->due_ms)
        return NULL;
    if (!slice_present(keeper->cursor))
        begin_look(keeper);
    struct step *step = ARENA_NEW(arena, struct step);
    step->engine = engine;
    step->arena = arena;
    step->now_ms = now_ms;
    step->horizon_ms = now_ms - LIMIT_STREAM_RETENTION_MS;
    step->due_ms = INT64_MAX;
    struct store_txn *txn;
    TRY(hold_begin(engine, arena, &txn));
    struct error *error = run_in_transaction(step, txn);
    store_end(txn);
    TRY(error);
    advance(keeper, step);
    *ret_state = CHORE_STEPPED;
    return NULL;
}
