/* value_fault.c - texts of broken rules, in the wording of either layer.
 *
 * Texts with parts of the request are put together from slices rather than by printf, because such
 * parts may hold a NUL. Making a text is linear in what it quotes, up to sorting, and no more is
 * sorted than will be shown. */
#include "model/value_fault.h"
#include "json/reader.h"

#include <stdlib.h>

#include "base/base64.h"

#define NULL_VALUE_TEXT "The supplied Item contains a null AttributeValue"

/* The first broken rule stays, with two exceptions the service makes: an empty name of the item
 * itself comes before all its values, and one inside a value after a value that is too deep. */
static bool comes_first(const struct value_fault *fault, enum value_fault_kind kind) {
    return fault->error == NULL ||
           (kind == VALUE_FAULT_ITEM_NAME && fault->kind != VALUE_FAULT_ITEM_NAME) ||
           (kind == VALUE_FAULT_DEPTH && fault->kind == VALUE_FAULT_NAME);
}

static void keep(struct value_fault *fault, enum value_fault_kind kind, struct error *error) {
    fault->kind = kind;
    fault->error = error;
}

void fault_null_value(struct value_fault *fault, struct arena *arena) {
    if (comes_first(fault, VALUE_FAULT_SHAPE))
        keep(fault, VALUE_FAULT_SHAPE, error_validation(arena, NULL_VALUE_TEXT));
}

void fault_null_member(struct value_fault *fault, struct arena *arena, enum value_type type) {
    if (!comes_first(fault, VALUE_FAULT_RULE))
        return;
    const char *text = type == VALUE_SS ? "An string set may not have a null string as a member"
                                        : "Binary sets may not contain null or empty values";
    keep(fault, VALUE_FAULT_RULE, error_request(arena, PVI "%s", text));
}

void fault_no_datatype(struct value_fault *fault, struct arena *arena) {
    if (comes_first(fault, VALUE_FAULT_SHAPE))
        keep(fault, VALUE_FAULT_SHAPE,
             error_validation(arena, "Supplied AttributeValue is empty, must contain exactly one "
                                     "of the supported datatypes"));
}

void fault_many_datatypes(struct value_fault *fault, struct arena *arena) {
    if (comes_first(fault, VALUE_FAULT_SHAPE))
        keep(fault, VALUE_FAULT_SHAPE,
             error_validation(arena, "Supplied AttributeValue has more than one datatypes set, "
                                     "must contain exactly one of the supported datatypes"));
}

void fault_null_not_true(struct value_fault *fault, struct arena *arena) {
    if (comes_first(fault, VALUE_FAULT_RULE))
        keep(fault, VALUE_FAULT_RULE,
             error_request(arena, PVI "Null attribute value types must have the value of true"));
}

void fault_empty_set(struct value_fault *fault, struct arena *arena, enum value_type type) {
    enum value_fault_kind kind = type == VALUE_NS ? VALUE_FAULT_NUMBER : VALUE_FAULT_RULE;
    if (!comes_first(fault, kind))
        return;
    const char *text = type == VALUE_SS   ? "An string set  may not be empty"
                       : type == VALUE_NS ? "An number set  may not be empty"
                                          : "Binary sets should not be empty";
    keep(fault, kind, error_request(arena, PVI "%s", text));
}

void fault_depth(struct value_fault *fault, struct arena *arena) {
    if (comes_first(fault, VALUE_FAULT_DEPTH))
        keep(fault, VALUE_FAULT_DEPTH,
             error_validation(arena, "Nesting Levels have exceeded supported limits: Attributes "
                                     "in the item have nested levels beyond supported limit"));
}

struct error *attribute_name_error(struct arena *arena, struct slice name) {
    if (name.len == 0)
        return error_validation(arena, "Empty attribute name");
    return error_validation(arena, "Attribute name is too large, must be less than %d bytes",
                            LIMIT_ATTRIBUTE_NAME_BYTES + 1);
}

void fault_name(struct value_fault *fault, struct arena *arena, struct slice name, bool top) {
    enum value_fault_kind kind = top ? VALUE_FAULT_ITEM_NAME : VALUE_FAULT_NAME;
    if (comes_first(fault, kind))
        keep(fault, kind, attribute_name_error(arena, name));
}

/* ---- texts that quote the request ---- */

/* Text that grows in an arena: measured first, then written. */
struct quote {
    uint8_t *at;
};

static void quote_text(struct quote *q, struct slice text) {
    if (text.len > 0)
        memcpy(q->at, text.data, text.len);
    q->at += text.len;
}

static struct slice join(struct arena *arena, struct slice before, struct slice quoted,
                         struct slice after) {
    size_t len = before.len + quoted.len + after.len;
    uint8_t *text = arena_alloc(arena, len);
    struct quote q = {text};
    quote_text(&q, before);
    quote_text(&q, quoted);
    quote_text(&q, after);
    return slice_of(text, len);
}

static struct error *quoting_error(struct arena *arena, struct slice message, bool request_level) {
    struct error *error = error_without_text(arena, ERROR_VALIDATION);
    error->request_level = request_level;
    error->message = message;
    return error;
}

