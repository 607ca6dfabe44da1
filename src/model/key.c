/* key.c - presence, then types, then emptiness, then size: the order the service reports them in.
 */
#include "model/key.h"

#include "model/limits.h"
#include "model/value_builder.h"

size_t key_part_count(const struct key_schema *keys) {
    return (size_t)keys->hash_count + keys->range_count;
}

const struct key_attribute *key_part(const struct key_schema *keys, size_t i) {
    return i < keys->hash_count ? &keys->hash[i] : &keys->range[i - keys->hash_count];
}

bool key_schema_has(const struct key_schema *keys, struct slice name) {
    for (size_t i = 0; i < key_part_count(keys); i++)
        if (slice_equal(key_part(keys, i)->name, name))
            return true;
    return false;
}

struct error *key_no_match(struct arena *arena) {
    return error_validation(arena, "The provided key element does not match the schema");
}

struct error *key_error_too_long(struct arena *arena, bool hash) {
    if (hash)
        return error_validation(arena, PVI
                                "Size of hashkey has exceeded the maximum size limit of2048 bytes");
    return error_validation(
        arena, PVI "Aggregated size of all range keys has exceeded the size limit of 1024 bytes");
}

struct error *item_error_too_large(struct arena *arena) {
    return error_new(arena, ERROR_ITEM_TOO_LARGE,
                     "Item size has exceeded the maximum allowed size");
}

struct error *item_check_depth(struct arena *arena, struct value item) {
    if (value_depth(item) <= LIMIT_NESTING + 1)
        return NULL;
    return error_validation(arena, "Nesting Levels have exceeded supported limits");
}

struct error *key_check_value(struct arena *arena, const struct key_attribute *attribute, bool hash,
                              struct value value) {
    size_t len = value_scalar(value).len;
    if (len == 0)
        return error_new(
            arena, ERROR_EMPTY_KEY,
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty %s value. Key: %.*s",
            attribute->type == VALUE_S ? "string" : "binary", SLICE_ARGS(attribute->name));
    return len > (hash ? LIMIT_HASH_KEY_BYTES : LIMIT_RANGE_KEY_BYTES)
               ? key_error_too_long(arena, hash)
               : NULL;
}

enum { PARTS_MAX = 2 * KEY_PARTS_MAX };

/* The values of the key attributes in the schema's order; absent where the item has none. */
static void find_parts(const struct key_schema *keys, struct value item,
                       struct value ret_parts[PARTS_MAX]) {
    for (size_t i = 0; i < key_part_count(keys); i++)
        ret_parts[i] = value_map_find(item, key_part(keys, i)->name);
}

static struct error *check_values(struct arena *arena, const struct key_schema *keys,
                                  const struct value parts[PARTS_MAX]) {
    for (size_t i = 0; i < key_part_count(keys); i++)
        TRY(key_check_value(arena, key_part(keys, i), i < keys->hash_count, parts[i]));
    return NULL;
}

static bool types_match(const struct key_schema *keys, const struct value parts[PARTS_MAX]) {
    for (size_t i = 0; i < key_part_count(keys); i++)
        if (value_type(parts[i]) != key_part(keys, i)->type)
            return false;
    return true;
}

static bool part_is_good(const struct key_attribute *attribute, struct value item, size_t len_max) {
    struct value value = value_map_find(item, attribute->name);
    if (value_type(value) != attribute->type)
        return false;
    size_t len = value_scalar(value).len;
    return len > 0 && len <= len_max;
}

/* Nearly all keys are good, which one look at each part tells. Only of the others is it found out
 * what is wrong with them, in the order in which that is reported. */
bool key_is_good(const struct key_schema *keys, struct value item) {
    for (size_t i = 0; i < keys->hash_count; i++)
        if (!part_is_good(&keys->hash[i], item, LIMIT_HASH_KEY_BYTES))
            return false;
    for (size_t i = 0; i < keys->range_count; i++)
        if (!part_is_good(&keys->range[i], item, LIMIT_RANGE_KEY_BYTES))
            return false;
    return true;
}

struct error *key_check(struct arena *arena, const struct key_schema *keys, struct value key) {
    if (value_count(key) != key_part_count(keys))
        return key_no_match(arena);
    return key_check_batch_item(arena, keys, key);
}

struct error *key_check_batch_item(struct arena *arena, const struct key_schema *keys,
                                   struct value item) {
    if (key_is_good(keys, item))
        return NULL;
    struct value parts[PARTS_MAX];
    find_parts(keys, item, parts);
    if (!types_match(keys, parts))
        return key_no_match(arena);
    return check_values(arena, keys, parts);
}

struct error *key_check_item(struct arena *arena, const struct key_schema *keys,
                             struct value item) {
    if (key_is_good(keys, item))
        return NULL;
    struct value parts[PARTS_MAX];
    find_parts(keys, item, parts);
    for (size_t i = 0; i < key_part_count(keys); i++) {
        const struct key_attribute *attribute = key_part(keys, i);
        if (!value_present(parts[i]))
            return error_validation(arena, PVI "Missing the key %.*s in the item",
                                    SLICE_ARGS(attribute->name));
        if (value_type(parts[i]) != attribute->type)
            return error_validation(arena, PVI "Type mismatch for key %.*s expected: %s actual: %s",
                                    SLICE_ARGS(attribute->name), value_type_name(attribute->type),
                                    value_type_name(value_type(parts[i])));
    }
    return check_values(arena, keys, parts);
}

struct value key_of_item(struct arena *arena, const struct key_schema *keys,
                         const struct key_schema *index_keys, struct value item) {
    struct buffer bytes;
    struct value_builder builder;
    struct value_iter iter;
    buffer_init(&bytes, LIMIT_ITEM_BYTES);
    value_builder_init(&builder, &bytes, arena);
    value_builder_open(&builder, VALUE_M);
    value_iter_init(&iter, item);
    while (value_iter_next(&iter)) {
        if (!key_schema_has(keys, iter.name) &&
            (index_keys == NULL || !key_schema_has(index_keys, iter.name)))
            continue;
        value_builder_name(&builder, iter.name);
        value_builder_value(&builder, iter.value);
    }
    value_builder_close(&builder);
    struct value key = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return key;
}
