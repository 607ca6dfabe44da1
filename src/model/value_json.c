/* value_json.c - one AttributeValue after another, straight from tokens to flat bytes and back.
 *
 * Reading never stops at a broken rule: the rest must still be well-formed and well-shaped, and the
 * builder must end with a value that is safe to look at. So a faulty value is replaced by something
 * harmless. Recursion is bounded: on input by the reader's depth limit (two JSON levels for each
 * level of nesting), on output by what value_check() accepted. */
#include "model/value_json.h"

#include "base/base64.h"
#include "model/json_shape.h"
#include "model/limits.h"
#include "model/value_fault.h"

#define VALUE_CLASS "com.amazonaws.dynamodb.v20120810.AttributeValue"

/* ---- JSON to flat ---- */

struct source {
    struct json_reader *json;
    struct value_builder *out;
    struct value_fault *fault;
    bool too_deep; /* the value at the deepest level allowed has something inside */
};

static struct error *read_value(struct source *s, uint32_t level);

/* Canonical; zero stands in for a text that breaks a rule. */
static void parse_number(struct source *s, struct slice text, struct number *ret_number) {
    enum number_status status = number_parse(text, ret_number);
    if (status != NUMBER_OK) {
        fault_number(s->fault, s->json->arena, status, text);
        number_from_int(0, ret_number);
    }
}

static struct error *read_number(struct source *s, struct number *ret_number) {
    struct slice text = SLICE_NONE;
    TRY(shape_string(s->json, &text));
    parse_number(s, text, ret_number);
    return NULL;
}

static struct error *read_null(struct source *s) {
    bool truth = false;
    TRY(shape_bool(s->json, &truth));
    if (!truth)
        fault_null_not_true(s->fault, s->json->arena);
    value_builder_null(s->out);
    return NULL;
}

static struct error *read_blob(struct source *s, bool member) {
    struct arena_mark mark = arena_mark(s->json->arena);
    struct slice bytes = SLICE_NONE;
    TRY(shape_blob(s->json, &bytes));
    if (member)
        value_builder_member(s->out, bytes);
    else
        value_builder_scalar(s->out, VALUE_B, bytes);
    arena_rewind(s->json->arena, mark);
    return NULL;
}

static struct error *read_set_member(struct source *s, enum value_type set) {
    if (set == VALUE_BS)
        return read_blob(s, true);
    if (set == VALUE_SS) {
        struct slice text = SLICE_NONE;
        TRY(shape_string(s->json, &text));
        value_builder_member(s->out, text);
        return NULL;
    }
    struct number number;
    TRY(read_number(s, &number));
    value_builder_member(s->out, number_slice(&number));
    return NULL;
}

static struct error *read_set(struct source *s, enum value_type type) {
    TRY(shape_list(s->json));
    size_t mark = value_builder_mark(s->out);
    const uint8_t *start = s->json->next - 1; /* the bracket */
    bool empty = true;
    value_builder_open(s->out, type);
    while (json_next(s->json) != JSON_ARRAY_END) {
        if (s->json->token == JSON_NULL)
            continue;
        TRY(read_set_member(s, type));
        empty = false;
    }
    bool duplicates = value_builder_close_set(s->out);
    if (empty) {
        fault_empty_set(s->fault, s->json->arena, type);
        value_builder_drop(s->out, mark);
        value_builder_null(s->out);
    }
    if (duplicates)
        fault_duplicates(s->fault, s->json->arena, type,
                         slice_of(start, (size_t)(s->json->next - start)));
    return NULL;
}

static struct error *read_list(struct source *s, uint32_t level) {
    TRY(shape_list(s->json));
    value_builder_open(s->out, VALUE_L);
    while (json_next(s->json) != JSON_ARRAY_END) {
        if (s->json->token == JSON_NULL)
            continue;
        TRY(shape_struct_element(s->json, "AttributeValue"));
        TRY(read_value(s, level + 1));
    }
    value_builder_close(s->out);
    return NULL;
}

/* The map's values are at `level`; at level 1 the map is an item. */
static struct error *read_map(struct source *s, uint32_t level) {
    TRY(shape_map(s->json, VALUE_CLASS));
    value_builder_open(s->out, VALUE_M);
    while (json_next(s->json) == JSON_NAME) {
        struct slice name = s->json->text;
        if (json_next(s->json) == JSON_NULL)
            continue;
        if (name.len == 0 || name.len > LIMIT_ATTRIBUTE_NAME_BYTES)
            fault_name(s->fault, s->json->arena, name, level == 1);
        TRY(shape_struct_element(s->json, "AttributeValue"));
        value_builder_name(s->out, name);
        TRY(read_value(s, level));
    }
    value_builder_close(s->out);
    return s->json->token == JSON_OBJECT_END ? NULL : shape_syntax_error(s->json);
}

