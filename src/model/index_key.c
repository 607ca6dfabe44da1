/* index_key.c - membership and sizes of entries; types, emptiness and sizes of index keys. */
#include "model/index_key.h"

#include "model/key.h"
#include "model/limits.h"

/* ---- entries ---- */

/* The values of the attributes; false when one of them keeps the item out of the index. */
static bool find_parts(const struct key_attribute *attributes, size_t count, size_t bytes_max,
                       struct value item, struct value *ret_values) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        ret_values[i] = value_map_find(item, attributes[i].name);
        if (value_type(ret_values[i]) != attributes[i].type)
            return false;
        size_t len = value_scalar(ret_values[i]).len;
        bytes += len;
        if (len == 0 || bytes > bytes_max)
            return false;
    }
    return true;
}

bool index_key_find(const struct table_index *index, struct value item,
                    struct index_key_values *ret_values) {
    const struct key_schema *keys = &index->keys;
    return find_parts(keys->hash, keys->hash_count, LIMIT_HASH_KEY_BYTES, item, ret_values->hash) &&
           find_parts(keys->range, keys->range_count, LIMIT_RANGE_KEY_BYTES, item,
                      ret_values->range);
}

static bool in_sorted(const struct slice *names, size_t count, struct slice name) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = slice_compare(names[middle], name);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool index_projects(const struct table_definition *table, const struct table_index *index,
                    struct slice name) {
    return index->projection == PROJECT_ALL || key_schema_has(&table->keys, name) ||
           key_schema_has(&index->keys, name) ||
           in_sorted(index->non_key_attributes, index->non_key_attribute_count, name);
}

static uint64_t entry_size(const struct table_definition *table, const struct table_index *index,
                           struct value item, uint64_t item_size) {
    struct index_key_values values;
    if (!index_key_find(index, item, &values))
        return 0;
    if (index->projection == PROJECT_ALL)
        return item_size;
    uint64_t size = 0;
    struct value_iter iter;
    value_iter_init(&iter, item);
    while (value_iter_next(&iter))
        if (index_projects(table, index, iter.name))
            size += iter.name.len + value_size(iter.value);
    return size;
}

uint64_t index_local_bytes(const struct table_definition *table, struct value item,
                           uint64_t item_size) {
    uint64_t bytes = item_size;
    for (size_t i = 0; i < table->index_count; i++)
        if (!table->indexes[i].global)
            bytes += entry_size(table, &table->indexes[i], item, item_size);
    return bytes;
}

bool index_key_attribute(const struct table_definition *table, struct slice name) {
    for (size_t i = 0; i < table->index_count; i++)
        if (key_schema_has(&table->indexes[i].keys, name))
            return true;
    return false;
}

bool table_key_attribute(const struct table_definition *table, struct slice name) {
    return key_schema_has(&table->keys, name) || index_key_attribute(table, name);
}

/* ---- one attribute ---- */

/* What is checked: an attribute of an index, for a put or for an update, whose texts differ. */
struct part_check {
    struct arena *arena;
    const struct table_index *index;
    const struct key_attribute *attribute;
    size_t bytes_max;
    bool update;
};

static const char *kind_of_empty(struct value value) {
    return value_type(value) == VALUE_B ? "binary" : "string";
}

static struct error *wrong_type(const struct part_check *check, enum value_type type) {
    if (check->update)
        return error_validation(check->arena,
                                "The update expression attempted to update the secondary index key "
                                "to unsupported type");
    return error_validation(
        check->arena,
        PVI "Type mismatch for Index Key %.*s Expected: %s Actual: %s IndexName: %.*s",
        SLICE_ARGS(check->attribute->name), value_type_name(check->attribute->type),
        value_type_name(type), SLICE_ARGS(check->index->name));
}

static struct error *empty(const struct part_check *check, struct value value) {
    if (check->update)
        return error_new(
            check->arena, ERROR_EMPTY_KEY,
            "One or more parameter values are not valid. The update expression attempted to update "
            "a secondary index key to a value that is not supported. The AttributeValue for a key "
            "attribute cannot contain an empty %s value.",
            kind_of_empty(value));
    return error_new(
        check->arena, ERROR_EMPTY_KEY,
        "One or more parameter values are not valid. A value specified for a secondary index key "
        "is not supported. The AttributeValue for a key attribute cannot contain an empty %s "
        "value. IndexName: %.*s, IndexKey: %.*s",
        kind_of_empty(value), SLICE_ARGS(check->index->name), SLICE_ARGS(check->attribute->name));
}

static struct error *update_too_long(struct arena *arena) {
    return error_validation(arena, "The update expression attempted to update the secondary index "
                                   "key beyond allowed size limits");
}

