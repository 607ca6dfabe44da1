/* expiry_fixture.c - the comparison is naive on purpose: keys are made from the texts of numbers,
 * without the engine's own functions. */
#include "support/expiry_fixture.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/item.h"
#include "model/number.h"

struct engine_options expiry_options(struct store *store, struct movable_clock *clock) {
    struct clock_move stop = {.now_ms = EXPIRY_NOW * 1000, .set_running = true, .running = false};
    movable_clock_init(clock);
    CHECK(movable_clock_move(clock, &stop) == CLOCK_MOVED);
    struct engine_options options = fixture_options(store);
    options.clock = &clock->clock;
    return options;
}

void expiry_advance(struct engine_fixture *fixture, struct movable_clock *clock, int64_t ms) {
    const struct clock_move move = {.advance_ms = ms};
    int64_t now_ms;
    CHECK(engine_move_clock(fixture->engine, clock, &move, &now_ms) == CLOCK_MOVED);
}

/* ---- TTL attributes ---- */

static struct error *set(struct catalog_job *job, const struct table *current, size_t table_count,
                         struct catalog_change *ret_change) {
    (void)table_count;
    const struct slice *attribute = job->context;
    struct table_definition *definition = &ret_change->definition;
    *definition = current->definition;
    definition->ttl_attribute = *attribute;
    definition->ttl_id = 0;
    definition->ttl_building = slice_present(*attribute) && current->stats->item_count > 0;
    ret_change->action = CATALOG_REPLACE;
    return NULL;
}

struct error *expiry_set(struct engine_fixture *fixture, const char *table, const char *attribute) {
    struct slice wanted = attribute == NULL ? SLICE_NONE : slice_text(attribute);
    return fixture_run_catalog(fixture, table, set, &wanted);
}

/* ---- waiting ---- */

void expiry_wait_built(struct engine_fixture *fixture, const char *table) {
    for (int times = 0; fixture_table(fixture, table)->definition.ttl_building;)
        fixture_pause(fixture, &times);
}

void expiry_wait_items(struct engine_fixture *fixture, const char *table, int64_t count) {
    for (int times = 0; fixture_table(fixture, table)->stats->item_count != count;)
        fixture_pause(fixture, &times);
}

/* ---- comparing ---- */

enum { KEYS_MAX = 20000 };

struct key_list {
    struct slice *keys;
    size_t count;
};

static bool second_of(struct value value, uint64_t *ret_seconds) {
    char text[NUMBER_TEXT_MAX + 1];
    if (value_type(value) != VALUE_N)
        return false;
    text[number_format(value_scalar(value), text)] = '\0';
    errno = 0;
    *ret_seconds = strtoull(text, NULL, 10); /* up to the point */
    return text[0] != '-' && errno == 0 && *ret_seconds <= INT64_MAX;
}

/* The keys of a keyspace, or for items those of the entries that they should have. */
static struct key_list read_keys(struct engine_fixture *fixture, struct store *store,
                                 uint8_t keyspace, const struct table_definition *table) {
    struct key_list list = {ARENA_ARRAY(&fixture->arena, struct slice, KEYS_MAX), 0};
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range all = {keyspace, SLICE_NONE, SLICE_NONE};
    CHECK(store_begin(store, &fixture->arena, STORE_READ, &txn) == NULL);
    CHECK(store_scan_open(txn, &all, false, &scan) == NULL);
    for (;;) {
        bool more;
        uint64_t seconds;
        struct slice key, value;
        CHECK(store_scan_next(scan, &more, &key, &value) == NULL);
        if (!more)
            break;
        CHECK(list.count < KEYS_MAX);
        if (keyspace == KEYSPACE_ITEMS && load_u32_be(key.data) != table->id)
            continue; /* of a backup */
        if (keyspace != KEYSPACE_ITEMS) {
            list.keys[list.count++] = arena_slice(&fixture->arena, key);
        } else if (second_of(value_map_find(stored_item_value(value), table->ttl_attribute),
                             &seconds)) {
            uint8_t *bytes = arena_alloc(&fixture->arena, key.len + 8);
            store_u32_be(bytes, table->ttl_id);
            store_u64_be(bytes + 4, seconds);
            memcpy(bytes + 12, key.data + 4, key.len - 4);
            list.keys[list.count++] = slice_of(bytes, key.len + 8);
        }
    }
    store_scan_close(scan);
    store_end(txn);
    return list;
}

static int compare_keys(const void *a, const void *b) {
    const struct slice *x = a, *y = b;
    return slice_compare(*x, *y);
}

static bool is_of_index(const struct table_definition *table, struct slice key) {
    uint32_t id = load_u32_be(key.data);
    for (size_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].id == id)
            return true;
    return id == table->id; /* an item collection */
}

/* The list without the keys of the table's indexes and collections. */
static struct key_list without_indexes(const struct table_definition *table, struct key_list all) {
    struct key_list left = {all.keys, 0};
    for (size_t i = 0; i < all.count; i++)
        if (!is_of_index(table, all.keys[i]))
            left.keys[left.count++] = all.keys[i];
    return left;
}

void expiry_wait_swept(struct engine_fixture *fixture, struct store *store, const char *name,
                       int64_t second) {
    for (int times = 0;; fixture_pause(fixture, &times)) {
        const struct table *table = fixture_table(fixture, name);
        struct arena_mark mark = arena_mark(&fixture->arena);
        struct key_list wanted = read_keys(fixture, store, KEYSPACE_ITEMS, &table->definition);
        size_t due = 0;
        for (size_t i = 0; i < wanted.count; i++)
            due += load_u64_be(wanted.keys[i].data + 4) < (uint64_t)second;
        arena_rewind(&fixture->arena, mark);
        if (due == 0 && table->ttl_stats->item_count == (int64_t)wanted.count)
            return;
    }
}

#define PROBLEM(fixture, ...) ((const char *)arena_printf(&(fixture)->arena, __VA_ARGS__).data)

const char *expiry_difference_from_items(struct engine_fixture *fixture, struct store *store,
                                         const char *name) {
    const struct table *table = fixture_table(fixture, name);
    const struct table_definition *definition = &table->definition;
    struct key_list wanted = {NULL, 0};
    if (definition->ttl_id != 0)
        wanted = read_keys(fixture, store, KEYSPACE_ITEMS, definition);
    struct key_list found =
        without_indexes(definition, read_keys(fixture, store, KEYSPACE_INDEXES, definition));
    if (wanted.count > 0)
        qsort(wanted.keys, wanted.count, sizeof(*wanted.keys), compare_keys);
    for (size_t i = 0; i < wanted.count || i < found.count; i++)
        if (i >= wanted.count || i >= found.count || !slice_equal(wanted.keys[i], found.keys[i]))
            return PROBLEM(fixture, "%zu expiries, %zu wanted; number %zu differs", found.count,
                           wanted.count, i);
    if (table->ttl_stats != NULL && table->ttl_stats->item_count != (int64_t)wanted.count)
        return PROBLEM(fixture, "%zu expiries, counted as %lld", found.count,
                       (long long)table->ttl_stats->item_count);
    return NULL;
}
