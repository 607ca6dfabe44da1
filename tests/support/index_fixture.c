/* index_fixture.c - the comparison is naive on purpose: entries are made attribute by attribute
 * from the items, without the engine's own functions. */
#include "support/index_fixture.h"

#include "base/bytes.h"
#include "base/check.h"
#include "model/value_builder.h"

/* ---- indexes ---- */

/* Attributes are sorted by name. */
static void define_n(struct arena *arena, struct table_definition *definition) {
    size_t count = definition->attribute_count, at = 0;
    struct attribute_definition *attributes =
        ARENA_ARRAY(arena, struct attribute_definition, count + 1);
    if (table_attribute_type(definition, SLICE_LITERAL("n")) != VALUE_NONE)
        return;
    while (at < count && slice_compare(definition->attributes[at].name, SLICE_LITERAL("n")) < 0)
        at++;
    for (size_t i = 0; i < count; i++)
        attributes[i + (i >= at)] = definition->attributes[i];
    attributes[at] = (struct attribute_definition){SLICE_LITERAL("n"), VALUE_N};
    definition->attributes = attributes;
    definition->attribute_count = count + 1;
}

static struct error *add(struct catalog_job *job, const struct table *current, size_t table_count,
                         struct catalog_change *ret_change) {
    (void)table_count;
    static struct slice included[] = {{(const uint8_t *)"x", 1}};
    struct table_definition *definition = &ret_change->definition;
    *definition = current->definition;
    size_t count = definition->index_count;
    struct table_index *indexes = ARENA_ARRAY(job->arena, struct table_index, count + 1);
    for (size_t i = 0; i < count; i++)
        indexes[i] = definition->indexes[i];
    indexes[count] = (struct table_index){
        .name = SLICE_LITERAL("later"),
        .global = true,
        .status = TABLE_CREATING,
        .backfilling = true,
        .keys = {.hash_count = 1,
                 .range_count = 1,
                 .hash = {{SLICE_LITERAL("n"), VALUE_N}},
                 .range = {{SLICE_LITERAL("g"), VALUE_S}}},
        .projection = PROJECT_INCLUDE,
        .non_key_attributes = included,
        .non_key_attribute_count = 1,
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
    definition->indexes = indexes;
    definition->index_count = count + 1;
    define_n(job->arena, definition);
    ret_change->action = CATALOG_REPLACE;
    return NULL;
}

static struct error *remove_one(struct catalog_job *job, const struct table *current,
                                size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const char *index = job->context;
    struct table_definition *definition = &ret_change->definition;
    *definition = current->definition;
    definition->indexes = ARENA_ARRAY(job->arena, struct table_index, definition->index_count);
    definition->index_count = 0;
    for (size_t i = 0; i < current->definition.index_count; i++)
        if (!slice_is(current->definition.indexes[i].name, index))
            definition->indexes[definition->index_count++] = current->definition.indexes[i];
    ret_change->action = CATALOG_REPLACE;
    return NULL;
}

struct error *index_add(struct engine_fixture *fixture, const char *table) {
    return fixture_run_catalog(fixture, table, add, NULL);
}

struct error *index_remove(struct engine_fixture *fixture, const char *table, const char *index) {
    return fixture_run_catalog(fixture, table, remove_one, (void *)(uintptr_t)index);
}

bool index_exists(struct engine_fixture *fixture, const char *table, const char *index) {
    const struct table_definition *definition = &fixture_table(fixture, table)->definition;
    for (size_t i = 0; i < definition->index_count; i++)
        if (slice_is(definition->indexes[i].name, index))
            return true;
    return false;
}

static bool is_creating(struct engine_fixture *fixture, const char *table) {
    const struct table_definition *definition = &fixture_table(fixture, table)->definition;
    for (size_t i = 0; i < definition->index_count; i++)
        if (definition->indexes[i].status == TABLE_CREATING)
            return true;
    return false;
}

void index_wait(struct engine_fixture *fixture, const char *table) {
    for (int turns = 0; is_creating(fixture, table);)
        fixture_pause(fixture, &turns);
}

/* ---- comparing ---- */

struct value_list {
    struct value *values;
    size_t count;
};

enum { VALUES_MAX = 10000 };

/* All items of the table, or entries of the index. */
static struct value_list read_all(struct engine_fixture *fixture, const struct table *table,
                                  const struct table_index *index) {
    struct value_list list = {ARENA_ARRAY(&fixture->arena, struct value, VALUES_MAX), 0};
    struct reader reader;
    struct cursor cursor;
    struct read_range range = {.table = table, .index = index};
    CHECK(reader_begin(fixture->engine, &fixture->arena, READ_SNAPSHOT, &reader) == NULL);
    CHECK(cursor_open(&reader, &range, &cursor) == NULL);
    for (;;) {
        struct stored_item item;
        CHECK(cursor_next(&cursor, &item) == NULL);
        if (!value_present(item.item))
            break;
        CHECK(list.count < VALUES_MAX && item.size == item_size(item.item));
        list.values[list.count++] =
            value_from_slice(arena_slice(&fixture->arena, value_slice(item.item)));
    }
    cursor_close(&cursor);
    reader_end(&reader);
    return list;
}

static bool named(const struct key_schema *keys, struct slice name) {
    for (size_t i = 0; i < keys->hash_count; i++)
        if (slice_equal(keys->hash[i].name, name))
            return true;
    for (size_t i = 0; i < keys->range_count; i++)
        if (slice_equal(keys->range[i].name, name))
            return true;
    return false;
}

static bool has_keys(const struct key_attribute *attributes, size_t count, struct value item) {
    for (size_t i = 0; i < count; i++)
        if (value_type(value_map_find(item, attributes[i].name)) != attributes[i].type)
            return false;
    return true;
}

static bool shown(const struct table_definition *table, const struct table_index *index,
                  struct slice name) {
    if (index->projection == PROJECT_ALL || named(&table->keys, name) || named(&index->keys, name))
        return true;
    for (size_t i = 0; i < index->non_key_attribute_count; i++)
        if (slice_equal(index->non_key_attributes[i], name))
            return true;
    return false;
}

/* The entry that the index should have; absent: none. */
static struct value entry_of(struct engine_fixture *fixture, const struct table_definition *table,
                             const struct table_index *index, struct value item) {
    if (!has_keys(index->keys.hash, index->keys.hash_count, item) ||
        !has_keys(index->keys.range, index->keys.range_count, item))
        return VALUE_ABSENT;
    struct buffer bytes;
    struct value_builder builder;
    struct value_iter iter;
    buffer_init(&bytes, 1 << 20);
    value_builder_init(&builder, &bytes, &fixture->arena);
    value_builder_open(&builder, VALUE_M);
    value_iter_init(&iter, item);
    while (value_iter_next(&iter)) {
        if (!shown(table, index, iter.name))
            continue;
        value_builder_name(&builder, iter.name);
        value_builder_value(&builder, iter.value);
    }
    value_builder_close(&builder);
    struct value entry = value_builder_finish(&builder, &fixture->arena);
    buffer_release(&bytes);
    return entry;
}

/* Takes the value out of the list; false when it is not there. */
static bool take(struct value_list *list, struct value value) {
    for (size_t i = 0; i < list->count; i++) {
        if (!value_equal(list->values[i], value))
            continue;
        list->values[i] = list->values[--list->count];
        return true;
    }
    return false;
}

#define PROBLEM(fixture, ...) ((const char *)arena_printf(&(fixture)->arena, __VA_ARGS__).data)

static const char *compare_index(struct engine_fixture *fixture, const struct table *table,
                                 size_t i, const struct value_list *items, size_t *ret_entries) {
    const struct table_index *index = &table->definition.indexes[i];
    struct value_list entries = read_all(fixture, table, index);
    int64_t count = 0, bytes = 0;
    for (size_t n = 0; n < items->count; n++) {
        struct value entry = entry_of(fixture, &table->definition, index, items->values[n]);
        if (!value_present(entry))
            continue;
        count++;
        bytes += (int64_t)item_size(entry);
        if (!take(&entries, entry))
            return PROBLEM(fixture, "%.*s misses %s", SLICE_ARGS(index->name),
                           fixture_json(fixture, entry));
    }
    if (entries.count > 0)
        return PROBLEM(fixture, "%.*s has %s", SLICE_ARGS(index->name),
                       fixture_json(fixture, entries.values[0]));
    if (table->index_stats[i]->item_count != count || table->index_stats[i]->size_bytes != bytes)
        return PROBLEM(fixture, "%.*s has wrong statistics", SLICE_ARGS(index->name));
    *ret_entries += (size_t)count;
    return NULL;
}

/* The bytes of all items and of their local entries. */
static uint64_t local_bytes(struct engine_fixture *fixture, const struct table_definition *table,
                            const struct value_list *items) {
    uint64_t bytes = 0;
    for (size_t n = 0; n < items->count; n++) {
        bytes += item_size(items->values[n]);
        for (size_t i = 0; i < table->index_count; i++) {
            if (table->indexes[i].global)
                continue;
            struct value entry = entry_of(fixture, table, &table->indexes[i], items->values[n]);
            bytes += value_present(entry) ? item_size(entry) : 0;
        }
    }
    return bytes;
}

static size_t partitions_of(const struct value_list *items) {
    size_t count = 0;
    for (size_t n = 0; n < items->count; n++) {
        struct value mine = value_map_find(items->values[n], SLICE_LITERAL("pk"));
        bool again = false;
        for (size_t before = 0; before < n; before++)
            again = again ||
                    value_equal(value_map_find(items->values[before], SLICE_LITERAL("pk")), mine);
        count += !again;
    }
    return count;
}

/* What the indexes' keyspace holds: item collections, whose keys have 20 bytes, and entries of
 * indexes. Expiries have a comparison of their own (expiry_fixture.h). */
struct index_keyspace {
    size_t collections;
    uint64_t collection_bytes;
    size_t entries;
};

static struct index_keyspace read_keyspace(struct engine_fixture *fixture, struct store *store,
                                           uint32_t ttl_id) {
    struct index_keyspace found = {0, 0, 0};
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range all = {KEYSPACE_INDEXES, SLICE_NONE, SLICE_NONE};
    CHECK(store_begin(store, &fixture->arena, STORE_READ, &txn) == NULL);
    CHECK(store_scan_open(txn, &all, false, &scan) == NULL);
    for (;;) {
        bool more;
        struct slice key, value;
        CHECK(store_scan_next(scan, &more, &key, &value) == NULL);
        if (!more)
            break;
        if (ttl_id != 0 && load_u32_be(key.data) == ttl_id)
            continue;
        if (key.len > 20) {
            found.entries++;
            continue;
        }
        found.collections++;
        found.collection_bytes += load_u64(value.data + 1);
    }
    store_scan_close(scan);
    store_end(txn);
    return found;
}

const char *index_difference_from_items(struct engine_fixture *fixture, struct store *store,
                                        const char *name) {
    const struct table *table = fixture_table(fixture, name);
    struct value_list items = read_all(fixture, table, NULL);
    if (table->stats->item_count != (int64_t)items.count)
        return "the table has wrong statistics";
    size_t entries = 0;
    for (size_t i = 0; i < table->definition.index_count; i++) {
        const char *problem = compare_index(fixture, table, i, &items, &entries);
        if (problem != NULL)
            return problem;
    }
    struct index_keyspace found = read_keyspace(fixture, store, table->definition.ttl_id);
    if (found.entries != entries)
        return PROBLEM(fixture, "%zu entries in the store, %zu in the indexes", found.entries,
                       entries);
    if (found.collections != partitions_of(&items) ||
        found.collection_bytes != local_bytes(fixture, &table->definition, &items))
        return "an item collection has a wrong size";
    return NULL;
}