void fault_null_attribute(struct value_fault *fault, struct arena *arena, struct slice name) {
    if (!comes_first(fault, VALUE_FAULT_SHAPE))
        return;
    struct slice text =
        join(arena, SLICE_LITERAL(NULL_VALUE_TEXT ": "), name, SLICE_LITERAL(" is null"));
    keep(fault, VALUE_FAULT_SHAPE, quoting_error(arena, text, false));
}

void fault_number(struct value_fault *fault, struct arena *arena, enum number_status status,
                  struct slice text) {
    if (!comes_first(fault, VALUE_FAULT_NUMBER))
        return;
    struct slice message = slice_text(number_status_text(status));
    bool quoted = text.len > 0 || fault->layer == VALUE_LAYER_CURRENT;
    if (status == NUMBER_INVALID && quoted)
        message = join(arena, message, SLICE_LITERAL(": "), text);
    keep(fault, VALUE_FAULT_NUMBER, quoting_error(arena, message, true));
}

/* ---- duplicates ---- */

struct member {
    struct slice bytes; /* as they compare: decoded, for BS */
    struct slice text;  /* as they are printed */
    size_t position;
};

static int compare_members(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    int order = slice_compare(x->bytes, y->bytes);
    return order != 0 ? order : x->position < y->position ? -1 : x->position > y->position;
}

static int compare_positions(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* The next one of a part of the array that is not too long to be quoted. */
static bool next_member(struct json_reader *reader) {
    if (reader->next - reader->start > LIMIT_ECHO_BYTES)
        return false;
    return json_next(reader) == JSON_STRING;
}

/* The array was read once without an error or a fault, so it is an array of strings. */
static struct member *read_members(struct arena *arena, enum value_type type, struct slice array,
                                   size_t *ret_count) {
    struct json_reader reader;
    json_reader_init(&reader, array, arena);
    size_t count = 0;
    for (json_next(&reader); next_member(&reader);)
        count++;
    struct member *members = ARENA_ARRAY(arena, struct member, count);
    json_reader_init(&reader, array, arena);
    count = 0;
    for (json_next(&reader); next_member(&reader);) {
        struct member *m = &members[count];
        *m = (struct member){reader.text, reader.text, count};
        if (type == VALUE_BS) {
            uint8_t *bytes = arena_alloc(arena, base64_decoded_max(m->text.len));
            base64_decode(m->text, bytes, &m->bytes.len);
            m->bytes.data = bytes;
        }
        count++;
    }
    *ret_count = count;
    return members;
}

/* Byte order up to the first member that repeats an earlier one; that one and the rest as sent. */
static void order_members(struct member *members, size_t count) {
    qsort(members, count, sizeof(*members), compare_members);
    size_t repeat = count;
    for (size_t i = 1; i < count; i++)
        if (members[i].position < repeat && slice_equal(members[i].bytes, members[i - 1].bytes))
            repeat = members[i].position;
    qsort(members, count, sizeof(*members), compare_positions);
    qsort(members, repeat, sizeof(*members), compare_members);
}

/* [a, b] with the quotes and the separator of the layer. */
static struct slice list_members(struct arena *arena, const struct member *members, size_t count,
                                 struct slice quote, struct slice separator) {
    struct slice prefix = SLICE_LITERAL(PVI "Input collection [");
    size_t len = prefix.len;
    for (size_t i = 0; i < count; i++)
        len += 2 * quote.len + members[i].text.len + separator.len;
    uint8_t *start = arena_alloc(arena, len);
    struct quote q = {start};
    quote_text(&q, prefix);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            quote_text(&q, separator);
        quote_text(&q, quote);
        quote_text(&q, members[i].text);
        quote_text(&q, quote);
    }
    return slice_of(start, (size_t)(q.at - start));
}

/* Of a set that is too long to be quoted only the first members are, as if there were no others. */
static struct slice duplicates_text(struct arena *arena, enum value_layer layer,
                                    enum value_type type, struct slice array) {
    size_t count = 0;
    struct member *members = read_members(arena, type, array, &count);
    bool current = layer == VALUE_LAYER_CURRENT;
    if (current)
        order_members(members, count);
    struct slice list =
        list_members(arena, members, count, current ? SLICE_LITERAL("\"") : SLICE_LITERAL(""),
                     current && type == VALUE_BS ? SLICE_LITERAL(",") : SLICE_LITERAL(", "));
    struct slice tail = type == VALUE_BS ? SLICE_LITERAL("]of type BS contains duplicates.")
                                         : SLICE_LITERAL("] contains duplicates.");
    return join(arena, list, tail, SLICE_LITERAL(""));
}

void fault_duplicates(struct value_fault *fault, struct arena *arena, enum value_type type,
                      struct slice array) {
    if (!comes_first(fault, VALUE_FAULT_DUPLICATE))
        return;
    struct slice text;
    if (type != VALUE_NS)
        text = duplicates_text(arena, fault->layer, type, array);
    else if (fault->layer == VALUE_LAYER_CURRENT)
        text = SLICE_LITERAL(PVI "Input collection contains duplicates.");
    else
        text = SLICE_LITERAL("Input collection contains duplicates");
    keep(fault, VALUE_FAULT_DUPLICATE, quoting_error(arena, text, true));
}
