/* catalog.c - definitions to flat values and back, by the lists of catalog_fields.c.
 *
 * Bytes come from the disk: they pass value_check() and every entry's type is looked at, so damage
 * is an error that names the entry. Threads: any; no shared state. */
#include "codec/catalog.h"

#include "base/check.h"
#include "codec/catalog_fields.h"
#include "model/value_builder.h"

enum {
    DEFINITION_VERSION = 1,
    DEFINITION_SIZE_MAX = 64 * 1024 * 1024,
    DEFINITION_DEPTH_MAX = 8,
};

_Static_assert(sizeof(enum table_status) == sizeof(int), "enumerations are read as ints");
_Static_assert(sizeof(struct attribute_definition) == sizeof(struct key_attribute),
               "both are stored by stored_attribute_fields");

/* ---- writing ---- */

static void write_name(struct value_builder *out, const char *name) {
    value_builder_name(out, slice_text(name));
}

/* A list of maps; nothing when it is empty. */
static void write_records(struct value_builder *out, const char *name,
                          const struct stored_field *fields, const void *records, size_t size,
                          size_t count) {
    if (count == 0)
        return;
    write_name(out, name);
    value_builder_open(out, VALUE_L);
    for (size_t i = 0; i < count; i++) {
        value_builder_open(out, VALUE_M);
        stored_fields_write(out, fields, (const char *)records + i * size);
        value_builder_close(out);
    }
    value_builder_close(out);
}

static void write_keys(struct value_builder *out, const struct key_schema *keys) {
    write_records(out, "HashKeys", stored_attribute_fields, keys->hash, sizeof(keys->hash[0]),
                  keys->hash_count);
    write_records(out, "RangeKeys", stored_attribute_fields, keys->range, sizeof(keys->range[0]),
                  keys->range_count);
}

static void write_index(struct value_builder *out, const struct table_index *index) {
    value_builder_open(out, VALUE_M);
    stored_fields_write(out, stored_index_fields, index);
    write_keys(out, &index->keys);
    if (index->non_key_attribute_count > 0) {
        write_name(out, "NonKeyAttributes");
        value_builder_open(out, VALUE_L);
        for (size_t i = 0; i < index->non_key_attribute_count; i++)
            value_builder_scalar(out, VALUE_S, index->non_key_attributes[i]);
        value_builder_close(out);
    }
    value_builder_close(out);
}

static void write_definition(struct value_builder *out, const struct table_definition *definition) {
    value_builder_open(out, VALUE_M);
    stored_fields_write(out, stored_table_fields, definition);
    write_keys(out, &definition->keys);
    write_records(out, "Attributes", stored_attribute_fields, definition->attributes,
                  sizeof(definition->attributes[0]), definition->attribute_count);
    write_records(out, "Tags", stored_tag_fields, definition->tags, sizeof(definition->tags[0]),
                  definition->tag_count);
    if (definition->index_count > 0) {
        write_name(out, "Indexes");
        value_builder_open(out, VALUE_L);
        for (size_t i = 0; i < definition->index_count; i++)
            write_index(out, &definition->indexes[i]);
        value_builder_close(out);
    }
    value_builder_close(out);
}

struct slice table_definition_encode(struct arena *arena,
                                     const struct table_definition *definition) {
    struct buffer CLEANUP(buffer_release) bytes;
    struct arena CLEANUP(arena_release) scratch;
    buffer_init(&bytes, DEFINITION_SIZE_MAX);
    arena_init(&scratch);
    buffer_append_byte(&bytes, DEFINITION_VERSION);
    struct value_builder out;
    value_builder_init(&out, &bytes, &scratch);
    write_definition(&out, definition);
    CHECK(!bytes.overflow);
    return arena_slice(arena, buffer_slice(&bytes));
}

/* ---- reading ---- */

static struct error *damaged(struct arena *arena, const char *name) {
    return error_local(arena, "the stored definition of a table is damaged: %s", name);
}

static struct error *read_fields(struct arena *arena, struct value map,
                                 const struct stored_field *fields, void *base) {
    const char *wrong = stored_fields_read(map, fields, base);
    return wrong == NULL ? NULL : damaged(arena, wrong);
}

/* The list under `name`, or nothing; `ret_count` elements. */
static struct error *find_list(struct arena *arena, struct value map, const char *name,
                               struct value *ret_list, size_t *ret_count) {
    struct value list = value_map_find(map, slice_text(name));
    if (value_present(list) && value_type(list) != VALUE_L)
        return damaged(arena, name);
    *ret_list = list;
    *ret_count = value_present(list) ? value_count(list) : 0;
    return NULL;
}

/* Reads the maps of a list into `records`, which has room for all of them. */
static struct error *read_records(struct arena *arena, struct value list, const char *name,
                                  const struct stored_field *fields, void *records, size_t size) {
    if (!value_present(list))
        return NULL;
    struct value_iter iter;
    value_iter_init(&iter, list);
    for (char *record = records; value_iter_next(&iter); record += size) {
        if (value_type(iter.value) != VALUE_M)
            return damaged(arena, name);
        TRY(read_fields(arena, iter.value, fields, record));
    }
    return NULL;
}

