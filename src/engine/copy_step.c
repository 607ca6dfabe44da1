/* copy_step.c - a bounded part of a copy, in one transaction: it reads, then it writes. */
#include "engine/copy_step.h"

#include "base/log.h"
#include "codec/backup.h"
#include "codec/catalog.h"
#include "codec/collection.h"
#include "codec/history.h"
#include "codec/item.h"
#include "engine/backup.h"
#include "engine/collection.h"
#include "engine/copy.h"
#include "engine/history.h"
#include "engine/hold.h"
#include "engine/index.h"
#include "engine/keyspace.h"
#include "engine/state.h"
#include "engine/txn.h"

/* What one step reads: little enough that a write that waits for it hardly notices. */
enum {
    STEP_RECORDS_MAX = 512,
    STEP_BYTES_MAX = 256 * 1024,
    NOW_READ_AT_ONCE = 16,
    LOG_EVERY_ITEMS = 1000000,
};

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

struct record {
    struct slice key;
    struct slice value;
};

/* The records of a range, from its start or its end on, as many as a step takes. */
struct gathered {
    struct record records[STEP_RECORDS_MAX];
    size_t count;
    bool complete; /* the range has no more */
};

/* A scan's slices live for one step of it, so they are copied. */
static struct error *gather_from(struct store_scan *scan, struct arena *arena,
                                 struct gathered *gathered) {
    for (size_t bytes = 0; gathered->count < STEP_RECORDS_MAX && bytes < STEP_BYTES_MAX;) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found) {
            gathered->complete = true;
            return NULL;
        }
        gathered->records[gathered->count++] =
            (struct record){arena_slice(arena, key), arena_slice(arena, value)};
        bytes += key.len + value.len;
    }
    return NULL;
}

static struct error *gather(struct copy_run *run, struct store_txn *txn,
                            const struct store_range *range, bool reverse,
                            struct gathered **ret_gathered) {
    struct store_scan *scan;
    *ret_gathered = ARENA_NEW(run->arena, struct gathered);
    TRY(store_scan_open(txn, range, reverse, &scan));
    struct error *error = gather_from(scan, run->arena, *ret_gathered);
    store_scan_close(scan);
    return error;
}

/* ---- keys ---- */

/* The item with that key, without its id, in the target. */
static struct store_key in_target(struct copy_run *run, struct slice rest) {
    return (struct store_key){KEYSPACE_ITEMS, key_with_id(run->arena, run->state.target, rest)};
}

/* The items of a range behind the cursor. */
static struct store_range items_left(struct copy_run *run, uint32_t id) {
    struct key_range items = key_range_of_table(run->arena, id);
    if (run->state.cursor.len > 0)
        items.first = key_after(run->arena, key_with_id(run->arena, id, run->state.cursor));
    return range_in(KEYSPACE_ITEMS, items);
}

static void move_behind(struct copy_run *run, const struct gathered *gathered) {
    if (gathered->count > 0)
        run->state.cursor = key_without_id(gathered->records[gathered->count - 1].key);
}

/* ---- items ---- */

static void count_item(struct copy_run *run, const struct stored_item *item, int sign) {
    if (!value_present(item->item))
        return;
    run->state.item_count += sign;
    run->state.size_bytes += sign * (int64_t)item->size;
}

/* Of the table that is restored, or of the backup that is taken. */
static struct slice name_of(const struct copy_run *run) {
    return run->table != NULL ? run->table->definition.name : run->backup.name;
}

static struct error *damaged_at(struct copy_run *run, struct slice key, const struct error *why) {
    return why == NULL ? NULL
                       : damage_found(&run->engine->damage, run->arena, name_of(run), key, why);
}

static struct error *copy_items(struct copy_run *run, struct store_txn *txn, bool *ret_complete) {
    struct store_range range = items_left(run, run->state.source);
    struct gathered *items;
    TRY(gather(run, txn, &range, false, &items));
    for (size_t i = 0; i < items->count; i++) {
        struct record *record = &items->records[i];
        struct stored_item item;
        TRY(damaged_at(run, record->key,
                       item_record_decode(run->arena, NULL, record->key, record->value, &item)));
        count_item(run, &item, 1);
        struct store_key key = in_target(run, key_without_id(record->key));
        store_put(txn, &key, record->value);
    }
    move_behind(run, items);
    *ret_complete = items->complete;
    return NULL;
}