static struct error *too_long(const struct part_check *check, size_t bytes) {
    if (check->update)
        return update_too_long(check->arena);
    return error_validation(check->arena,
                            PVI "Size limit exceeded for Index Key %.*s Actual Size: %zu bytes Max "
                                "Size: %zu bytes IndexName: %.*s",
                            SLICE_ARGS(check->attribute->name), bytes, check->bytes_max,
                            SLICE_ARGS(check->index->name));
}

static struct error *check_part(const struct part_check *check, struct value value) {
    if (value_type(value) != check->attribute->type)
        return wrong_type(check, value_type(value));
    size_t bytes = value_scalar(value).len;
    if (bytes == 0)
        return empty(check, value);
    return bytes > check->bytes_max ? too_long(check, bytes) : NULL;
}

/* ---- one index ---- */

/* True when all attributes of one kind together are not too long. */
static bool fits(const struct key_attribute *attributes, size_t count, size_t bytes_max,
                 struct value item) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += value_scalar(value_map_find(item, attributes[i].name)).len;
    return bytes <= bytes_max;
}

struct error *index_check_key_bytes(struct arena *arena, const struct key_schema *keys,
                                    struct value item) {
    if (!fits(keys->hash, keys->hash_count, LIMIT_HASH_KEY_BYTES, item))
        return key_error_too_long(arena, true);
    if (!fits(keys->range, keys->range_count, LIMIT_RANGE_KEY_BYTES, item))
        return key_error_too_long(arena, false);
    return NULL;
}

/* Checks the key attributes that `after` has and that differ from `before` (absent: all). */
static struct error *check_index(struct arena *arena, const struct table_index *index,
                                 struct value before, struct value after, bool update) {
    const struct key_schema *keys = &index->keys;
    bool complete = true, changed = false;
    for (size_t i = 0; i < key_part_count(keys); i++) {
        struct part_check check = {arena, index, key_part(keys, i), LIMIT_HASH_KEY_BYTES, update};
        if (i >= keys->hash_count)
            check.bytes_max = LIMIT_RANGE_KEY_BYTES;
        struct value value = value_map_find(after, check.attribute->name);
        complete = complete && value_type(value) == check.attribute->type;
        if (!value_present(value) ||
            value_equal(value, value_map_find(before, check.attribute->name)))
            continue;
        changed = true;
        TRY(check_part(&check, value));
    }
    if (!complete || !changed)
        return NULL;
    struct error *error = index_check_key_bytes(arena, keys, after);
    return error != NULL && update ? update_too_long(arena) : error;
}

/* ---- all indexes ---- */

/* Of several indexes that refuse an item, the first by name is the one that is named. */
struct first_refusal {
    struct error *error;
    struct slice index_name;
};

/* False for an index whose refusal would not count. */
static bool counts(const struct first_refusal *first, const struct table_index *index) {
    return index->status != TABLE_CREATING &&
           (first->error == NULL || slice_compare(index->name, first->index_name) < 0);
}

static void refuse(struct first_refusal *first, const struct table_index *index,
                   struct error *error) {
    if (error != NULL)
        *first = (struct first_refusal){error, index->name};
}

static struct error *check_indexes(struct arena *arena, const struct table_definition *table,
                                   struct value before, struct value after, bool update) {
    struct first_refusal first = {NULL, SLICE_NONE};
    for (size_t i = 0; i < table->index_count; i++)
        if (counts(&first, &table->indexes[i]))
            refuse(&first, &table->indexes[i],
                   check_index(arena, &table->indexes[i], before, after, update));
    return first.error;
}

static bool has_local_index(const struct table_definition *table) {
    for (size_t i = 0; i < table->index_count; i++)
        if (!table->indexes[i].global)
            return true;
    return false;
}

struct error *index_check_put(struct arena *arena, const struct table_definition *table,
                              struct value item) {
    if (table->index_count == 0)
        return NULL;
    TRY(check_indexes(arena, table, VALUE_ABSENT, item, false));
    if (has_local_index(table) &&
        index_local_bytes(table, item, item_size(item)) > LIMIT_ITEM_BYTES)
        return item_error_too_large(arena);
    return NULL;
}

struct error *index_check_update(struct arena *arena, const struct table_definition *table,
                                 struct value before, struct value after) {
    return check_indexes(arena, table, before, after, true);
}

struct error *index_check_assigned(struct arena *arena, const struct table_definition *table,
                                   struct slice name, enum value_type type) {
    struct first_refusal first = {NULL, SLICE_NONE};
    const struct key_attribute attribute = {name, table_attribute_type(table, name)};
    for (size_t i = 0; i < table->index_count && type != attribute.type; i++) {
        const struct table_index *index = &table->indexes[i];
        const struct part_check check = {arena, index, &attribute, 0, false};
        if (counts(&first, index) && key_schema_has(&index->keys, name))
            refuse(&first, index, wrong_type(&check, type));
    }
    return first.error;
}
