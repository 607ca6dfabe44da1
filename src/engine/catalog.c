/* catalog.c - the list of tables: loading, publishing and looking up.
 *
 * Invariants: a change publishes a new list after its records are committed; the present version of
 * each table is stats->current. Memory: a list holds a reference on each of its tables. */
#include "engine/catalog.h"

#include <stdlib.h>

#include "base/check.h"
#include "engine/backfill_cursor.h"
#include "engine/keyspace.h"
#include "engine/throttled.h"

/* ---- the list ---- */

static struct table_list *list_new(size_t count) {
    struct table_list *list = calloc(1, sizeof(*list) + count * sizeof(list->tables[0]));
    CHECK(list != NULL);
    atomic_init(&list->references, 1);
    list->count = count;
    return list;
}

static void list_unref(struct table_list *list) {
    if (list == NULL || atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < list->count; i++)
        table_unref(list->tables[i]);
    free(list);
}

/* The position of the name, or where it would be. */
static size_t list_search(const struct table_list *list, struct slice name, bool *ret_found) {
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

static struct table *list_find(const struct table_list *list, struct slice name) {
    bool found;
    size_t at = list_search(list, name, &found);
    return found ? list->tables[at] : NULL;
}

/* A copy in which `name` stands for `table` (NULL: for nothing). Takes over the reference on
 * `table`. */
static struct table_list *list_with(const struct table_list *list, struct slice name,
                                    struct table *table) {
    bool found;
    size_t at = list_search(list, name, &found);
    struct table_list *changed = list_new(list->count - (found ? 1 : 0) + (table != NULL ? 1 : 0));
    size_t out = 0;
    for (size_t i = 0; i < at; i++)
        changed->tables[out++] = table_ref(list->tables[i]);
    if (table != NULL)
        changed->tables[out++] = table;
    for (size_t i = at + (found ? 1 : 0); i < list->count; i++)
        changed->tables[out++] = table_ref(list->tables[i]);
    return changed;
}

static void note_policy(struct table_list *list, const struct policy *policy) {
    if (policy == NULL)
        return;
    list->has_policies = true;
    list->policy_keys |= policy_keys_used(policy);
}

static void publish(struct catalog *catalog, struct table_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        note_policy(list, list->tables[i]->policy);
        note_policy(list, list->tables[i]->stream_policy);
    }
    pthread_mutex_lock(&catalog->lock);
    struct table_list *before = catalog->list;
    catalog->list = list;
    atomic_fetch_add_explicit(&catalog->generation, 1, memory_order_release);
    pthread_mutex_unlock(&catalog->lock);
    list_unref(before);
}

/* ---- on the commit thread ---- */

void catalog_init(struct catalog *catalog, struct throttle *throttle) {
    catalog->throttle = throttle;
    pthread_mutex_init(&catalog->lock, NULL);
    catalog->list = list_new(0);
    atomic_init(&catalog->generation, 0);
}

void catalog_release(struct catalog *catalog) {
    list_unref(catalog->list);
    pthread_mutex_destroy(&catalog->lock);
}

struct table *catalog_current(const struct catalog *catalog, struct slice name) {
    return list_find(catalog->list, name);
}

struct table *catalog_current_by_id(const struct catalog *catalog, uint32_t id) {
    for (size_t i = 0; i < catalog->list->count; i++)
        if (catalog->list->tables[i]->definition.id == id)
            return catalog->list->tables[i];
    return NULL;
}

static void set_dropped(struct table *table) {
    atomic_store(&table->stats->dropped, true);
    table->stats->current = NULL;
}

void catalog_publish(struct catalog *catalog, struct table *table) {
    table->stats->current = table;
    if (catalog->throttle != NULL)
        throttled_publish(catalog->throttle, table, false);
    publish(catalog, list_with(catalog->list, table->definition.name, table));
}

void catalog_withdraw(struct catalog *catalog, struct table *table) {
    set_dropped(table);
    publish(catalog, list_with(catalog->list, table->definition.name, NULL));
}

/* ---- loading ---- */

/* What is known of ranges beside their definitions, of many at once: a get may be a round trip. */
enum { RANGES_AT_ONCE = 500 };

struct ranges {
    struct table_stats *list[RANGES_AT_ONCE];
    size_t count;
    struct store_key keys[2 * RANGES_AT_ONCE];
    struct slice values[2 * RANGES_AT_ONCE];
};

static struct error *load_ranges(struct arena *arena, struct store_txn *txn,
                                 struct ranges *ranges) {
    size_t count = ranges->count;
    for (size_t i = 0; i < count; i++) {
        ranges->keys[2 * i] = table_stats_key(arena, txn, ranges->list[i]);
        ranges->keys[2 * i + 1] = backfill_cursor_key(arena, ranges->list[i]);
    }
    ranges->count = 0;
    TRY(store_get_many(txn, 2 * count, ranges->keys, ranges->values));
    for (size_t i = 0; i < count; i++) {
        struct table_stats *stats = ranges->list[i];
        kept_key_release(&stats->first_due);
        TRY(table_stats_take(arena, txn, ranges->values[2 * i], stats));
        backfill_cursor_take(ranges->values[2 * i + 1], stats);
    }
    return NULL;
}