/* The member of an AttributeValue that holds a value of `type`. */
static struct error *read_typed(struct source *s, enum value_type type, uint32_t level) {
    struct slice text = SLICE_NONE;
    struct number number;
    bool truth = false;
    switch (type) {
    case VALUE_S:
        TRY(shape_string(s->json, &text));
        value_builder_scalar(s->out, VALUE_S, text);
        return NULL;
    case VALUE_N:
        TRY(read_number(s, &number));
        value_builder_scalar(s->out, VALUE_N, number_slice(&number));
        return NULL;
    case VALUE_B:
        return read_blob(s, false);
    case VALUE_BOOL:
        TRY(shape_bool(s->json, &truth));
        value_builder_bool(s->out, truth);
        return NULL;
    case VALUE_NULL:
        return read_null(s);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
        return read_set(s, type);
    case VALUE_L:
        return read_list(s, level);
    case VALUE_M:
        return read_map(s, level + 1);
    case VALUE_NONE:
        break;
    }
    return json_skip(s->json) ? NULL : shape_syntax_error(s->json);
}

/* Members of one AttributeValue; when there are several, the last one is built. Returns in
 * `ret_seen` a bit for each type. */
static struct error *read_members(struct source *s, uint32_t level, uint32_t *ret_seen) {
    size_t mark = value_builder_mark(s->out);
    uint32_t seen = 0;
    while (json_next(s->json) == JSON_NAME) {
        enum value_type type = value_type_from_name(s->json->text);
        if (json_next(s->json) == JSON_NULL)
            continue;
        if (type != VALUE_NONE && seen != 0)
            value_builder_drop(s->out, mark);
        TRY(read_typed(s, type, level));
        if (type != VALUE_NONE)
            seen |= 1U << type;
    }
    *ret_seen = seen;
    return s->json->token == JSON_OBJECT_END ? NULL : shape_syntax_error(s->json);
}

/* The short way for nearly all values: {"S":"text"} and {"N":"1"}. */
static bool read_plain(struct source *s) {
    uint8_t letter = json_take_tagged(s->json, 'S', 'N');
    if (letter == 'S') {
        value_builder_scalar(s->out, VALUE_S, s->json->text);
    } else if (letter == 'N') {
        struct number number;
        parse_number(s, s->json->text, &number);
        value_builder_scalar(s->out, VALUE_N, number_slice(&number));
    }
    return letter != 0;
}

/* The reader stands on the value's opening brace. */
static struct error *read_value(struct source *s, uint32_t level) {
    size_t mark = value_builder_mark(s->out);
    if (level == LIMIT_NESTING + 1) {
        fault_depth(s->fault, s->json->arena);
        s->too_deep = true;
    }
    if (read_plain(s))
        return NULL;
    uint32_t seen = 0;
    TRY(read_members(s, level, &seen));
    if (seen == 0) {
        fault_no_datatype(s->fault, s->json->arena);
        value_builder_null(s->out);
    } else if ((seen & (seen - 1)) != 0) {
        fault_many_datatypes(s->fault, s->json->arena);
    }
    if (s->too_deep && level == LIMIT_NESTING) {
        value_builder_drop(s->out, mark);
        value_builder_null(s->out);
        s->too_deep = false;
    }
    return NULL;
}

struct error *value_read_json(struct json_reader *reader, struct value_builder *out,
                              struct value_fault *fault) {
    struct source source = {reader, out, fault, false};
    TRY(shape_struct_element(reader, "AttributeValue"));
    return read_value(&source, 1);
}

struct error *value_member_read_json(struct json_reader *reader, struct value_builder *out,
                                     struct value_fault *fault) {
    struct source source = {reader, out, fault, false};
    TRY(shape_struct_member(reader, "AttributeValue"));
    return read_value(&source, 1);
}

struct error *item_read_json(struct json_reader *reader, struct value_builder *out,
                             struct value_fault *fault) {
    /* Within an item some faults go before earlier ones, but never before another item's. */
    struct value_fault own = {.layer = fault->layer};
    struct source source = {reader, out, &own, false};
    TRY(read_map(&source, 1));
    if (fault->error == NULL)
        *fault = own;
    return NULL;
}

/* ---- flat to JSON ---- */

static void write_value(struct buffer *out, struct value value);

/* A text with what stands around it, which is constant where this is called: room is asked for
 * once, and most texts need no escape. */
static inline void put_text(struct buffer *out, struct slice before, struct slice text,
                            struct slice after) {
    if (!buffer_reserve(out, before.len + text.len + after.len))
        return;
    uint8_t *at = out->data + out->len;
    memcpy(at, before.data, before.len);
    at += before.len;
    size_t plain = json_copy_plain(at, text);
    if (plain == text.len) {
        memcpy(at + plain, after.data, after.len);
        out->len += before.len + plain + after.len;
        return;
    }
    out->len += before.len + plain;
    json_escape(out, slice_skip(text, plain));
    buffer_append_slice(out, after);
}

