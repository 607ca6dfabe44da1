/* history.c - keeping history, and dropping it.
 *
 * pitr_since_ms of a definition says from when on its history is complete. Trimming moves it in the
 * commit that drops the records, so that nobody is promised a state whose records are gone, also
 * when the clock was set back meanwhile. */
#include "engine/history.h"

#include "codec/catalog.h"
#include "codec/history.h"
#include "engine/backup.h"
#include "engine/copy.h"
#include "engine/keyspace.h"
#include "engine/reclaim.h"
#include "engine/sequence.h"
#include "engine/txn.h"

/* Records are dropped when this much of their time has gathered: often enough for the shortest
 * period, and seldom enough that dropping costs nothing. */
enum { TRIM_EVERY_MS = 60 * 60 * 1000 };

#define ALL_NUMBERS UINT64_MAX

/* ---- keeping ---- */

void history_put_item(struct group *group, const struct slot *slot, struct store_txn *txn) {
    struct history_record record = {key_without_id(slot->key), slot->committed};
    struct store_key key = {
        KEYSPACE_CHANGES,
        history_key(group->arena, slot->table->definition.id, group->next_sequence++),
    };
    store_put(txn, &key, history_record_encode(group->arena, &record));
}

static void put_definition(struct arena *arena, struct store_txn *txn,
                           const struct table_definition *before, uint64_t number) {
    struct store_key key = catalog_key(past_definition_key(arena, before->id, number));
    store_put(txn, &key, table_definition_encode(arena, before));
}

/* 0: the change has used none so far. */
static uint64_t last_used(const struct engine *engine, uint64_t last_number) {
    return last_number != 0 ? last_number : engine->sequence.last;
}

/* Numbers that were used already may be ahead of the clock; no change before this one counts. */
static int64_t time_of_start(const struct engine *engine, uint64_t last_number) {
    int64_t now_ms = clock_now_ms(engine->options.clock);
    int64_t last_ms = sequence_ms(last_number);
    return now_ms > last_ms ? now_ms : last_ms;
}

void history_change(struct engine *engine, struct arena *arena, struct store_txn *txn,
                    const struct table_definition *before, struct table_definition *after,
                    uint64_t *last_number) {
    bool was_on = before != NULL && before->pitr_days > 0, is_on = after->pitr_days > 0;
    if (is_on && !was_on)
        after->pitr_since_ms = time_of_start(engine, last_used(engine, *last_number));
    if (was_on && is_on) {
        uint64_t now = sequence_at(clock_now_ms(engine->options.clock));
        uint64_t last = last_used(engine, *last_number);
        *last_number = now > last ? now : last + 1;
        put_definition(arena, txn, before, *last_number);
        sequence_put(txn, *last_number);
    }
    if (was_on && !is_on) {
        after->pitr_since_ms = 0;
        if (!copy_reads(engine, before->id))
            history_drop(arena, txn, before->id, ALL_NUMBERS);
    }
}

/* ---- dropping ---- */

void history_drop(struct arena *arena, struct store_txn *txn, uint32_t table_id, uint64_t below) {
    struct store_range items = {KEYSPACE_CHANGES, history_key(arena, table_id, 0),
                                history_key(arena, table_id, below)};
    struct store_range definitions = {KEYSPACE_CATALOG, past_definition_key(arena, table_id, 0),
                                      past_definition_key(arena, table_id, below)};
    store_delete_range(txn, &items);
    store_delete_range(txn, &definitions);
}

void history_release(struct engine *engine, struct arena *arena, struct store_txn *txn,
                     uint32_t table_id) {
    const struct table *table = catalog_current_by_id(&engine->catalog, table_id);
    if (table == NULL)
        return;
    const struct table_definition *definition = &table->definition;
    history_drop(arena, txn, table_id,
                 definition->pitr_days > 0 ? sequence_at(definition->pitr_since_ms) : ALL_NUMBERS);
}

