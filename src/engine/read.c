/* read.c - gets and ranges.
 *
 * A range becomes first <= key < last on the store's keys: the partition or the segment, narrowed
 * by the condition on the sort key, then by the start key from the side where reading begins. */
#include "engine/read.h"

#include "base/container.h"
#include "codec/index_key.h"
#include "engine/eventual.h"
#include "engine/keyspaces.h"
#include "engine/state.h"

static enum store_mode store_mode_of(enum read_mode mode) {
    return mode == READ_ONCE ? STORE_READ_LATEST : STORE_READ;
}

struct error *reader_begin(struct engine *engine, struct arena *arena, enum read_mode mode,
                           struct reader *ret_reader) {
    *ret_reader = (struct reader){.engine = engine, .arena = arena};
    return store_begin(engine->store, arena, store_mode_of(mode), &ret_reader->txn);
}

struct error *reader_begin_eventual(struct engine *engine, struct arena *arena, enum read_mode mode,
                                    struct reader *ret_reader) {
    struct eventual *eventual = engine->eventual;
    if (__builtin_expect(eventual == NULL, 1) || !eventual_is_usable(eventual))
        return reader_begin(engine, arena, mode, ret_reader);
    atomic_fetch_add_explicit(&eventual->reads, 1, memory_order_relaxed);
    *ret_reader = (struct reader){.engine = engine, .arena = arena, .eventual = true};
    return store_begin(eventual->store, arena, store_mode_of(mode), &ret_reader->txn);
}

void engine_eventual_failed(struct engine *engine) {
    eventual_failed(engine->eventual);
}

void reader_end(struct reader *reader) {
    store_end(reader->txn);
    reader->txn = NULL;
}

static struct error *damaged(struct reader *reader, const struct table *table, struct slice key,
                             const struct error *why) {
    return damage_found(&reader->engine->damage, reader->arena, table->definition.name, key, why);
}

static struct error *unreadable(struct reader *reader, const struct table *table,
                                struct slice key) {
    return damaged(reader, table, key, error_local(reader->arena, "it cannot be read"));
}

static struct error *decode(struct reader *reader, const struct table *table, struct slice key,
                            struct slice value, struct stored_item *ret_item) {
    struct error *error = reader->unread ? item_decode_unread(reader->arena, value, ret_item)
                                         : item_decode(reader->arena, value, ret_item);
    return error == NULL ? NULL : damaged(reader, table, key, error);
}

/* An item under another partition key with the same hash is not the one that was asked for. */
static void drop_stranger(const struct table *table, struct value key, struct stored_item *item) {
    struct slice name = table->definition.keys.hash[0].name;
    if (value_present(item->item) &&
        !value_equal(value_map_find(item->item, name), value_map_find(key, name)))
        *item = (struct stored_item){VALUE_ABSENT, 0};
}

static struct store_key item_store_key(struct reader *reader, const struct read_key *wanted) {
    const struct table_definition *table = &wanted->table->definition;
    return (struct store_key){KEYSPACE_ITEMS,
                              key_encode(reader->arena, &reader->engine->format.keys, table->id,
                                         &table->keys, wanted->key)};
}

static struct error *take_item(struct reader *reader, const struct read_key *wanted,
                               const struct store_key *key, struct slice value,
                               struct stored_item *ret_item) {
    TRY(decode(reader, wanted->table, key->key, value, ret_item));
    drop_stranger(wanted->table, wanted->key, ret_item);
    return NULL;
}

struct error *reader_get_many(struct reader *reader, size_t count, const struct read_key *keys,
                              struct stored_item *ret_items) {
    struct store_key *store_keys = ARENA_ARRAY(reader->arena, struct store_key, count);
    struct slice *values = ARENA_ARRAY(reader->arena, struct slice, count);
    for (size_t i = 0; i < count; i++)
        store_keys[i] = item_store_key(reader, &keys[i]);
    TRY(store_get_many(reader->txn, count, store_keys, values));
    for (size_t i = 0; i < count; i++)
        TRY(take_item(reader, &keys[i], &store_keys[i], values[i], &ret_items[i]));
    return NULL;
}

struct error *reader_damaged(struct reader *reader, const struct read_key *key) {
    return unreadable(reader, key->table, item_store_key(reader, key).key);
}

struct error *reader_get(struct reader *reader, const struct table *table, struct value key,
                         struct stored_item *ret_item) {
    return reader_get_many(reader, 1, &(struct read_key){table, key}, ret_item);
}

/* ---- gets that take a round trip ---- */

static void fetch_done(struct store_fetch *store) {
    struct item_fetch *fetch = container_of(store, struct item_fetch, store);
    fetch->done(fetch);
}