/* ---- undoing ---- */

/* What a step undoes, the newest change first. */
struct undo {
    size_t count;
    struct store_key keys[STEP_RECORDS_MAX]; /* in the target */
    struct slice now[STEP_RECORDS_MAX];      /* what is there; absent: nothing */
    struct slice before[STEP_RECORDS_MAX];   /* what is to be there */
};

/* What is there may be much larger than the changes are: it is read in parts, until there is
 * enough for a step. */
static struct error *read_now(struct store_txn *txn, size_t count, struct undo *undo) {
    for (size_t bytes = 0; undo->count < count && bytes < STEP_BYTES_MAX;) {
        size_t first = undo->count, left = count - first;
        size_t part = left < NOW_READ_AT_ONCE ? left : NOW_READ_AT_ONCE;
        TRY(store_get_many(txn, part, undo->keys + first, undo->now + first));
        undo->count += part;
        for (size_t i = first; i < undo->count; i++)
            bytes += undo->now[i].len;
    }
    return NULL;
}

static struct error *read_undo(struct copy_run *run, struct store_txn *txn,
                               const struct gathered *changes, struct undo *undo) {
    for (size_t i = 0; i < changes->count; i++) {
        struct history_record record;
        const struct record *change = &changes->records[i];
        if (change->key.len != HISTORY_KEY_BYTES)
            return error_local(run->arena, "the key of a record of a table's history is damaged");
        TRY(damaged_at(run, change->key,
                       history_record_decode(run->arena, change->value, &record)));
        undo->keys[i] = in_target(run, record.item_key);
        undo->before[i] = record.stored;
    }
    return read_now(txn, changes->count, undo);
}

/* An older change of the same item follows, which settles what it was. */
static bool is_overtaken(const struct undo *undo, size_t i) {
    for (size_t later = i + 1; later < undo->count; later++)
        if (slice_equal(undo->keys[later].key, undo->keys[i].key))
            return true;
    return false;
}

static struct error *undo_change(struct copy_run *run, struct store_txn *txn,
                                 const struct undo *undo, size_t i) {
    struct stored_item now, before;
    TRY(damaged_at(run, undo->keys[i].key, item_decode(run->arena, undo->now[i], &now)));
    TRY(damaged_at(run, undo->keys[i].key, item_decode(run->arena, undo->before[i], &before)));
    count_item(run, &now, -1);
    count_item(run, &before, 1);
    if (slice_present(undo->before[i]))
        store_put(txn, &undo->keys[i], undo->before[i]);
    else
        store_delete(txn, &undo->keys[i]);
    return NULL;
}

static struct error *undo_changes(struct copy_run *run, struct store_txn *txn, bool *ret_complete) {
    struct copy_state *state = &run->state;
    uint64_t done_from = copy_cursor_number(state->cursor);
    struct store_range range = {KEYSPACE_CHANGES,
                                history_key(run->arena, state->source, state->until + 1),
                                history_key(run->arena, state->source, done_from)};
    struct gathered *changes;
    struct undo *undo = ARENA_NEW(run->arena, struct undo);
    TRY(gather(run, txn, &range, true, &changes));
    TRY(read_undo(run, txn, changes, undo));
    for (size_t i = 0; i < undo->count; i++)
        if (!is_overtaken(undo, i))
            TRY(undo_change(run, txn, undo, i));
    if (undo->count > 0)
        done_from = history_key_sequence(changes->records[undo->count - 1].key);
    state->cursor = copy_cursor_encode(run->arena, done_from);
    *ret_complete = changes->complete && undo->count == changes->count;
    return NULL;
}

/* ---- indexes and collections ---- */

static void put_entries(struct copy_run *run, struct store_txn *txn, struct slice stored) {
    const struct table_definition *table = &run->table->definition;
    for (size_t i = 0; i < table->index_count; i++) {
        struct index_entry entry = index_entry_of(run->arena, &run->engine->format.keys, table,
                                                  &table->indexes[i], stored);
        if (!slice_present(entry.key))
            continue;
        struct store_key key = {KEYSPACE_INDEXES, entry.key};
        store_put(txn, &key, entry.stored);
        run->entries[i].items++;
        run->entries[i].bytes += (int64_t)index_entry_size(&entry);
    }
}

