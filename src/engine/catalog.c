/* catalog.c - the list of tables: loading, looking up, changing.
 *
 * Invariants: the list is sorted by name and never changes after it is published; a change builds a
 * new list, commits the records to the store, and only then publishes. Memory: each table has its
 * own arena, freed with its last reference. Threads: lookups on any thread through a view, changes
 * on the commit thread. */
#include "engine/catalog.h"

#include <stdlib.h>

#include "base/check.h"
#include "codec/catalog.h"
#include "engine/backfill.h"
#include "engine/state.h"

/* ---- tables ---- */

struct table *table_ref(struct table *table) {
    atomic_fetch_add_explicit(&table->references, 1, memory_order_relaxed);
    return table;
}

static void stats_unref(struct table_stats *stats) {
    if (atomic_fetch_sub_explicit(&stats->references, 1, memory_order_acq_rel) != 1)
        return;
    free(stats->cursor_bytes);
    free(stats);
}

void table_unref(struct table *table) {
    if (table == NULL ||
        atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < table->definition.index_count; i++)
        stats_unref(table->index_stats[i]);
    stats_unref(table->stats);
    arena_release(&table->arena);
    free(table);
}

/* The statistics of an id: those it had in the version before, else new ones. Takes a reference. */
static struct table_stats *stats_for(const struct table *before, uint32_t id) {
    struct table_stats *stats = NULL;
    if (before != NULL && before->definition.id == id)
        stats = before->stats;
    for (size_t i = 0; before != NULL && i < before->definition.index_count; i++)
        if (before->definition.indexes[i].id == id)
            stats = before->index_stats[i];
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

static bool any_index_creating(const struct catalog *list) {
    for (size_t t = 0; t < list->count; t++)
        for (size_t i = 0; i < list->tables[t]->definition.index_count; i++)
            if (list->tables[t]->definition.indexes[i].status == TABLE_CREATING)
                return true;
    return false;
}

static void publish(struct engine *engine, struct catalog *list) {
    engine->index_creating = any_index_creating(list);
    pthread_mutex_lock(&engine->catalog_lock);
    struct catalog *before = engine->catalog;
    engine->catalog = list;
    atomic_fetch_add_explicit(&engine->catalog_generation, 1, memory_order_release);
    pthread_mutex_unlock(&engine->catalog_lock);
    list_unref(before);
}

void catalog_publish(struct engine *engine, struct table *table) {
    table->stats->current = table;
    publish(engine, list_with(engine->catalog, table->definition.name, table));
}

void catalog_clear(struct engine *engine) {
    list_unref(engine->catalog);
    engine->catalog = NULL;
}

/* ---- loading ---- */

static struct error *load_stats(struct arena *arena, struct store_txn *txn,
                                struct table_stats *stats) {
    struct store_key key = catalog_stats_key(arena, stats->id);
    struct slice record;
    int64_t item_count, size_bytes;
    TRY(store_get(txn, &key, &record));
    TRY(catalog_stats_decode(arena, record, &item_count, &size_bytes));
    atomic_store(&stats->item_count, item_count);
    atomic_store(&stats->size_bytes, size_bytes);
    return NULL;
}

static struct error *load_table(struct arena *arena, struct store_txn *txn, struct slice stored,
                                struct table **ret_table) {
    struct table *table;
    TRY(catalog_table_new(arena, stored, NULL, &table));
    struct error *error = load_stats(arena, txn, table->stats);
    for (size_t i = 0; error == NULL && i < table->definition.index_count; i++)
        error = load_stats(arena, txn, table->index_stats[i]);
    for (size_t i = 0; error == NULL && i < table->definition.index_count; i++)
        error = backfill_load(arena, txn, table->index_stats[i]);
    if (error != NULL) {
        table_unref(table);
        return error;
    }
    table->stats->current = table;
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
        struct arena_mark mark = arena_mark(arena);
        TRY(load_table(arena, txn, value, &(*list)->tables[(*list)->count]));
        (*list)->count++;
        arena_rewind(arena, mark);
    }
}

