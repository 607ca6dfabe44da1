/* table_keys.c - the order of the checks is the service's: definitions, equal names, key types. */
#include "ops/table/table_keys.h"

#include <stdlib.h>

#include "base/check.h"
#include "model/key.h"
#include "model/limits.h"

enum { NAMES_PRINTED_MAX = 1 << 20 };

static const struct key_schema_element_input *key_at(const struct field_list *keys, size_t i) {
    return (const struct key_schema_element_input *)keys->items + i;
}

struct definitions definitions_of(struct arena *arena, const struct field_list *list) {
    return (struct definitions){
        list, name_set_of(arena, list, sizeof(struct attribute_definition_input))};
}

/* "[a, b]" */
static struct slice names_print(struct arena *arena, const struct slice *names, size_t count) {
    struct buffer CLEANUP(buffer_release) text;
    buffer_init(&text, NAMES_PRINTED_MAX);
    buffer_append_byte(&text, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_text(&text, ", ");
        buffer_append_slice(&text, names[i]);
    }
    buffer_append_byte(&text, ']');
    return arena_slice(arena, buffer_slice(&text));
}

struct slice names_print_set(struct arena *arena, const struct name_set *names,
                             size_t buckets_min) {
    struct slice *ordered;
    size_t count = name_order(arena, names->names, names->count, buckets_min, &ordered);
    return names_print(arena, ordered, count);
}

/* The names of a list as it was sent. */
static struct name_set names_of(struct arena *arena, const struct field_list *list, size_t size) {
    struct name_set names = name_set_new(arena, list->count);
    name_set_add_list(&names, list, size);
    return names;
}

struct slice definitions_print(struct arena *arena, const struct definitions *definitions) {
    struct name_set names =
        names_of(arena, definitions->list, sizeof(struct attribute_definition_input));
    return names_print_set(arena, &names, NAME_BUCKETS_FITTING);
}

struct slice key_schema_print(struct arena *arena, const struct key_schema *keys) {
    struct slice text = SLICE_LITERAL("Schema:[");
    for (size_t i = 0; i < key_part_count(keys); i++) {
        const struct key_attribute *key = key_part(keys, i);
        text = arena_printf(arena, "%.*s%sSchemaElement: key{%.*s:%s:%s}", SLICE_ARGS(text),
                            i > 0 ? ", " : "", SLICE_ARGS(key->name), value_type_name(key->type),
                            key_type_name(i < keys->hash_count ? KEY_TYPE_HASH : KEY_TYPE_RANGE));
    }
    return arena_printf(arena, "%.*s]", SLICE_ARGS(text));
}

/* ---- checks ---- */

static struct error *check_defined(struct arena *arena, const struct field_list *keys,
                                   const struct definitions *definitions) {
    if (keys->count > definitions->list->count)
        return error_request(arena,
                             "Invalid KeySchema: Some index key attribute have no definition");
    for (size_t i = 0; i < keys->count; i++) {
        if (name_set_has(&definitions->names, key_at(keys, i)->attribute_name))
            continue;
        struct name_set sent = names_of(arena, keys, sizeof(struct key_schema_element_input));
        struct slice names = names_print(arena, sent.names, sent.count);
        struct slice defined = definitions_print(arena, definitions);
        return error_request(arena,
                             PVI "Some index key attributes are not defined in "
                                 "AttributeDefinitions. Keys: %.*s, AttributeDefinitions: %.*s",
                             SLICE_ARGS(names), SLICE_ARGS(defined));
    }
    return NULL;
}

static bool key_is(const struct field_list *keys, size_t i, enum key_type type) {
    return key_type_is(key_at(keys, i)->key_type, type);
}

static bool has_equal_names(struct arena *arena, const struct field_list *keys) {
    struct name_set names = name_set_of(arena, keys, sizeof(struct key_schema_element_input));
    return slice_present(name_set_duplicate(&names));
}

static const char same_name_text[] =
    "Both the Hash Key and the Range Key element in the KeySchema have the same name";
static const char first_not_hash_text[] =
    "Invalid KeySchema: The first KeySchemaElement is not a HASH key type";