/* Items of one collection are neighbours. The first one of the step may have begun in the step
 * before, `begun` bytes of it. */
static void put_collections(struct copy_run *run, struct store_txn *txn,
                            const struct gathered *items, uint64_t begun) {
    const struct table_definition *table = &run->table->definition;
    uint64_t bytes = begun;
    for (size_t i = 0; i < items->count; i++) {
        struct store_key key = collection_key(items->records[i].key);
        bytes += collection_bytes_of(table, items->records[i].value);
        bool last = i + 1 == items->count || !slice_starts_with(items->records[i + 1].key, key.key);
        if (!last)
            continue;
        store_put(txn, &key, collection_encode(run->arena, bytes));
        bytes = 0;
    }
}

static struct error *build(struct copy_run *run, struct store_txn *txn, bool *ret_complete) {
    struct store_range range = items_left(run, run->state.target);
    struct gathered *items;
    uint64_t begun = 0;
    TRY(gather(run, txn, &range, false, &items));
    for (size_t i = 0; i < items->count; i++) {
        const struct record *record = &items->records[i];
        struct stored_item item;
        TRY(damaged_at(run, record->key,
                       item_record_decode(run->arena, &run->table->definition.keys, record->key,
                                          record->value, &item)));
    }
    if (run->table->has_local_index && items->count > 0) {
        struct store_key key = collection_key(items->records[0].key);
        struct slice record;
        TRY(store_get(txn, &key, &record));
        TRY(collection_decode(run->arena, record, &begun));
    }
    for (size_t i = 0; i < items->count; i++)
        put_entries(run, txn, items->records[i].value);
    if (run->table->has_local_index)
        put_collections(run, txn, items, begun);
    move_behind(run, items);
    *ret_complete = items->complete;
    return NULL;
}

/* ---- from phase to phase ---- */

/* Changes that come after the last item was copied are none of the copy's business. */
static void begin_next_phase(struct copy_run *run) {
    struct copy_state *state = &run->state;
    if (state->phase == COPY_ITEMS && state->until != COPY_NOTHING_TO_UNDO) {
        state->phase = COPY_UNDO;
        state->cursor = copy_cursor_encode(run->arena, run->engine->sequence.last + 1);
    } else if (state->phase != COPY_BUILD && run->table != NULL &&
               run->table->definition.index_count > 0) {
        state->phase = COPY_BUILD;
        state->cursor = SLICE_LITERAL("");
    } else {
        run->finished = true;
    }
}

void copy_release_source(struct engine *engine, struct arena *arena, struct store_txn *txn,
                         const struct copy_state *state) {
    for (const struct copy *other = engine->copies.first; other != NULL; other = other->next)
        if (other->state.source == state->source && other->state.target != state->target)
            return;
    history_release(&engine->catalog, arena, txn, state->source);
}

static struct error *finish_table(struct copy_run *run, struct store_txn *txn) {
    struct table_definition definition = run->table->definition;
    definition.status = TABLE_ACTIVE;
    definition.restoring = false;
    struct slice stored = table_definition_encode(run->arena, &definition);
    struct store_key key = catalog_key(table_key(run->arena, definition.name));
    store_put(txn, &key, stored);
    return table_new(run->arena, stored, run->table, &run->finished_with);
}

static void finish_backup(struct copy_run *run, struct store_txn *txn) {
    run->backup.status = BACKUP_AVAILABLE;
    run->backup.item_count = run->state.item_count;
    run->backup.size_bytes = run->state.size_bytes;
    backup_put(run->arena, txn, &run->backup);
}

static struct error *finish(struct copy_run *run, struct store_txn *txn) {
    copy_delete(run->arena, txn, run->state.target);
    copy_release_source(run->engine, run->arena, txn, &run->state);
    if (run->table != NULL)
        return finish_table(run, txn);
    finish_backup(run, txn);
    return NULL;
}

static struct table_count copied(const struct copy_run *run) {
    return (struct table_count){run->state.item_count, run->state.size_bytes};
}

