/* tree_json.c - items between DynamoDB's JSON and the tree.
 *
 * Reading takes what the service sends: one typed member in each value. Anything else is no item,
 * and reading stops there. Recursion is bounded by the tree's depth. */
#include <stdlib.h>

#include "base/base64.h"
#include "base/check.h"
#include "client/tree.h"

/* ---- tree to JSON ---- */

static void write_value(struct json_writer *writer, const struct ddb_value *value);

void tree_write_item(struct json_writer *writer, const struct ddb_item *item) {
    json_object_begin(writer);
    for (size_t i = 0; i < item->count; i++) {
        if (item->attributes[i]->value.type == DDB_NONE)
            continue; /* a mistake: only ddb_item_json() comes here with one */
        json_name(writer, slice_text(item->attributes[i]->name));
        write_value(writer, &item->attributes[i]->value);
    }
    json_object_end(writer);
}

void tree_write_list(struct json_writer *writer, const struct ddb_list *list) {
    json_array_begin(writer);
    for (size_t i = 0; i < list->count; i++)
        write_value(writer, list->values[i]);
    json_array_end(writer);
}

static void write_bytes(struct json_writer *writer, const struct ddb_value *value) {
    struct slice bytes = slice_of(value->data, value->size);
    if (value->type == DDB_B)
        json_base64(writer, bytes);
    else
        json_string(writer, bytes);
}

static void write_members(struct json_writer *writer, const struct ddb_list *set) {
    json_array_begin(writer);
    for (size_t i = 0; i < set->count; i++)
        if (set->values[i]->type != DDB_NONE)
            write_bytes(writer, set->values[i]);
    json_array_end(writer);
}

static void write_value(struct json_writer *writer, const struct ddb_value *value) {
    json_object_begin(writer);
    if (value->type != DDB_NONE)
        json_name(writer, slice_text(tree_type_name(value->type)));
    switch (value->type) {
    case DDB_S:
    case DDB_N:
    case DDB_B:
        write_bytes(writer, value);
        break;
    case DDB_BOOL:
        json_bool(writer, value->truth);
        break;
    case DDB_NULL:
        json_bool(writer, true);
        break;
    case DDB_SS:
    case DDB_NS:
    case DDB_BS:
        write_members(writer, &value->list);
        break;
    case DDB_L:
        tree_write_list(writer, &value->list);
        break;
    case DDB_M:
        tree_write_item(writer, &value->map);
        break;
    case DDB_NONE:
        break;
    }
    json_object_end(writer);
}

char *ddb_item_json(const struct ddb_item *item) {
    struct buffer buffer;
    struct json_writer writer;
    buffer_init(&buffer, SIZE_MAX / 2);
    json_writer_init(&writer, &buffer);
    tree_write_item(&writer, item);
    buffer_append_byte(&buffer, 0);
    CHECK(!buffer.overflow);
    return (char *)buffer.data;
}

/* ---- JSON to tree ---- */

static bool read_value(struct json_reader *reader, struct place place);

static bool read_binary(struct json_reader *reader, struct place place) {
    tree_put_bytes(place, DDB_B, reader->text);
    size_t len;
    if (base64_decode(reader->text, (uint8_t *)place.value->data, &len) != BASE64_OK)
        return false;
    place.value->data[len] = 0;
    place.value->size = len;
    return true;
}

/* S, N or B, or a member of such a set. */
static bool read_bytes(struct json_reader *reader, struct place place, enum ddb_type type) {
    if (reader->token != JSON_STRING)
        return false;
    if (type == DDB_B)
        return read_binary(reader, place);
    tree_put_bytes(place, type, reader->text);
    return true;
}

static bool read_elements(struct json_reader *reader, struct place place, enum ddb_type type) {
    if (reader->token != JSON_ARRAY_BEGIN)
        return false;
    struct ddb_list *list = tree_put_list(place, type);
    if (place.value->type != type)
        return false; /* too deep */
    while (json_next(reader) != JSON_ARRAY_END) {
        struct place element = tree_list_place(list);
        bool ok = type == DDB_L ? read_value(reader, element)
                                : read_bytes(reader, element, tree_member_type(type));
        if (!ok)
            return false;
    }
    return true;
}

static bool read_map(struct json_reader *reader, struct place place) {
    struct ddb_item *map = tree_put_map(place);
    return place.value->type == DDB_M && tree_read_item(reader, map);
}

static bool read_bool(struct json_reader *reader, struct place place, enum ddb_type type) {
    bool truth = reader->token == JSON_TRUE;
    if (!truth && (reader->token != JSON_FALSE || type == DDB_NULL))
        return false;
    place.value->type = type;
    place.value->truth = type == DDB_BOOL && truth;
    return true;
}

static bool read_typed(struct json_reader *reader, struct place place, enum ddb_type type) {
    switch (type) {
    case DDB_S:
    case DDB_N:
    case DDB_B:
        return read_bytes(reader, place, type);
    case DDB_BOOL:
    case DDB_NULL:
        return read_bool(reader, place, type);
    case DDB_SS:
    case DDB_NS:
    case DDB_BS:
    case DDB_L:
        return read_elements(reader, place, type);
    case DDB_M:
        return read_map(reader, place);
    case DDB_NONE:
        break;
    }
    return false;
}

static bool read_value(struct json_reader *reader, struct place place) {
    enum ddb_type type;
    if (reader->token != JSON_OBJECT_BEGIN || json_next(reader) != JSON_NAME ||
        !tree_type_from_name(reader->text, &type))
        return false;
    json_next(reader);
    return read_typed(reader, place, type) && json_next(reader) == JSON_OBJECT_END;
}

bool tree_read_item(struct json_reader *reader, struct ddb_item *item) {
    if (reader->token != JSON_OBJECT_BEGIN)
        return false;
    bool ok = true;
    while (ok && json_next(reader) == JSON_NAME) {
        struct place place = tree_item_append(item, reader->text);
        json_next(reader);
        ok = read_value(reader, place);
    }
    tree_item_sort(item);
    return ok && reader->token == JSON_OBJECT_END;
}

struct ddb_item *ddb_item_parse(const char *json) {
    struct ddb_item *item = ddb_item_new();
    struct arena arena;
    struct json_reader reader;
    arena_init(&arena);
    json_reader_init(&reader, slice_text(json), &arena);
    json_next(&reader);
    bool ok = tree_read_item(&reader, item) && json_next(&reader) == JSON_END;
    if (!ok)
        tree_mistake(&item->mistakes->building, "not an item in DynamoDB's JSON, near byte %zu",
                     (size_t)(reader.next - reader.start));
    arena_release(&arena);
    return item;
}