#define PUT_TEXT(out, before, text, after) \
    put_text((out), SLICE_LITERAL(before), (text), SLICE_LITERAL(after))

static inline void put_number(struct buffer *out, struct slice before, struct slice number,
                              struct slice after) {
    char text[NUMBER_TEXT_MAX + 16];
    memcpy(text, before.data, before.len);
    size_t len = before.len + number_format(number, text + before.len);
    memcpy(text + len, after.data, after.len);
    buffer_append(out, text, len + after.len);
}

#define PUT_NUMBER(out, before, number, after) \
    put_number((out), SLICE_LITERAL(before), (number), SLICE_LITERAL(after))

static void put_blob(struct buffer *out, struct slice bytes) {
    size_t len = base64_encoded_len(bytes.len);
    buffer_append_byte(out, '"');
    if (buffer_reserve(out, len)) {
        base64_encode(bytes, out->data + out->len);
        out->len += len;
    }
    buffer_append_byte(out, '"');
}

static void put_member(struct buffer *out, enum value_type type, struct slice bytes) {
    if (type == VALUE_S)
        PUT_TEXT(out, "\"", bytes, "\"");
    else if (type == VALUE_N)
        PUT_NUMBER(out, "\"", bytes, "\"");
    else
        put_blob(out, bytes);
}

static void put_set(struct buffer *out, struct value set) {
    enum value_type type = value_member_type(value_type(set));
    uint8_t before = '[';
    struct value_iter iter;
    value_iter_init(&iter, set);
    while (value_iter_next(&iter)) {
        buffer_append_byte(out, before);
        put_member(out, type, iter.member);
        before = ',';
    }
    buffer_append_byte(out, ']');
}

static void put_list(struct buffer *out, struct value list) {
    struct value_iter iter;
    value_iter_init(&iter, list);
    buffer_append_byte(out, '[');
    for (bool first = true; value_iter_next(&iter); first = false) {
        if (!first)
            buffer_append_byte(out, ',');
        write_value(out, iter.value);
    }
    buffer_append_byte(out, ']');
}

static void put_map(struct buffer *out, struct value map) {
    struct value_iter iter;
    value_iter_init(&iter, map);
    buffer_append_byte(out, '{');
    for (bool first = true; value_iter_next(&iter); first = false) {
        if (!first)
            buffer_append_byte(out, ',');
        PUT_TEXT(out, "\"", iter.name, "\":");
        write_value(out, iter.value);
    }
    buffer_append_byte(out, '}');
}

/* The containers, and B: what their JSON starts with. */
static const struct slice openings[VALUE_TYPE_COUNT] = {
    [VALUE_B] = {(const uint8_t *)"{\"B\":", 5},   [VALUE_SS] = {(const uint8_t *)"{\"SS\":", 6},
    [VALUE_NS] = {(const uint8_t *)"{\"NS\":", 6}, [VALUE_BS] = {(const uint8_t *)"{\"BS\":", 6},
    [VALUE_L] = {(const uint8_t *)"{\"L\":", 5},   [VALUE_M] = {(const uint8_t *)"{\"M\":", 5},
};

static void write_long(struct buffer *out, enum value_type type, struct value value) {
    buffer_append_slice(out, openings[type]);
    if (type == VALUE_B)
        put_blob(out, value_scalar(value));
    else if (type == VALUE_L)
        put_list(out, value);
    else if (type == VALUE_M)
        put_map(out, value);
    else
        put_set(out, value);
    buffer_append_byte(out, '}');
}

static void write_value(struct buffer *out, struct value value) {
    enum value_type type = value_type(value);
    switch (type) {
    case VALUE_S:
        PUT_TEXT(out, "{\"S\":\"", value_scalar(value), "\"}");
        break;
    case VALUE_N:
        PUT_NUMBER(out, "{\"N\":\"", value_scalar(value), "\"}");
        break;
    case VALUE_BOOL:
        buffer_append_text(out, value_bool(value) ? "{\"BOOL\":true}" : "{\"BOOL\":false}");
        break;
    case VALUE_NULL:
        buffer_append_text(out, "{\"NULL\":true}");
        break;
    case VALUE_B:
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        write_long(out, type, value);
        break;
    case VALUE_NONE:
        break;
    }
}

static void begin_element(struct json_writer *writer) {
    if (writer->comma)
        buffer_append_byte(writer->out, ',');
    writer->comma = true;
}

void value_write_json(struct json_writer *writer, struct value value) {
    begin_element(writer);
    write_value(writer->out, value);
}

void item_write_json(struct json_writer *writer, struct value item) {
    begin_element(writer);
    put_map(writer->out, item);
}