static struct error *load_range(struct arena *arena, struct store_txn *txn, struct ranges *ranges,
                                struct table_stats *stats) {
    ranges->list[ranges->count++] = stats;
    return ranges->count == RANGES_AT_ONCE ? load_ranges(arena, txn, ranges) : NULL;
}

static struct error *load_all_ranges(struct arena *arena, struct store_txn *txn,
                                     const struct table_list *list) {
    struct ranges *ranges = ARENA_NEW(arena, struct ranges);
    for (size_t i = 0; i < list->count; i++) {
        const struct table *table = list->tables[i];
        TRY(load_range(arena, txn, ranges, table->stats));
        for (size_t k = 0; k < table->definition.index_count; k++)
            TRY(load_range(arena, txn, ranges, table->index_stats[k]));
        if (table->ttl_stats != NULL)
            TRY(load_range(arena, txn, ranges, table->ttl_stats));
    }
    return ranges->count == 0 ? NULL : load_ranges(arena, txn, ranges);
}

/* `known` is the table of that name so far, or NULL. */
static struct error *load_table(struct arena *arena, struct slice stored, struct table *known,
                                struct table **ret_table) {
    if (known == NULL || !slice_equal(known->stored, stored))
        return table_new(arena, stored, known, ret_table);
    *ret_table = table_ref(known);
    return NULL;
}

/* Appends the tables to the list, which grows; the scan gives them sorted by name. */
static struct error *load_all(const struct catalog *catalog, struct arena *arena,
                              struct store_scan *scan, struct table_list **list) {
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
        struct table *known = list_find(catalog->list, slice_skip(key, 1));
        TRY(load_table(arena, value, known, &(*list)->tables[(*list)->count]));
        (*list)->count++;
    }
}

/* Calls that hold tables of the list before are told which are gone. */
static void replace_all(struct catalog *catalog, struct table_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        list->tables[i]->stats->current = list->tables[i];
        if (catalog->throttle != NULL)
            throttled_publish(catalog->throttle, list->tables[i], true);
    }
    for (size_t i = 0; i < catalog->list->count; i++) {
        struct table *before = catalog->list->tables[i];
        const struct table *now = list_find(list, before->definition.name);
        if (now == NULL || now->stats != before->stats)
            set_dropped(before);
    }
    publish(catalog, list);
}

struct error *catalog_load(struct catalog *catalog, struct arena *arena, struct store_txn *txn) {
    struct store_range tables = range_in(KEYSPACE_CATALOG, table_key_range(arena));
    struct store_scan *scan;
    TRY(store_scan_open(txn, &tables, false, &scan));
    struct table_list *list = list_new(0);
    struct error *error = load_all(catalog, arena, scan, &list);
    store_scan_close(scan);
    if (error == NULL)
        error = load_all_ranges(arena, txn, list);
    if (error != NULL)
        list_unref(list);
    else
        replace_all(catalog, list);
    return error;
}

/* ---- views ---- */

struct catalog_view {
    struct catalog *catalog;
    struct table_list *list;
    uint_fast64_t generation;
};

struct catalog_view *catalog_view_new(struct catalog *catalog) {
    struct catalog_view *view = calloc(1, sizeof(*view));
    CHECK(view != NULL);
    view->catalog = catalog;
    return view;
}

void catalog_view_free(struct catalog_view *view) {
    if (view == NULL)
        return;
    list_unref(view->list);
    free(view);
}

static const struct table_list *view_current(struct catalog_view *view) {
    struct catalog *catalog = view->catalog;
    uint_fast64_t now = atomic_load_explicit(&catalog->generation, memory_order_acquire);
    if (view->generation == now)
        return view->list;
    pthread_mutex_lock(&catalog->lock);
    struct table_list *before = view->list;
    view->list = catalog->list;
    atomic_fetch_add_explicit(&view->list->references, 1, memory_order_relaxed);
    view->generation = atomic_load_explicit(&catalog->generation, memory_order_relaxed);
    pthread_mutex_unlock(&catalog->lock);
    list_unref(before);
    return view->list;
}

struct table *catalog_find(struct catalog_view *view, struct slice name) {
    return list_find(view_current(view), name);
}

size_t catalog_tables(struct catalog_view *view, struct table *const **ret_tables) {
    const struct table_list *list = view_current(view);
    *ret_tables = list->tables;
    return list->count;
}

bool catalog_policies(struct catalog_view *view, uint64_t *ret_keys) {
    const struct table_list *list = view_current(view);
    *ret_keys = list->policy_keys;
    return list->has_policies;
}

struct table *catalog_find_again(const struct catalog_view *view, struct slice name) {
    return view->list == NULL ? NULL : list_find(view->list, name);
}
