/* sweep.c - one bounded step at a time.
 *
 * Invariants: an entry that a step has taken is gone after it, so the next step begins behind it;
 * a step whose commit failed has changed nothing, not even where the next one begins. */
#include "engine/sweep.h"

#include "base/deadline.h"
#include "base/log.h"
#include "codec/expiry_key.h"
#include "engine/expiry.h"
#include "engine/group_run.h"
#include "engine/hold.h"
#include "engine/keyspaces.h"
#include "engine/state.h"
#include "engine/txn.h"
#include "metrics/meters.h"

/* What one step deletes: half a millisecond's work, so that who waits for the thread or its
 * processor hardly notices. */
enum {
    STEP_ITEMS_MAX = 64,
    STEP_ITEMS_MIN = 4,
    STEP_BYTES_MAX = 512 * 1024, /* as far as the average item tells */
    SYNC_GAP_MS = 100,           /* so that a write that syncs has not much of this to sync */
    LOG_GAP_MS = 60 * 1000,
};

struct sweep {
    struct engine *engine;
    struct arena *arena;
    struct table *table;
    uint64_t oldest; /* seconds from.. */
    uint64_t end;    /* ..and before which expired items are deleted */
    struct slice entries[STEP_ITEMS_MAX];
    size_t count;
    struct slice next; /* where the next entry is at the earliest */
};

static bool is_swept(const struct table *table) {
    return table->ttl_stats != NULL && !table->definition.ttl_building;
}

/* The second of the next entry, as far as it is known. */
static uint64_t next_second(const struct table *table) {
    struct slice first = table->ttl_stats->first_due.key;
    return slice_present(first) ? expiry_key_seconds(first) : 0;
}

/* A table that may have something due. All of them have their turn. */
static struct table *find_table(struct engine *engine, uint64_t end) {
    const struct table_list *list = engine->catalog.list;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < list->count; i++) {
        size_t at = (engine->sweeper.turn + i) % list->count;
        struct table *table = list->tables[at];
        if (!is_swept(table))
            continue;
        uint64_t second = next_second(table);
        if (second < end) {
            engine->sweeper.turn = at + 1;
            return table;
        }
        if (second < first)
            first = second;
    }
    engine->sweeper.first = first;
    return NULL;
}

/* ---- one step ---- */

static size_t items_max(const struct sweep *sweep) {
    int64_t fit = STEP_BYTES_MAX / table_average_bytes(sweep->table);
    fit = fit < STEP_ITEMS_MIN ? STEP_ITEMS_MIN : fit;
    return (size_t)(fit < STEP_ITEMS_MAX ? fit : STEP_ITEMS_MAX);
}

static struct error *take_entries(struct sweep *sweep, struct store_scan *scan) {
    size_t most = items_max(sweep);
    uint32_t id = sweep->table->definition.ttl_id;
    while (sweep->count < most) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (found && !expiry_key_is_sound(key))
            return error_local(sweep->arena, "the key of an expiry of table %.*s is damaged",
                               SLICE_ARGS(sweep->table->definition.name));
        if (!found || expiry_key_seconds(key) >= sweep->end) {
            sweep->next = found ? arena_slice(sweep->arena, key)
                                : expiry_key_first(sweep->arena, id, UINT64_MAX);
            return NULL;
        }
        sweep->entries[sweep->count++] = arena_slice(sweep->arena, key);
    }
    sweep->next = key_after(sweep->arena, sweep->entries[sweep->count - 1]);
    return NULL;
}

static struct error *find_entries(struct sweep *sweep) {
    uint32_t id = sweep->table->definition.ttl_id;
    struct slice first = sweep->table->ttl_stats->first_due.key;
    struct slice oldest = expiry_key_first(sweep->arena, id, sweep->oldest);
    if (!slice_present(first) || slice_compare(first, oldest) < 0)
        first = oldest;
    struct store_range range = {KEYSPACE_INDEXES, first, key_range_of_table(sweep->arena, id).last};
    struct store_txn *txn;
    struct store_scan *scan;
    TRY(store_begin(sweep->engine->store, sweep->arena, STORE_READ, &txn));
    struct error *error = store_scan_open(txn, &range, false, &scan);
    if (error == NULL) {
        error = take_entries(sweep, scan);
        store_scan_close(scan);
    }
    store_end(txn);
    return error;
}

static struct item_write *deletes_of(const struct sweep *sweep) {
    struct item_write *writes = ARENA_ARRAY(sweep->arena, struct item_write, sweep->count);
    for (size_t i = 0; i < sweep->count; i++)
        writes[i] = (struct item_write){
            .table = sweep->table,
            .kind = WRITE_DELETE,
            .expired = true,
            .expires_at = expiry_key_seconds(sweep->entries[i]),
            .store_key =
                expiry_key_item(sweep->arena, sweep->table->definition.id, sweep->entries[i]),
        };
    return writes;
}