struct error *catalog_load(struct engine *engine, struct arena *arena, struct store_txn *txn) {
    struct store_range tables = {KEYSPACE_CATALOG, SLICE_LITERAL("T"), SLICE_LITERAL("U")};
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

/* ---- changes ---- */

static void put_empty_stats(struct arena *arena, struct store_txn *txn, uint32_t id) {
    struct store_key key = catalog_stats_key(arena, id);
    store_put(txn, &key, catalog_stats_encode(arena, 0, 0));
}

/* Gives an id to what is new; each starts with empty statistics. */
static void assign_ids(struct engine *engine, struct arena *arena, struct store_txn *txn,
                       struct table_definition *definition) {
    uint32_t first = engine->next_id;
    if (definition->id == 0)
        definition->id = engine->next_id++;
    for (size_t i = 0; i < definition->index_count; i++)
        if (definition->indexes[i].id == 0)
            definition->indexes[i].id = engine->next_id++;
    for (uint32_t id = first; id < engine->next_id; id++)
        put_empty_stats(arena, txn, id);
    if (engine->next_id != first)
        format_store_next_id(engine, txn);
}

static void drop_range(struct arena *arena, struct store_txn *txn, uint8_t keyspace, uint32_t id) {
    struct store_key key = catalog_stats_key(arena, id);
    store_delete(txn, &key);
    struct key_range all = key_range_of_table(arena, id);
    struct store_range range = {keyspace, all.first, all.last};
    store_delete_range(txn, &range);
}

static bool has_index(const struct table_definition *definition, uint32_t id) {
    for (size_t i = 0; i < definition->index_count; i++)
        if (definition->indexes[i].id == id)
            return true;
    return false;
}

/* The indexes of `before` that `after` (NULL: nothing) does not have any more. */
static void drop_indexes(struct arena *arena, struct store_txn *txn,
                         const struct table_definition *before,
                         const struct table_definition *after) {
    for (size_t i = 0; i < before->index_count; i++)
        if (after == NULL || !has_index(after, before->indexes[i].id)) {
            struct store_key cursor = backfill_cursor_key(arena, before->indexes[i].id);
            store_delete(txn, &cursor);
            drop_range(arena, txn, KEYSPACE_INDEXES, before->indexes[i].id);
        }
}

static void drop_table(struct arena *arena, struct store_txn *txn,
                       const struct table_definition *definition) {
    struct store_key key = catalog_table_key(arena, definition->name);
    store_delete(txn, &key);
    drop_indexes(arena, txn, definition, NULL);
    drop_range(arena, txn, KEYSPACE_ITEMS, definition->id);
    drop_range(arena, txn, KEYSPACE_INDEXES, definition->id); /* its item collections */
}

/* Writes the records of the change and makes the table that will stand for it (NULL after a drop).
 */
static struct error *apply_change(struct engine *engine, struct catalog_job *job,
                                  struct catalog_change *change, struct table *current,
                                  struct store_txn *txn, struct table **ret_table) {
    struct arena *arena = job->arena;
    if (change->action == CATALOG_DROP) {
        drop_table(arena, txn, &current->definition);
        *ret_table = NULL;
        return NULL;
    }
    /* A copy, so that a second attempt starts from what was asked for. */
    struct table_definition definition = change->definition;
    definition.indexes =
        arena_copy(arena, definition.indexes, definition.index_count * sizeof(*definition.indexes));
    if (change->action == CATALOG_REPLACE)
        drop_indexes(arena, txn, &current->definition, &definition);
    assign_ids(engine, arena, txn, &definition);
    struct slice stored = table_definition_encode(arena, &definition);
    struct store_key key = catalog_table_key(arena, definition.name);
    store_put(txn, &key, stored);
    return catalog_table_new(arena, stored, current, ret_table);
}

static struct error *attempt_change(struct engine *engine, struct catalog_job *job,
                                    struct catalog_change *change, struct table *current,
                                    struct table **ret_table, bool *ret_conflict) {
    struct store_txn *txn;
    struct table *table = NULL;
    TRY(store_begin(engine->store, job->arena, STORE_WRITE, &txn));
    struct error *error = apply_change(engine, job, change, current, txn, &table);
    if (error == NULL)
        error = engine_commit(engine, txn, ret_conflict);
    store_end(txn);
    if (error != NULL || *ret_conflict)
        table_unref(table);
    else
        *ret_table = table;
    return error;
}

static struct error *commit_change(struct engine *engine, struct catalog_job *job,
                                   struct catalog_change *change, struct table *current,
                                   struct table **ret_table) {
    for (int attempt = 0; attempt < COMMIT_ATTEMPTS_MAX; attempt++) {
        bool conflict;
        TRY(attempt_change(engine, job, change, current, ret_table, &conflict));
        if (!conflict)
            return NULL;
    }
    return engine_too_many_conflicts(job->arena);
}

static struct error *run_change(struct engine *engine, struct catalog_job *job,
                                struct catalog_change *change, struct table *current) {
    struct table *table = NULL;
    TRY(commit_change(engine, job, change, current, &table));
    if (table != NULL) {
        job->after = table_ref(table);
        catalog_publish(engine, table);
        return NULL;
    }
    atomic_store(&current->stats->dropped, true);
    current->stats->current = NULL;
    publish(engine, list_with(engine->catalog, job->table_name, NULL));
    return NULL;
}

void catalog_run(struct engine *engine, struct catalog_job *job) {
    struct table *current = list_find(engine->catalog, job->table_name);
    struct catalog_change change = {CATALOG_NOTHING, {.name = SLICE_NONE}};
    if (current != NULL)
        job->before = table_ref(current);
    job->error = job->change(job, current, engine->catalog->count, &change);
    if (job->error != NULL)
        return;
    if (change.action == CATALOG_NOTHING)
        job->after = current == NULL ? NULL : table_ref(current);
    else
        job->error = run_change(engine, job, &change, current);
}

void catalog_job_release(struct catalog_job *job) {
    table_unref(job->before);
    table_unref(job->after);
    job->before = job->after = NULL;
}
