/* catalog.c - the list of tables: loading and looking up.
 *
 * Invariants: the list is sorted by name and never changes after it is published; a change
 * (catalog_change.c) publishes a new list after its records are committed. Memory: each table has
 * its own arena, freed with its last reference. Threads: lookups on any thread through a view,
 * loading and publishing on the commit thread. */
#include "engine/catalog.h"

#include <stdlib.h>

#include "base/check.h"
#include "codec/catalog.h"
#include "codec/statistics.h"
#include "engine/backfill.h"
#include "engine/history.h"
#include "engine/keyspace.h"
#include "engine/state.h"

/* ---- tables ---- */

struct table *table_ref(struct table *table) {
    atomic_fetch_add_explicit(&table->references, 1, memory_order_relaxed);
    return table;
}

static void stats_unref(struct table_stats *stats) {
    if (atomic_fetch_sub_explicit(&stats->references, 1, memory_order_acq_rel) != 1)
        return;
    kept_key_release(&stats->cursor);
    kept_key_release(&stats->first_due);
    free(stats);
}

void table_unref(struct table *table) {
    if (table == NULL ||
        atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < table->definition.index_count; i++)
        stats_unref(table->index_stats[i]);
    if (table->ttl_stats != NULL)
        stats_unref(table->ttl_stats);
    stats_unref(table->stats);
    arena_release(&table->arena);
    free(table);
}

int64_t table_average_bytes(const struct table *table) {
    int64_t count = atomic_load(&table->stats->item_count);
    int64_t bytes = atomic_load(&table->stats->size_bytes);
    return count > 0 ? bytes / count + 1 : 1;
}

/* The statistics of an id: those it had in the version before, else new ones. Takes a reference. */
static struct table_stats *stats_for(const struct table *before, uint32_t id) {
    struct table_stats *stats = NULL;
    if (before != NULL && before->definition.id == id)
        stats = before->stats;
    for (size_t i = 0; before != NULL && i < before->definition.index_count; i++)
        if (before->definition.indexes[i].id == id)
            stats = before->index_stats[i];
    if (before != NULL && before->ttl_stats != NULL && before->ttl_stats->id == id)
        stats = before->ttl_stats;
    if (stats == NULL) {
        stats = calloc(1, sizeof(*stats));
        CHECK(stats != NULL);
        stats->id = id;
    }
    atomic_fetch_add_explicit(&stats->references, 1, memory_order_relaxed);
    return stats;
}

struct error *catalog_table_new(struct arena *arena, struct slice stored,
                                const struct table *before, struct table **ret_table) {
    struct table *table = calloc(1, sizeof(*table));
    CHECK(table != NULL);
    arena_init(&table->arena);
    struct slice own = arena_slice(&table->arena, stored);
    struct error *error = table_definition_decode(&table->arena, own, &table->definition);
    if (error != NULL) {
        error = error_new(arena, error->code, "%.*s", SLICE_ARGS(error->message));
        arena_release(&table->arena);
        free(table);
        return error;
    }
    atomic_init(&table->references, 1);
    size_t index_count = table->definition.index_count;
    table->stats = stats_for(before, table->definition.id);
    table->index_stats = ARENA_ARRAY(&table->arena, struct table_stats *, index_count);
    for (size_t i = 0; i < index_count; i++) {
        table->index_stats[i] = stats_for(before, table->definition.indexes[i].id);
        table->has_local_index = table->has_local_index || !table->definition.indexes[i].global;
    }
    if (table->definition.ttl_id != 0)
        table->ttl_stats = stats_for(before, table->definition.ttl_id);
    *ret_table = table;
    return NULL;
}

/* ---- the list ---- */

static struct catalog *list_new(size_t count) {
    struct catalog *list = calloc(1, sizeof(*list) + count * sizeof(list->tables[0]));
    CHECK(list != NULL);
    atomic_init(&list->references, 1);
    list->count = count;
    return list;
}

static void list_unref(struct catalog *list) {
    if (list == NULL || atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < list->count; i++)
        table_unref(list->tables[i]);
    free(list);
}

