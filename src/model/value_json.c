/* value_json.c - one AttributeValue after another, straight from tokens to flat bytes. The way back
 * is in value_json_write.c.
 *
 * Reading never stops at a broken rule: the rest must still be well-formed and well-shaped, and the
 * builder must end with a value that is safe to look at. So a faulty value is replaced by something
 * harmless. Recursion is bounded by the reader's depth limit (two JSON levels for each level of
 * nesting). */
#include "model/value_json.h"

#include "model/json_shape.h"
#include "model/limits.h"
#include "model/value_fault.h"

#define VALUE_CLASS "com.amazonaws.dynamodb.v20120810.AttributeValue"

struct source {
    struct json_reader *json;
    struct value_builder *out;
    struct value_fault *fault;
    bool item;     /* level 1 is that of an item's attributes */
    bool too_deep; /* the value at the deepest level allowed has something inside */
};

static struct error *read_value(struct source *s, uint32_t level);

/* Canonical; zero stands in for a text that breaks a rule. */
static void parse_number(struct source *s, struct slice text, struct number *ret_number) {
    enum number_status status = number_parse(text, ret_number);
    if (status != NUMBER_OK) {
        if (s->fault->layer == VALUE_LAYER_OLDER)
            status = number_status_older(status, text);
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

/* The service refuses a null in a number set as it refuses an empty number. */
static void take_null_member(struct source *s, enum value_type set) {
    struct slice member = SLICE_LITERAL("");
    struct number zero;
    if (set == VALUE_NS) {
        parse_number(s, member, &zero);
        member = number_slice(&zero);
    } else {
        fault_null_member(s->fault, s->json->arena, set);
    }
    value_builder_member(s->out, member);
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
            take_null_member(s, type);
        else
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

/* An element of a list or a map. A JSON null is a fault, and the value NULL is built for it. */
static struct error *read_element(struct source *s, uint32_t level) {
    if (s->json->token == JSON_NULL) {
        fault_null_value(s->fault, s->json->arena);
        value_builder_null(s->out);
        return NULL;
    }
    TRY(shape_struct_element(s->json, "AttributeValue"));
    return read_value(s, level);
}

static struct error *read_list(struct source *s, uint32_t level) {
    TRY(shape_list(s->json));
    value_builder_open(s->out, VALUE_L);
    while (json_next(s->json) != JSON_ARRAY_END)
        TRY(read_element(s, level + 1));
    value_builder_close(s->out);
    return NULL;
}

/* The tags of the values that nearly all are: {"S":"text"} and {"N":"1"}. */
#define PLAIN_TAGS 'S', 'N'

static enum value_type plain_type(uint8_t letter) {
    return letter == 'S' ? VALUE_S : VALUE_N;
}

/* The bytes of the plain value that was just taken; those of a number are put into `number`. */
static struct slice plain_bytes(struct source *s, uint8_t letter, struct number *number) {
    if (letter == 'S')
        return s->json->text;
    parse_number(s, s->json->text, number);
    return number_slice(number);
}

static void check_name(struct source *s, struct slice name, uint32_t level) {
    if (!attribute_name_fits(name))
        fault_name(s->fault, s->json->arena, name, s->item && level == 1);
}

/* The short way for nearly all entries; false when the next one is another, or the map ends. */
static bool read_plain_entry(struct source *s, uint32_t level) {
    struct slice name;
    uint8_t letter =
        level > LIMIT_NESTING ? 0 : json_take_tagged_member(s->json, PLAIN_TAGS, &name);
    if (letter == 0)
        return false;
    check_name(s, name, level);
    struct number number;
    struct slice bytes = plain_bytes(s, letter, &number);
    value_builder_entry(s->out, name, plain_type(letter), bytes);
    return true;
}

/* Any entry; the reader stands on its name. */
static struct error *read_entry(struct source *s, uint32_t level) {
    struct slice name = s->json->text;
    if (json_next(s->json) == JSON_NULL) {
        fault_null_attribute(s->fault, s->json->arena, name);
        return NULL;
    }
    check_name(s, name, level);
    TRY(shape_struct_element(s->json, "AttributeValue"));
    value_builder_name(s->out, name);
    return read_value(s, level);
}

/* The map's values are at `level`; at level 1 the map is an item. */
static struct error *read_map(struct source *s, uint32_t level) {
    TRY(shape_map(s->json, VALUE_CLASS));
    value_builder_open(s->out, VALUE_M);
    for (;;) {
        if (read_plain_entry(s, level))
            continue;
        if (!json_next_name(s->json))
            break;
        TRY(read_entry(s, level));
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
    while (json_next_name(s->json)) {
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

static void note_too_deep(struct source *s, uint32_t level) {
    if (level == LIMIT_NESTING + 1)
        fault_depth(s->fault, s->json->arena);
    s->fault->beyond_current = s->fault->beyond_current || level > LIMIT_CURRENT_NESTING;
    s->too_deep = true;
}

/* The reader stands on the value's opening brace. */
static struct error *read_value(struct source *s, uint32_t level) {
    size_t mark = value_builder_mark(s->out);
    if (level > LIMIT_NESTING)
        note_too_deep(s, level);
    uint8_t letter = json_take_tagged(s->json, PLAIN_TAGS);
    if (letter != 0) {
        struct number number;
        value_builder_scalar(s->out, plain_type(letter), plain_bytes(s, letter, &number));
        return NULL;
    }
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

/* The older layer counts the levels of a value that is no attribute from 0. */
static uint32_t first_level(const struct value_fault *fault) {
    return fault->layer == VALUE_LAYER_OLDER ? 0 : 1;
}

struct error *value_read_json(struct json_reader *reader, struct value_builder *out,
                              struct value_fault *fault) {
    struct source source = {.json = reader, .out = out, .fault = fault};
    return read_element(&source, first_level(fault));
}

struct error *value_member_read_json(struct json_reader *reader, struct value_builder *out,
                                     struct value_fault *fault) {
    struct source source = {.json = reader, .out = out, .fault = fault};
    TRY(shape_struct_member(reader, "AttributeValue"));
    return read_value(&source, first_level(fault));
}

/* A JSON null is a fault, and an empty item is built for it. */
static void read_null_item(struct source *s) {
    fault_null_value(s->fault, s->json->arena);
    value_builder_open(s->out, VALUE_M);
    value_builder_close(s->out);
}

struct error *item_read_json(struct json_reader *reader, struct value_builder *out,
                             struct value_fault *fault) {
    /* Within an item some faults go before earlier ones, but never before another item's. */
    struct value_fault own = {.layer = fault->layer};
    struct source source = {.json = reader, .out = out, .fault = &own, .item = true};
    if (reader->token == JSON_NULL)
        read_null_item(&source);
    else
        TRY(read_map(&source, 1));
    bool beyond_current = fault->beyond_current || own.beyond_current;
    if (fault->error == NULL)
        *fault = own;
    fault->beyond_current = beyond_current;
    return NULL;
}