struct error *table_keys_check(struct arena *arena, const struct field_list *keys,
                               const struct definitions *definitions) {
    TRY(check_defined(arena, keys, definitions));
    if (has_equal_names(arena, keys))
        return error_request(arena, "%s", same_name_text);
    if (!key_is(keys, 0, KEY_TYPE_HASH))
        return error_request(arena, "%s", first_not_hash_text);
    if (keys->count > 1 && !key_is(keys, 1, KEY_TYPE_RANGE))
        return error_request(
            arena, "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    return NULL;
}

static struct error *check_key_counts(struct arena *arena, const struct field_list *keys) {
    size_t hashes = 0, ranges = 0;
    for (size_t i = 0; i < keys->count; i++) {
        bool hash = key_is(keys, i, KEY_TYPE_HASH);
        if (hash && ranges > 0)
            return error_request(arena, PVI "All HASH key attributes must precede RANGE key "
                                            "attributes in the KeySchema");
        hashes += hash;
        ranges += !hash;
    }
    if (hashes > LIMIT_INDEX_KEY_PARTS || ranges > LIMIT_INDEX_KEY_PARTS)
        return error_request(
            arena, PVI "The KeySchema exceeds the maximum allowed number of %s key attributes",
            key_type_name(hashes > LIMIT_INDEX_KEY_PARTS ? KEY_TYPE_HASH : KEY_TYPE_RANGE));
    return NULL;
}

struct error *global_keys_check_names(struct arena *arena, const struct field_list *keys) {
    if (!has_equal_names(arena, keys))
        return NULL;
    bool pair =
        keys->count == 2 && key_is(keys, 0, KEY_TYPE_HASH) && key_is(keys, 1, KEY_TYPE_RANGE);
    return error_request(arena, "%s",
                         pair ? same_name_text
                              : "The KeySchema contains multiple key attributes with the same "
                                "name");
}

struct error *global_keys_check(struct arena *arena, const struct field_list *keys,
                                const struct definitions *definitions) {
    TRY(check_defined(arena, keys, definitions));
    TRY(global_keys_check_names(arena, keys));
    if (!key_is(keys, 0, KEY_TYPE_HASH))
        return error_request(arena, "%s", first_not_hash_text);
    return check_key_counts(arena, keys);
}

struct error *definitions_check_unique(struct arena *arena, const struct definitions *definitions) {
    struct slice name = name_set_duplicate(&definitions->names);
    if (!slice_present(name))
        return NULL;
    return error_request(arena, "Attribute Name is duplicated: %.*s", SLICE_ARGS(name));
}

struct error *projected_attributes_check(struct arena *arena, size_t count) {
    if (count <= LIMIT_PROJECTED_ATTRIBUTES)
        return NULL;
    return error_request(arena,
                         PVI "Number of NonKeyAttributes of all indexes exceeds the limit of %d",
                         LIMIT_PROJECTED_ATTRIBUTES);
}

struct error *projection_check(struct arena *arena, const struct projection_input *projection) {
    const struct field_list *names = &projection->non_key_attributes;
    struct slice type = projection->projection_type;
    if (!slice_present(type))
        return error_request(arena, PVI "Unknown ProjectionType: null");
    if (!projection_type_is(type, PROJECT_INCLUDE)) {
        if (names->present)
            return error_request(arena,
                                 PVI "ProjectionType is %.*s, but NonKeyAttributes is specified",
                                 SLICE_ARGS(type));
        return NULL;
    }
    if (!names->present)
        return error_request(arena, PVI
                             "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
    const struct slice *name = names->items;
    for (size_t i = 0; i < names->count; i++)
        for (size_t j = 0; j < i; j++)
            if (slice_equal(name[i], name[j]))
                return error_request(arena, PVI "Duplicate element in NonKeyAttributes: %.*s",
                                     SLICE_ARGS(name[i]));
    return NULL;
}

/* ---- what they become ---- */

static enum value_type defined_type(const struct definitions *definitions, struct slice name) {
    const struct attribute_definition_input *definition = definitions->list->items;
    for (size_t i = 0; i < definitions->list->count; i++)
        if (slice_equal(definition[i].attribute_name, name))
            return value_type_from_name(definition[i].attribute_type);
    return VALUE_NONE;
}

struct key_schema key_schema_of(const struct field_list *keys,
                                const struct definitions *definitions) {
    struct key_schema schema = {.hash_count = 0};
    for (size_t i = 0; i < keys->count; i++) {
        const struct key_schema_element_input *key = key_at(keys, i);
        struct key_attribute attribute = {key->attribute_name,
                                          defined_type(definitions, key->attribute_name)};
        CHECK(attribute.type != VALUE_NONE);
        bool hash = key_is(keys, i, KEY_TYPE_HASH);
        CHECK((hash ? schema.hash_count : schema.range_count) < KEY_PARTS_MAX);
        if (hash)
            schema.hash[schema.hash_count++] = attribute;
        else
            schema.range[schema.range_count++] = attribute;
    }
    return schema;
}

static int compare_attributes(const void *a, const void *b) {
    const struct attribute_definition *x = a, *y = b;
    return slice_compare(x->name, y->name);
}

struct attribute_definition *attributes_of(struct arena *arena,
                                           const struct definitions *definitions) {
    const struct attribute_definition_input *definition = definitions->list->items;
    struct attribute_definition *attributes =
        ARENA_ARRAY(arena, struct attribute_definition, definitions->list->count);
    for (size_t i = 0; i < definitions->list->count; i++)
        attributes[i] = (struct attribute_definition){
            definition[i].attribute_name, value_type_from_name(definition[i].attribute_type)};
    qsort(attributes, definitions->list->count, sizeof(*attributes), compare_attributes);
    return attributes;
}