/* The position of the name, or where it would be. */
static size_t list_search(const struct catalog *list, struct slice name, bool *ret_found) {
    size_t low = 0, high = list->count;
    *ret_found = false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = slice_compare(list->tables[middle]->definition.name, name);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct table *list_find(const struct catalog *list, struct slice name) {
    bool found;
    size_t at = list_search(list, name, &found);
    return found ? list->tables[at] : NULL;
}

/* A copy in which `name` stands for `table` (NULL: for nothing). Takes over the reference on
 * `table`. */
static struct catalog *list_with(const struct catalog *list, struct slice name,
                                 struct table *table) {
    bool found;
    size_t at = list_search(list, name, &found);
    struct catalog *changed = list_new(list->count - (found ? 1 : 0) + (table != NULL ? 1 : 0));
    size_t out = 0;
    for (size_t i = 0; i < at; i++)
        changed->tables[out++] = table_ref(list->tables[i]);
    if (table != NULL)
        changed->tables[out++] = table;
    for (size_t i = at + (found ? 1 : 0); i < list->count; i++)
        changed->tables[out++] = table_ref(list->tables[i]);
    return changed;
}

/* What there is to do for the chores. */
static void note_work(struct engine *engine, const struct catalog *list) {
    engine->filling = engine->sweep.any = false;
    engine->sweep.first = 0; /* not known */
    for (size_t t = 0; t < list->count; t++) {
        const struct table_definition *definition = &list->tables[t]->definition;
        engine->sweep.any = engine->sweep.any || definition->ttl_id != 0;
        engine->filling = engine->filling || definition->ttl_building;
        for (size_t i = 0; i < definition->index_count; i++)
            engine->filling = engine->filling || definition->indexes[i].status == TABLE_CREATING;
    }
}

static void publish(struct engine *engine, struct catalog *list) {
    note_work(engine, list);
    pthread_mutex_lock(&engine->catalog_lock);
    struct catalog *before = engine->catalog;
    engine->catalog = list;
    atomic_fetch_add_explicit(&engine->catalog_generation, 1, memory_order_release);
    pthread_mutex_unlock(&engine->catalog_lock);
    list_unref(before);
}

struct table *catalog_current(const struct engine *engine, struct slice name) {
    return list_find(engine->catalog, name);
}

struct table *catalog_current_by_id(const struct engine *engine, uint32_t id) {
    for (size_t i = 0; i < engine->catalog->count; i++)
        if (engine->catalog->tables[i]->definition.id == id)
            return engine->catalog->tables[i];
    return NULL;
}

void catalog_publish(struct engine *engine, struct table *table) {
    table->stats->current = table;
    history_look_at(engine, table);
    publish(engine, list_with(engine->catalog, table->definition.name, table));
}

void catalog_withdraw(struct engine *engine, struct table *table) {
    atomic_store(&table->stats->dropped, true);
    table->stats->current = NULL;
    publish(engine, list_with(engine->catalog, table->definition.name, NULL));
}

void catalog_clear(struct engine *engine) {
    list_unref(engine->catalog);
    engine->catalog = NULL;
}

/* ---- loading ---- */

static struct error *load_stats(struct arena *arena, struct store_txn *txn,
                                struct table_stats *stats) {
    struct store_key key = catalog_key(statistics_key(arena, stats->id));
    struct slice record;
    int64_t item_count, size_bytes;
    TRY(store_get(txn, &key, &record));
    TRY(statistics_decode(arena, record, &item_count, &size_bytes));
    atomic_store(&stats->item_count, item_count);
    atomic_store(&stats->size_bytes, size_bytes);
    return NULL;
}

/* Of an index, or of the range of expiries. */
static struct error *load_range(struct arena *arena, struct store_txn *txn,
                                struct table_stats *stats) {
    TRY(load_stats(arena, txn, stats));
    return backfill_load(arena, txn, stats);
}

static struct error *load_table(struct arena *arena, struct store_txn *txn, struct slice stored,
                                struct table **ret_table) {
    struct table *table;
    TRY(catalog_table_new(arena, stored, NULL, &table));
    struct error *error = load_stats(arena, txn, table->stats);
    for (size_t i = 0; error == NULL && i < table->definition.index_count; i++)
        error = load_range(arena, txn, table->index_stats[i]);
    if (error == NULL && table->ttl_stats != NULL)
        error = load_range(arena, txn, table->ttl_stats);
    if (error != NULL) {
        table_unref(table);
        return error;
    }
    table->stats->current = table;
    table->stats->keeps_history = table->definition.pitr_days > 0;
    *ret_table = table;
    return NULL;
}

/* Appends the tables to the list, which grows; the scan gives them sorted by name. */
static struct error *load_all(struct arena *arena, struct store_txn *txn, struct store_scan *scan,
                              struct catalog **list) {
    size_t capacity = 0;
    for (;;) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found)
            return NULL;
        if ((*list)->count == capacity) {
            capacity = capacity == 0 ? 16 : capacity * 2;
            *list = realloc(*list, sizeof(**list) + capacity * sizeof(struct table *));
            CHECK(*list != NULL);
        }
        TRY(load_table(arena, txn, value, &(*list)->tables[(*list)->count]));
        (*list)->count++;
    }
}

struct error *catalog_load(struct engine *engine, struct arena *arena, struct store_txn *txn) {
    struct store_range tables = range_in(KEYSPACE_CATALOG, table_key_range(arena));
    struct store_scan *scan;
    TRY(store_scan_open(txn, &tables, false, &scan));
    struct catalog *list = list_new(0);
    struct error *error = load_all(arena, txn, scan, &list);
    store_scan_close(scan);
    publish(engine, list);
    return error;
}

/* ---- views ---- */

struct catalog_view {
    struct engine *engine;
    struct catalog *list;
    uint_fast64_t generation;
};

struct catalog_view *catalog_view_new(struct engine *engine) {
    struct catalog_view *view = calloc(1, sizeof(*view));
    CHECK(view != NULL);
    view->engine = engine;
    return view;
}

void catalog_view_free(struct catalog_view *view) {
    if (view == NULL)
        return;
    list_unref(view->list);
    free(view);
}

static const struct catalog *view_current(struct catalog_view *view) {
    struct engine *engine = view->engine;
    uint_fast64_t now = atomic_load_explicit(&engine->catalog_generation, memory_order_acquire);
    if (view->generation == now)
        return view->list;
    pthread_mutex_lock(&engine->catalog_lock);
    struct catalog *before = view->list;
    view->list = engine->catalog;
    atomic_fetch_add_explicit(&view->list->references, 1, memory_order_relaxed);
    view->generation = atomic_load_explicit(&engine->catalog_generation, memory_order_relaxed);
    pthread_mutex_unlock(&engine->catalog_lock);
    list_unref(before);
    return view->list;
}

struct table *catalog_find(struct catalog_view *view, struct slice name) {
    return list_find(view_current(view), name);
}

size_t catalog_tables(struct catalog_view *view, struct table *const **ret_tables) {
    const struct catalog *list = view_current(view);
    *ret_tables = list->tables;
    return list->count;
}
