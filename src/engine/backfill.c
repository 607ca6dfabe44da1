/* backfill.c - one bounded step at a time. */
#include "engine/backfill.h"

#include "base/log.h"
#include "codec/catalog.h"
#include "codec/item.h"
#include "engine/backfill_cursor.h"
#include "engine/expiry.h"
#include "engine/hold.h"
#include "engine/keyspace.h"
#include "engine/state.h"
#include "engine/txn.h"

/* What one step reads: little enough that a write that waits for it hardly notices. */
enum { STEP_ITEMS_MAX = 256, STEP_BYTES_MAX = 256 * 1024, LOG_EVERY_ITEMS = 1000000 };

struct step {
    struct engine *engine;
    struct arena *arena;
    struct table *table;
    struct table_stats *stats;       /* of the range that is filled */
    const struct table_index *index; /* NULL: the expiries */
    struct slice cursor;             /* after the step */
    bool complete;                   /* no item is left */
    struct table_count added;        /* entries */
};

/* ---- one step ---- */

static bool find_work_of(struct table *table, struct step *step) {
    step->table = table;
    for (size_t i = 0; i < table->definition.index_count; i++) {
        step->index = &table->definition.indexes[i];
        step->stats = table->index_stats[i];
        if (step->index->status == TABLE_CREATING)
            return true;
    }
    step->index = NULL;
    step->stats = table->ttl_stats;
    return table->definition.ttl_building;
}

static bool find_work(struct engine *engine, struct step *step) {
    const struct table_list *list = engine->catalog.list;
    for (size_t t = 0; t < list->count; t++)
        if (find_work_of(list->tables[t], step))
            return true;
    return false;
}

struct pending_entry {
    struct index_entry entry;
    struct pending_entry *next;
};

static struct index_entry entry_of(const struct step *step, struct slice item_key,
                                   struct slice stored) {
    const struct table_definition *table = &step->table->definition;
    if (step->index == NULL)
        return expiry_entry_of(step->arena, table, item_key, stored);
    return index_entry_of(step->arena, &step->engine->format.keys, table, step->index, stored);
}

/* Reads the next items and makes their entries; nothing is written yet (a transaction reads first).
 * The entries point to copies in the arena, since a scan's slices live for one step only. */
static struct error *read_items(struct step *step, struct store_scan *scan,
                                struct pending_entry **ret_entries) {
    size_t items = 0, bytes = 0;
    while (items < STEP_ITEMS_MAX && bytes < STEP_BYTES_MAX) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found) {
            step->complete = true;
            return NULL;
        }
        struct slice stored = arena_slice(step->arena, value);
        struct stored_item item;
        const struct table_definition *table = &step->table->definition;
        struct error *error = item_record_decode(step->arena, &table->keys, key, stored, &item);
        if (error != NULL)
            return damage_found(&step->engine->damage, step->arena, table->name, key, error);
        items++;
        bytes += value.len;
        step->cursor = arena_slice(step->arena, key);
        struct pending_entry *pending = ARENA_NEW(step->arena, struct pending_entry);
        pending->entry = entry_of(step, step->cursor, stored);
        if (!slice_present(pending->entry.key))
            continue;
        pending->next = *ret_entries;
        *ret_entries = pending;
    }
    return NULL;
}

static struct error *scan_items(struct step *step, struct store_txn *txn,
                                struct pending_entry **ret_entries) {
    struct key_range items = key_range_of_table(step->arena, step->table->definition.id);
    if (slice_present(step->stats->cursor.key))
        items.first = key_after(step->arena, step->stats->cursor.key);
    struct store_range range = range_in(KEYSPACE_ITEMS, items);
    struct store_scan *scan;
    TRY(store_scan_open(txn, &range, false, &scan));
    struct error *error = read_items(step, scan, ret_entries);
    store_scan_close(scan);
    return error;
}