void reader_fetch(struct reader *reader, struct item_fetch *fetch) {
    struct store_key *keys = ARENA_ARRAY(reader->arena, struct store_key, fetch->count);
    for (size_t i = 0; i < fetch->count; i++)
        keys[i] = item_store_key(reader, &fetch->keys[i]);
    fetch->reader = reader;
    fetch->store = (struct store_fetch){
        .count = fetch->count,
        .keys = keys,
        .values = ARENA_ARRAY(reader->arena, struct slice, fetch->count),
        .done = fetch_done,
    };
    store_get_many_start(reader->txn, &fetch->store);
}

struct error *reader_fetched(const struct item_fetch *fetch, size_t i,
                             struct stored_item *ret_item) {
    const struct store_fetch *store = &fetch->store;
    TRY(store->error);
    return take_item(fetch->reader, &fetch->keys[i], &store->keys[i], store->values[i], ret_item);
}

/* ---- ranges ---- */

static const struct key_schema *range_keys(const struct read_range *range) {
    return range->index != NULL ? &range->index->keys : &range->table->definition.keys;
}

static struct slice encode_partition(struct reader *reader, const struct read_range *range) {
    const struct key_codec *codec = &reader->engine->format.keys;
    if (range->index != NULL)
        return index_key_partition(reader->arena, codec, range->index, range->hash);
    return key_encode_partition(reader->arena, codec, range->table->definition.id, range->hash[0]);
}

/* The key of one sort value below a prefix. In an index more follows it; in a table it ends the
 * key. */
static struct slice sort_at(struct reader *reader, const struct read_range *range,
                            struct slice prefix, struct value value) {
    return range->index != NULL ? index_key_sort(reader->arena, prefix, value)
                                : key_encode_sort(reader->arena, prefix, value);
}

/* The smallest key after all with that sort value. */
static struct slice sort_after(struct reader *reader, const struct read_range *range,
                               struct slice prefix, struct value value) {
    struct slice at = sort_at(reader, range, prefix, value);
    return range->index != NULL ? key_after_prefix(reader->arena, at)
                                : key_after(reader->arena, at);
}

static struct key_range sort_starting_with(struct reader *reader, const struct read_range *range,
                                           struct slice prefix, struct value start) {
    struct slice at = range->index != NULL ? index_key_sort_start(reader->arena, prefix, start)
                                           : key_encode_sort(reader->arena, prefix, start);
    return (struct key_range){at, key_after_prefix(reader->arena, at)};
}

/* The keys below a prefix that meet one condition. */
static struct key_range narrow_by_condition(struct reader *reader, const struct read_range *range,
                                            struct slice prefix, const struct key_condition *sort) {
    struct slice end = key_after_prefix(reader->arena, prefix);
    switch (sort->op) {
    case KEY_EQ:
        return (struct key_range){sort_at(reader, range, prefix, sort->value),
                                  sort_after(reader, range, prefix, sort->value)};
    case KEY_LT:
        return (struct key_range){prefix, sort_at(reader, range, prefix, sort->value)};
    case KEY_LE:
        return (struct key_range){prefix, sort_after(reader, range, prefix, sort->value)};
    case KEY_GT:
        return (struct key_range){sort_after(reader, range, prefix, sort->value), end};
    case KEY_GE:
        return (struct key_range){sort_at(reader, range, prefix, sort->value), end};
    case KEY_BEGINS_WITH:
        return sort_starting_with(reader, range, prefix, sort->value);
    case KEY_BETWEEN:
        return (struct key_range){sort_at(reader, range, prefix, sort->value),
                                  sort_after(reader, range, prefix, sort->upper)};
    }
    return (struct key_range){prefix, end};
}

static struct key_range query_bounds(struct reader *reader, const struct read_range *range) {
    struct slice prefix = encode_partition(reader, range);
    for (size_t i = 0; i + 1 < range->sort_count; i++)
        prefix = sort_at(reader, range, prefix, range->sort[i].value);
    if (range->sort_count == 0)
        return (struct key_range){prefix, key_after_prefix(reader->arena, prefix)};
    return narrow_by_condition(reader, range, prefix, &range->sort[range->sort_count - 1]);
}

static struct key_range scan_bounds(struct arena *arena, const struct read_range *range) {
    uint32_t id = range->index != NULL ? range->index->id : range->table->definition.id;
    if (range->total_segments > 0)
        return key_range_of_segment(arena, id, range->segment, range->total_segments);
    return key_range_of_table(arena, id);
}