/* An entry without an item that expires then cannot be; if there is one all the same, it goes, lest
 * the sweeper comes back to it forever. */
static struct error *drop_entry(struct sweep *sweep, struct slice entry) {
    struct store_key key = {KEYSPACE_INDEXES, entry};
    struct store_txn *txn;
    bool conflict;
    log_repeated_error("table %.*s had an expiry without its item",
                       SLICE_ARGS(sweep->table->definition.name));
    TRY(hold_begin(sweep->engine, sweep->arena, &txn));
    store_delete(txn, &key);
    struct error *error = txn_commit(txn, sweep->engine->options.durability, &conflict);
    store_end(txn);
    return error;
}

/* Deletes that a power failure takes back are done again; but who reads a stream must see each
 * once. */
static enum store_durability durability_of(const struct sweep *sweep) {
    struct engine *engine = sweep->engine;
    bool relaxed =
        sweep->table->definition.stream == STREAM_OFF && !deadline_passed(&engine->sweeper.sync_at);
    if (!relaxed)
        engine->sweeper.sync_at = deadline_after_ms(SYNC_GAP_MS);
    return relaxed ? STORE_RELAXED : engine->options.durability;
}

static void count_expired(const struct sweep *sweep) {
    const struct table_definition *table = &sweep->table->definition;
    struct meter_thread *meters = sweep->engine->options.meters;
    sweep->table->ttl_stats->expired++;
    if (meters != NULL)
        counter_add(&meter_table(meters, table->id, table->name)->expired, 1);
}

static struct error *delete_items(struct sweep *sweep) {
    struct write_job job = {
        .writes = deletes_of(sweep), .count = sweep->count, .batch = true, .arena = sweep->arena};
    TRY(group_run_own(sweep->engine, sweep->arena, &job, durability_of(sweep)));
    for (size_t i = 0; i < sweep->count; i++) {
        const struct item_write *write = &job.writes[i];
        TRY(write->error);
        if (write->old_size > 0 && write->new_size == 0)
            count_expired(sweep);
        else
            TRY(drop_entry(sweep, sweep->entries[i]));
    }
    return NULL;
}

static struct error *sweep_table(struct sweep *sweep) {
    TRY(find_entries(sweep));
    if (sweep->count > 0)
        TRY(delete_items(sweep));
    kept_key_set(&sweep->table->ttl_stats->first_due, sweep->next);
    return NULL;
}

/* ---- the chore ---- */

/* Somebody may wonder where the items are that were there a second ago. */
static void tell(const struct table *table) {
    struct table_stats *stats = table->ttl_stats;
    log_info("expired %llu items of table %.*s%s", (unsigned long long)stats->expired,
             SLICE_ARGS(table->definition.name),
             stats->expired_told ? ""
                                 : ": their time to live is over, and they are deleted at once; "
                                   "see --ttl-delay");
    stats->expired = 0;
    stats->expired_told = true;
}

/* Nothing is due: the moment to tell what expired; of a table for the first time at once, then once
 * in a while. */
static void report(struct engine *engine) {
    const struct table_list *list = engine->catalog.list;
    bool due = deadline_passed(&engine->sweeper.log_at), told = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct table *table = list->tables[i];
        if (table->ttl_stats == NULL || table->ttl_stats->expired == 0)
            continue;
        if (!due && table->ttl_stats->expired_told)
            continue;
        tell(table);
        told = true;
    }
    if (told)
        engine->sweeper.log_at = deadline_after_ms(LOG_GAP_MS);
}

static bool gives_way(struct engine *engine) {
    bool crowded = crowd_look(&engine->sweeper.crowd);
    return commit_queue_is_pressing(&engine->queue) || crowded;
}

struct error *sweep_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state) {
    int64_t now_ms = clock_now_ms(engine->options.clock) - engine->options.ttl_delay_ms;
    struct sweep sweep = {
        .engine = engine,
        .arena = arena,
        .oldest = expiry_oldest(now_ms),
        .end = expiry_end(now_ms),
    };
    sweeper_look_at(&engine->sweeper, &engine->catalog);
    *ret_state = engine->sweeper.any ? CHORE_WAITING : CHORE_ASLEEP;
    if (!engine->sweeper.any || engine->sweeper.first >= sweep.end)
        return NULL;
    sweep.table = find_table(engine, sweep.end);
    if (sweep.table == NULL) {
        report(engine);
        return NULL;
    }
    TRY(sweep_table(&sweep));
    *ret_state = gives_way(engine) ? CHORE_RESTING : CHORE_STEPPED;
    return NULL;
}
