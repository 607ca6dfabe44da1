/* tree_plain.c - plain JSON, as programs and people write it, to values and back.
 *
 * A string becomes S, a number N, true and false BOOL, null NULL, an array L, an object M. On the
 * way back sets become arrays, and binary strings of base64. Recursion ends where a tree does. */
#include "base/check.h"
#include "client/tree.h"
#include "model/number.h"

/* ---- plain JSON to a value ---- */

static const char NOT_JSON[] = "this is not JSON";
static const char TOO_DEEP[] = "objects and arrays are nested too deep";

static const char *read_value(struct json_reader *reader, struct place place);

static bool has_nul(struct slice text) {
    return text.len > 0 && memchr(text.data, 0, text.len) != NULL;
}

static const char *read_number(struct json_reader *reader, struct place place) {
    struct number number;
    if (number_parse(reader->text, &number) != NUMBER_OK)
        return "a number has more than 38 digits or is out of range";
    tree_put_bytes(place, DDB_N, reader->text);
    return NULL;
}

static const char *read_elements(struct json_reader *reader, struct place place) {
    if (place.depth + 1 >= TREE_DEPTH_MAX)
        return TOO_DEEP;
    struct ddb_list *list = tree_put_list(place, DDB_L);
    const char *problem = NULL;
    while (problem == NULL && json_next(reader) != JSON_ARRAY_END)
        problem = read_value(reader, tree_list_place(list));
    return problem;
}

static const char *read_members(struct json_reader *reader, struct ddb_item *item) {
    const char *problem = NULL;
    while (problem == NULL && json_next(reader) == JSON_NAME) {
        if (reader->text.len == 0 || has_nul(reader->text))
            return "a name is empty or has a NUL character";
        struct place place = tree_item_append(item, reader->text);
        json_next(reader);
        problem = read_value(reader, place);
    }
    tree_item_sort(item);
    return problem == NULL && reader->token != JSON_OBJECT_END ? NOT_JSON : problem;
}

static const char *read_map(struct json_reader *reader, struct place place) {
    if (place.depth + 1 >= TREE_DEPTH_MAX)
        return TOO_DEEP;
    return read_members(reader, tree_put_map(place));
}

static const char *read_value(struct json_reader *reader, struct place place) {
    switch (reader->token) {
    case JSON_OBJECT_BEGIN:
        return read_map(reader, place);
    case JSON_ARRAY_BEGIN:
        return read_elements(reader, place);
    case JSON_STRING:
        tree_put_bytes(place, DDB_S, reader->text);
        return NULL;
    case JSON_INTEGER:
    case JSON_DECIMAL:
        return read_number(reader, place);
    case JSON_TRUE:
    case JSON_FALSE:
        place.value->type = DDB_BOOL;
        place.value->truth = reader->token == JSON_TRUE;
        return NULL;
    case JSON_NULL:
        place.value->type = DDB_NULL;
        return NULL;
    case JSON_ERROR:
    case JSON_END:
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
    case JSON_NAME:
        break;
    }
    return NOT_JSON;
}

bool tree_read_plain(struct json_reader *reader, struct ddb_item *item) {
    return reader->token == JSON_OBJECT_BEGIN && read_members(reader, item) == NULL;
}

static int line_of(const struct json_reader *reader) {
    int line = 1;
    for (const uint8_t *c = reader->start; c < reader->next; c++)
        line += *c == '\n';
    return line;
}

void ddb_item_set_document(struct ddb_item *item, const char *name, const char *json, size_t size) {
    struct arena arena;
    struct json_reader reader;
    arena_init(&arena);
    json_reader_init(&reader, slice_of(json, size), &arena);
    json_next(&reader);
    const char *problem = read_value(&reader, tree_item_place(item, name));
    if (problem == NULL && json_next(&reader) != JSON_END)
        problem = NOT_JSON;
    if (problem != NULL)
        tree_mistake(&item->mistakes->building, "line %d: %s", line_of(&reader), problem);
    arena_release(&arena);
}

/* ---- a value to plain JSON ---- */

static void write_value(struct json_writer *writer, const struct ddb_value *value);

/* DynamoDB takes numbers that JSON does not, as .5 and +1: these in their plain form. */
static void write_number(struct json_writer *writer, const struct ddb_value *value) {
    struct slice text = slice_of(value->data, value->size);
    struct arena arena;
    struct json_reader reader;
    struct number number;
    char plain[NUMBER_TEXT_MAX];
    arena_init(&arena);
    json_reader_init(&reader, text, &arena);
    enum json_token token = json_next(&reader);
    bool is_json =
        (token == JSON_INTEGER || token == JSON_DECIMAL) && json_next(&reader) == JSON_END;
    arena_release(&arena);
    if (!is_json && number_parse(text, &number) == NUMBER_OK)
        text = slice_of(plain, number_format(number_slice(&number), plain));
    buffer_append_text(writer->out, writer->comma ? "," : "");
    buffer_append_slice(writer->out, text);
    writer->comma = true;
}

static void write_list(struct json_writer *writer, const struct ddb_list *list) {
    json_array_begin(writer);
    for (size_t i = 0; i < list->count; i++)
        write_value(writer, list->values[i]);
    json_array_end(writer);
}

void tree_write_plain_members(struct json_writer *writer, const struct ddb_item *item) {
    for (size_t i = 0; i < item->count; i++) {
        json_name(writer, slice_text(item->attributes[i]->name));
        write_value(writer, &item->attributes[i]->value);
    }
}

static void write_value(struct json_writer *writer, const struct ddb_value *value) {
    switch (value->type) {
    case DDB_S:
        json_string(writer, slice_of(value->data, value->size));
        return;
    case DDB_N:
        write_number(writer, value);
        return;
    case DDB_B:
        json_base64(writer, slice_of(value->data, value->size));
        return;
    case DDB_BOOL:
        json_bool(writer, value->truth);
        return;
    case DDB_SS:
    case DDB_NS:
    case DDB_BS:
    case DDB_L:
        write_list(writer, &value->list);
        return;
    case DDB_M:
        json_object_begin(writer);
        tree_write_plain_members(writer, &value->map);
        json_object_end(writer);
        return;
    case DDB_NULL:
    case DDB_NONE:
        json_null(writer);
        return;
    }
}

char *ddb_value_document(const struct ddb_value *value) {
    static const struct ddb_value absent = {.type = DDB_NONE};
    struct buffer buffer;
    struct json_writer writer;
    buffer_init(&buffer, SIZE_MAX / 2);
    json_writer_init(&writer, &buffer);
    write_value(&writer, value == NULL ? &absent : value);
    buffer_append_byte(&buffer, 0);
    CHECK(!buffer.overflow);
    return (char *)buffer.data;
}