/* Where the start key stands; of an index it has all attributes of the entry's key. */
static struct slice encode_start(struct engine *engine, struct arena *arena,
                                 const struct read_range *range) {
    const struct table_definition *table = &range->table->definition;
    if (range->index != NULL)
        return index_key_encode(arena, &engine->format.keys, table, range->index, range->start_key);
    return key_encode(arena, &engine->format.keys, table->id, &table->keys, range->start_key);
}

static struct key_range range_bounds(struct reader *reader, const struct read_range *range) {
    struct key_range bounds = value_present(range->hash[0]) ? query_bounds(reader, range)
                                                            : scan_bounds(reader->arena, range);
    if (value_present(range->start_key)) {
        struct slice start = encode_start(reader->engine, reader->arena, range);
        if (range->reverse && slice_compare(start, bounds.last) < 0)
            bounds.last = start;
        else if (!range->reverse && slice_compare(start, bounds.first) >= 0)
            bounds.first = key_after(reader->arena, start);
    }
    return bounds;
}

struct error *cursor_open(struct reader *reader, const struct read_range *range,
                          struct cursor *ret_cursor) {
    struct key_range bounds = range_bounds(reader, range);
    *ret_cursor = (struct cursor){.reader = reader, .range = range};
    if (bounds.first.len > KEY_ID_BYTES) /* else from the first hash on */
        ret_cursor->rank = key_hash_rank(bounds.first);
    if (slice_compare(bounds.first, bounds.last) >= 0)
        return NULL; /* an empty range: no scan, and next finds nothing */
    struct store_range store_range = {range->index != NULL ? KEYSPACE_INDEXES : KEYSPACE_ITEMS,
                                      bounds.first, bounds.last};
    return store_scan_open(reader->txn, &store_range, range->reverse, &ret_cursor->scan);
}

/* Of a query: false for an item under another partition key with the same hash. */
static bool belongs(const struct read_range *range, struct value item) {
    if (!value_present(range->hash[0]))
        return true;
    const struct key_schema *keys = range_keys(range);
    for (size_t i = 0; i < keys->hash_count; i++)
        if (!value_equal(value_map_find(item, keys->hash[i].name), range->hash[i]))
            return false;
    return true;
}

struct error *cursor_next(struct cursor *cursor, struct stored_item *ret_item) {
    *ret_item = (struct stored_item){VALUE_ABSENT, 0};
    while (cursor->scan != NULL) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(cursor->scan, &found, &key, &value));
        if (!found) {
            *ret_item = (struct stored_item){VALUE_ABSENT, 0};
            return NULL;
        }
        if (key.len < ITEM_KEY_PREFIX)
            return unreadable(cursor->reader, cursor->range->table, key);
        TRY(decode(cursor->reader, cursor->range->table, key, value, ret_item));
        cursor->key = key;
        cursor->rank = key_hash_rank(key);
        if (belongs(cursor->range, ret_item->item))
            return NULL;
    }
    return NULL;
}

struct error *cursor_damaged(const struct cursor *cursor) {
    return unreadable(cursor->reader, cursor->range->table, cursor->key);
}

void cursor_close(struct cursor *cursor) {
    if (cursor->scan != NULL)
        store_scan_close(cursor->scan);
    cursor->scan = NULL;
}

uint32_t cursor_partition(const struct cursor *cursor, uint32_t count) {
    return key_hash_part(cursor->rank, count);
}

uint32_t cursor_last_partition(const struct cursor *cursor, uint32_t count) {
    const struct read_range *range = cursor->range;
    if (range->total_segments == 0)
        return count - 1;
    uint64_t end = (uint64_t)(range->segment + 1) * count; /* in parts of a total_segments-th */
    return (uint32_t)((end - 1) / range->total_segments);
}

bool read_range_ends_at(const struct read_range *range, struct value key) {
    const struct key_schema *keys = &range->table->definition.keys;
    if (range->index != NULL || !value_present(range->hash[0]))
        return false;
    if (keys->range_count == 0)
        return true;
    const struct key_condition *sort = &range->sort[0];
    if (range->sort_count == 0 ||
        (sort->op != KEY_BETWEEN && sort->op != (range->reverse ? KEY_GE : KEY_LE)))
        return false;
    bool upper = sort->op == KEY_BETWEEN && !range->reverse;
    return value_equal(value_map_find(key, keys->range[0].name), upper ? sort->upper : sort->value);
}

bool read_segment_holds(struct engine *engine, struct arena *arena,
                        const struct read_range *range) {
    struct slice at = encode_start(engine, arena, range);
    struct key_range bounds = scan_bounds(arena, range);
    return slice_compare(at, bounds.first) >= 0 && slice_compare(at, bounds.last) < 0;
}
