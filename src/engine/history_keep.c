/* history_keep.c - from when on there is history, and trimming it.
 *
 * pitr_since_ms of a definition says from when on its history is complete. Trimming moves it in the
 * commit that drops the records, so that nobody is promised a state whose records are gone, also
 * when the clock was set back meanwhile. */
#include "engine/history_keep.h"

#include "codec/catalog.h"
#include "engine/history.h"
#include "engine/hold.h"
#include "engine/keyspace.h"
#include "engine/state.h"
#include "engine/txn.h"

/* Records are dropped when this much of their time has gathered: often enough for the shortest
 * period, and seldom enough that dropping costs nothing. */
enum { TRIM_EVERY_MS = 60 * 60 * 1000 };

/* ---- with changes of definitions ---- */

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
        if (!copy_reads(&engine->copies, before->id))
            history_drop(arena, txn, before->id, HISTORY_ALL);
    }
}

/* ---- trimming ---- */

/* From when on the history of a table is to be kept; what a copy reads stays. */
static int64_t keep_from_ms(const struct engine *engine, const struct table *table) {
    const struct table_definition *definition = &table->definition;
    int64_t now_ms = clock_now_ms(engine->options.clock);
    int64_t from_ms = recovery_window_start_ms(definition, now_ms);
    int64_t copied_ms = sequence_ms(copy_reads_back_to(&engine->copies, definition->id));
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
    TRY(hold_begin(engine, arena, &txn));
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