static void put_entries(struct step *step, struct store_txn *txn,
                        const struct pending_entry *entries) {
    for (; entries != NULL; entries = entries->next) {
        struct store_key key = {KEYSPACE_INDEXES, entries->entry.key};
        store_put(txn, &key, entries->entry.stored);
        step->added.items++;
        if (step->index != NULL)
            step->added.bytes += (int64_t)index_entry_size(&entries->entry);
    }
    table_stats_put(step->arena, txn, step->stats->id, table_stats_plus(step->stats, step->added));
}

static struct table_index *activated_indexes(const struct step *step) {
    const struct table_definition *definition = &step->table->definition;
    struct table_index *indexes =
        arena_copy(step->arena, definition->indexes, definition->index_count * sizeof(*indexes));
    struct table_index *index = &indexes[step->index - definition->indexes];
    index->status = TABLE_ACTIVE;
    index->backfilling = false;
    return indexes;
}

/* The table with the index ACTIVE, or with its items expiring, stored; made when the step was the
 * last one. */
static struct error *activate(struct step *step, struct store_txn *txn, struct table **ret_table) {
    struct table_definition definition = step->table->definition;
    if (step->index != NULL)
        definition.indexes = activated_indexes(step);
    else
        definition.ttl_building = false;
    struct slice stored = table_definition_encode(step->arena, &definition);
    struct store_key key = catalog_key(table_key(step->arena, definition.name));
    store_put(txn, &key, stored);
    key = catalog_key(backfill_key(step->arena, step->stats->id));
    store_delete(txn, &key);
    return table_new(step->arena, stored, step->table, ret_table);
}

static void put_cursor(struct step *step, struct store_txn *txn) {
    struct store_key key = catalog_key(backfill_key(step->arena, step->stats->id));
    if (slice_present(step->cursor))
        store_put(txn, &key, step->cursor);
}

static struct error *run_in_transaction(struct step *step, struct store_txn *txn,
                                        struct table **ret_table) {
    struct pending_entry *entries = NULL;
    TRY(scan_items(step, txn, &entries));
    put_entries(step, txn, entries);
    if (step->complete)
        TRY(activate(step, txn, ret_table));
    else
        put_cursor(step, txn);
    /* Steps need not be durable: one that is lost is done again. The last one is what clients see.
     */
    return txn_commit_step(txn, step->complete ? step->engine->options.durability : STORE_RELAXED);
}

static void report(const struct step *step, int64_t before) {
    const struct table_definition *table = &step->table->definition;
    struct slice name = step->index != NULL ? step->index->name : table->ttl_attribute;
    const char *kind = step->index != NULL ? "index" : "TTL attribute";
    int64_t now = before + step->added.items;
    if (step->complete)
        log_info("%s %.*s of table %.*s is complete: %lld entries", kind, SLICE_ARGS(name),
                 SLICE_ARGS(table->name), (long long)now);
    else if (now / LOG_EVERY_ITEMS != before / LOG_EVERY_ITEMS)
        log_info("%s %.*s of table %.*s: %lld entries so far", kind, SLICE_ARGS(name),
                 SLICE_ARGS(table->name), (long long)now);
}

static void finish(struct step *step, struct table *activated) {
    struct table_stats *stats = step->stats;
    report(step, atomic_load(&stats->item_count));
    table_stats_set(stats, table_stats_plus(stats, step->added));
    if (activated != NULL)
        catalog_publish(&step->engine->catalog, activated);
    else if (slice_present(step->cursor))
        kept_key_set(&stats->cursor, step->cursor);
}

struct error *backfill_step(struct engine *engine, struct arena *arena,
                            enum chore_state *ret_state) {
    struct step step = {.engine = engine, .arena = arena};
    *ret_state = CHORE_ASLEEP;
    if (!backfill_keeper_look_at(&engine->filling, &engine->catalog) || !find_work(engine, &step))
        return NULL;
    struct store_txn *txn;
    struct table *activated = NULL;
    TRY(hold_begin(engine, arena, &txn));
    struct error *error = run_in_transaction(&step, txn, &activated);
    store_end(txn);
    if (error != NULL) {
        table_unref(activated);
        return error;
    }
    finish(&step, activated);
    *ret_state = CHORE_STEPPED;
    return NULL;
}