/* ---- reading ---- */

static struct error *first_value(struct arena *arena, struct store_txn *txn,
                                 const struct store_range *range, struct slice *ret_value) {
    struct store_scan *scan;
    TRY(store_scan_open(txn, range, false, &scan));
    bool found;
    struct slice key, value;
    struct error *error = store_scan_next(scan, &found, &key, &value);
    if (error == NULL)
        *ret_value = found ? arena_slice(arena, value) : SLICE_NONE;
    store_scan_close(scan);
    return error;
}

struct error *history_definition(struct engine *engine, struct arena *arena,
                                 const struct table *table, uint64_t number,
                                 struct slice *ret_stored) {
    uint32_t id = table->definition.id;
    struct store_range later = {KEYSPACE_CATALOG, past_definition_key(arena, id, number + 1),
                                past_definition_key(arena, id, ALL_NUMBERS)};
    struct store_txn *txn;
    struct slice stored = SLICE_NONE;
    TRY(store_begin(engine->store, arena, STORE_READ, &txn));
    struct error *error = first_value(arena, txn, &later, &stored);
    store_end(txn);
    TRY(error);
    *ret_stored =
        slice_present(stored) ? stored : table_definition_encode(arena, &table->definition);
    return NULL;
}

/* ---- trimming ---- */

/* From when on the history of a table is to be kept; what a copy reads stays. */
static int64_t keep_from_ms(const struct engine *engine, const struct table *table) {
    const struct table_definition *definition = &table->definition;
    int64_t now_ms = clock_now_ms(engine->options.clock);
    int64_t from_ms = recovery_window_start_ms(definition, now_ms);
    int64_t copied_ms = sequence_ms(copy_reads_back_to(engine, definition->id));
    return copied_ms < from_ms ? copied_ms : from_ms;
}

static struct table *find_work(const struct engine *engine, int64_t *ret_from_ms,
                               bool *ret_any_kept) {
    const struct table_list *list = engine->catalog.list;
    for (size_t i = 0; i < list->count; i++) {
        struct table *table = list->tables[i];
        if (table->definition.pitr_days == 0)
            continue;
        *ret_any_kept = true;
        *ret_from_ms = keep_from_ms(engine, table);
        if (*ret_from_ms - table->definition.pitr_since_ms >= TRIM_EVERY_MS)
            return table;
    }
    return NULL;
}

static struct error *trim_in_transaction(struct engine *engine, struct arena *arena,
                                         struct table *table, int64_t from_ms,
                                         struct table **ret_table) {
    struct table_definition definition = table->definition;
    definition.pitr_since_ms = from_ms;
    struct slice stored = table_definition_encode(arena, &definition);
    struct store_key key = catalog_key(table_key(arena, definition.name));
    struct store_txn *txn;
    TRY(table_new(arena, stored, table, ret_table));
    TRY(store_begin(engine->store, arena, STORE_WRITE, &txn));
    store_put(txn, &key, stored);
    history_drop(arena, txn, definition.id, sequence_at(from_ms));
    struct error *error = txn_commit_step(txn, STORE_RELAXED);
    store_end(txn);
    return error;
}

struct error *history_trim(struct engine *engine, struct arena *arena,
                           enum chore_state *ret_state) {
    int64_t from_ms;
    bool any_kept = false;
    struct table *table = find_work(engine, &from_ms, &any_kept), *trimmed = NULL;
    *ret_state = any_kept ? CHORE_WAITING : CHORE_ASLEEP;
    if (table == NULL)
        return NULL;
    struct error *error = trim_in_transaction(engine, arena, table, from_ms, &trimmed);
    if (error != NULL) {
        table_unref(trimmed);
        return error;
    }
    uint32_t id = table->definition.id;
    catalog_publish(&engine->catalog, trimmed);
    reclaim_history(&engine->reclaims, id, sequence_at(from_ms));
    *ret_state = CHORE_STEPPED;
    return NULL;
}