static void put_all_stats(struct copy_run *run, struct store_txn *txn) {
    const struct table *table = run->table;
    if (table == NULL)
        return;
    table_stats_put(run->arena, txn, table->stats->id, copied(run));
    for (size_t i = 0; i < table->definition.index_count; i++) {
        const struct table_stats *stats = table->index_stats[i];
        table_stats_put(run->arena, txn, stats->id, table_stats_plus(stats, run->entries[i]));
    }
}

/* ---- the step ---- */

static struct error *run_phase(struct copy_run *run, struct store_txn *txn, bool *ret_complete) {
    switch (run->state.phase) {
    case COPY_ITEMS:
        return copy_items(run, txn, ret_complete);
    case COPY_UNDO:
        return undo_changes(run, txn, ret_complete);
    case COPY_BUILD:
        return build(run, txn, ret_complete);
    }
    return NULL;
}

/* Steps need not be durable: one that is lost is done again. The last one is what clients see. */
static struct error *run_in_transaction(struct copy_run *run, struct store_txn *txn) {
    bool complete = false;
    if (run->table == NULL)
        TRY(backup_get(run->arena, txn, (struct backup_id){run->state.backup_ms, run->state.target},
                       &run->backup));
    TRY(run_phase(run, txn, &complete));
    if (complete)
        begin_next_phase(run);
    put_all_stats(run, txn);
    if (run->finished)
        TRY(finish(run, txn));
    else
        copy_put(run->arena, txn, &run->state);
    return txn_commit_step(txn, run->finished ? run->engine->options.durability : STORE_RELAXED);
}

static struct error *find_target(struct copy_run *run) {
    if (run->state.kind == COPY_TAKE_BACKUP)
        return NULL;
    run->table = catalog_current_by_id(&run->engine->catalog, run->state.target);
    if (run->table == NULL)
        return error_local(run->arena, "the table that a copy is to fill is not there");
    run->entries = ARENA_ARRAY(run->arena, struct table_count, run->table->definition.index_count);
    return NULL;
}

/* Commits the step. On an error nothing has changed. */
static struct error *run_step(struct engine *engine, struct arena *arena,
                              const struct copy_state *state, struct copy_run *ret_run) {
    struct copy_run run = {
        .engine = engine, .arena = arena, .state = *state, .items_before = state->item_count};
    struct store_txn *txn;
    TRY(find_target(&run));
    TRY(hold_begin(engine, arena, &txn));
    struct error *error = run_in_transaction(&run, txn);
    store_end(txn);
    if (error != NULL) {
        table_unref(run.finished_with);
        return error;
    }
    *ret_run = run;
    return NULL;
}

/* ---- showing it ---- */

static void report(const struct copy_run *run) {
    long long items = run->state.item_count, expected = run->state.items_expected;
    if (!run->finished && items / LOG_EVERY_ITEMS == run->items_before / LOG_EVERY_ITEMS)
        return;
    struct slice name = name_of(run);
    const char *what = run->table != NULL ? "restoring table" : "taking backup";
    if (run->finished)
        log_info("%s %.*s: done, %lld items", what, SLICE_ARGS(name), items);
    else
        log_info("%s %.*s: %lld of about %lld items", what, SLICE_ARGS(name), items, expected);
}

/* After it was committed: shows what came of it. */
static void publish(struct copy_run *run) {
    report(run);
    if (run->table == NULL)
        return;
    table_stats_set(run->table->stats, copied(run));
    for (size_t i = 0; i < run->table->definition.index_count; i++) {
        struct table_stats *stats = run->table->index_stats[i];
        table_stats_set(stats, table_stats_plus(stats, run->entries[i]));
    }
    if (run->finished_with != NULL)
        catalog_publish(&run->engine->catalog, run->finished_with);
}

struct error *copy_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state) {
    struct copy *copy = copy_take_turn(&engine->copies);
    *ret_state = CHORE_ASLEEP;
    if (copy == NULL)
        return NULL;
    struct copy_run run;
    TRY(run_step(engine, arena, &copy->state, &run));
    if (run.finished)
        copy_stop(&engine->copies, &engine->catalog, run.state.target);
    else
        copy_set_state(copy, &run.state);
    publish(&run);
    *ret_state = CHORE_STEPPED;
    return NULL;
}