static struct error *read_key_parts(struct arena *arena, struct value map, const char *name,
                                    struct key_attribute parts[KEY_PARTS_MAX], uint8_t *ret_count) {
    struct value list;
    size_t count;
    TRY(find_list(arena, map, name, &list, &count));
    if (count > KEY_PARTS_MAX)
        return damaged(arena, name);
    TRY(read_records(arena, list, name, stored_attribute_fields, parts, sizeof(parts[0])));
    for (size_t i = 0; i < count; i++)
        if (!slice_present(parts[i].name) || parts[i].type == VALUE_NONE)
            return damaged(arena, name);
    *ret_count = (uint8_t)count;
    return NULL;
}

static struct error *read_keys(struct arena *arena, struct value map, struct key_schema *keys) {
    TRY(read_key_parts(arena, map, "HashKeys", keys->hash, &keys->hash_count));
    TRY(read_key_parts(arena, map, "RangeKeys", keys->range, &keys->range_count));
    return keys->hash_count == 0 ? damaged(arena, "HashKeys") : NULL;
}

static struct error *read_non_key_attributes(struct arena *arena, struct value map,
                                             struct table_index *index) {
    struct value list;
    size_t count;
    TRY(find_list(arena, map, "NonKeyAttributes", &list, &count));
    if (count == 0)
        return NULL;
    index->non_key_attributes = ARENA_ARRAY(arena, struct slice, count);
    struct value_iter iter;
    value_iter_init(&iter, list);
    while (value_iter_next(&iter)) {
        if (value_type(iter.value) != VALUE_S)
            return damaged(arena, "NonKeyAttributes");
        index->non_key_attributes[index->non_key_attribute_count++] = value_scalar(iter.value);
    }
    return NULL;
}

static struct error *read_index(struct arena *arena, struct value map, struct table_index *index) {
    if (value_type(map) != VALUE_M)
        return damaged(arena, "Indexes");
    TRY(read_fields(arena, map, stored_index_fields, index));
    if (!slice_present(index->name))
        return damaged(arena, "Indexes");
    TRY(read_keys(arena, map, &index->keys));
    return read_non_key_attributes(arena, map, index);
}

static struct error *read_indexes(struct arena *arena, struct value map,
                                  struct table_definition *definition) {
    struct value list;
    size_t count;
    TRY(find_list(arena, map, "Indexes", &list, &count));
    if (count == 0)
        return NULL;
    definition->indexes = ARENA_ARRAY(arena, struct table_index, count);
    struct value_iter iter;
    value_iter_init(&iter, list);
    while (value_iter_next(&iter))
        TRY(read_index(arena, iter.value, &definition->indexes[definition->index_count++]));
    return NULL;
}

static struct error *read_attributes(struct arena *arena, struct value map,
                                     struct table_definition *definition) {
    struct value list;
    TRY(find_list(arena, map, "Attributes", &list, &definition->attribute_count));
    definition->attributes =
        ARENA_ARRAY(arena, struct attribute_definition, definition->attribute_count);
    return read_records(arena, list, "Attributes", stored_attribute_fields, definition->attributes,
                        sizeof(definition->attributes[0]));
}

static struct error *read_tags(struct arena *arena, struct value map,
                               struct table_definition *definition) {
    struct value list;
    TRY(find_list(arena, map, "Tags", &list, &definition->tag_count));
    definition->tags = ARENA_ARRAY(arena, struct table_tag, definition->tag_count);
    return read_records(arena, list, "Tags", stored_tag_fields, definition->tags,
                        sizeof(definition->tags[0]));
}

static bool is_id(uint32_t id) {
    return id != 0 && id != UINT32_MAX;
}

/* What every table has, and what its owners rely on. */
static const char *find_contradiction(const struct table_definition *definition) {
    if (!is_id(definition->id))
        return "Id";
    if (definition->keys.hash_count != 1 || definition->keys.range_count > 1)
        return "HashKeys";
    for (size_t i = 0; i < definition->index_count; i++)
        if (!is_id(definition->indexes[i].id))
            return "Indexes";
    if (definition->stream != STREAM_OFF &&
        (!is_id(definition->stream_id) || !slice_present(definition->stream_label) ||
         definition->stream_shards < 1 || definition->stream_shards > STREAM_SHARDS_MAX))
        return "Stream";
    return NULL;
}

struct error *table_definition_decode(struct arena *arena, struct slice bytes,
                                      struct table_definition *ret_definition) {
    if (bytes.len == 0)
        return damaged(arena, "no bytes");
    if (bytes.data[0] != DEFINITION_VERSION)
        return error_local(arena,
                           "the stored definition of a table has version %u, this program reads %d",
                           bytes.data[0], DEFINITION_VERSION);
    struct slice rest = slice_skip(bytes, 1);
    if (!value_check(rest, DEFINITION_DEPTH_MAX) || rest.data[0] != VALUE_M)
        return damaged(arena, "not a map");
    struct value map = value_from_slice(rest);
    struct table_definition definition = {.id = 0};
    TRY(read_fields(arena, map, stored_table_fields, &definition));
    if (!slice_present(definition.name))
        return damaged(arena, "Name");
    TRY(read_keys(arena, map, &definition.keys));
    TRY(read_attributes(arena, map, &definition));
    TRY(read_tags(arena, map, &definition));
    TRY(read_indexes(arena, map, &definition));
    const char *wrong = find_contradiction(&definition);
    if (wrong != NULL)
        return damaged(arena, wrong);
    *ret_definition = definition;
    return NULL;
}
