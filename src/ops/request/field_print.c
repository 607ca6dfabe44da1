/* field_print.c - what Java's toString makes of a request's members.
 *
 * Recursion follows the shapes, which are static, and the nesting of attribute values, which the
 * JSON reader bounds. Only errors come here, so nothing is in a hurry.
 *
 * What does not fit is cut at a character: the buffer's overflow is set there, and nothing is
 * printed after it. */
#include "ops/request/field_print.h"

#include <inttypes.h>
#include <stdio.h>

/* The members of the service's AttributeValue, in the order in which it prints them. */
static const struct {
    const char *name;
    enum value_type type; /* VALUE_NONE: never set */
} value_members[] = {
    {"s", VALUE_S},
    {"n", VALUE_N},
    {"b", VALUE_B},
    {"iNT", VALUE_NONE},
    {"dECIMAL", VALUE_NONE},
    {"dOUBLE", VALUE_NONE},
    {"sS", VALUE_SS},
    {"nS", VALUE_NS},
    {"bS", VALUE_BS},
    {"iNTSET", VALUE_NONE},
    {"dECIMALSET", VALUE_NONE},
    {"dOUBLESET", VALUE_NONE},
    {"m", VALUE_M},
    {"l", VALUE_L},
    {"nULL", VALUE_NULL},
    {"bOOL", VALUE_BOOL},
};

static void print_value(struct buffer *out, struct value value);

/* ---- up to where the buffer ends ---- */

/* Of a character that was cut, the bytes that are there. The text is UTF-8. */
static void drop_part_of_character(struct buffer *out) {
    size_t start = out->len;
    while (start > 0 && out->len - start < 3 && (out->data[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0)
        return;
    uint8_t first = out->data[--start];
    size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    if (out->len - start < whole)
        out->len = start;
}

/* The part that fits. */
static void print_slice(struct buffer *out, struct slice text) {
    if (out->overflow)
        return;
    size_t room = out->size_max - out->len;
    buffer_append(out, text.data, text.len < room ? text.len : room);
    if (text.len > room) {
        out->overflow = true;
        drop_part_of_character(out);
    }
}

static void print_text(struct buffer *out, const char *text) {
    print_slice(out, slice_text(text));
}

static void print_byte(struct buffer *out, uint8_t byte) {
    if (!out->overflow)
        buffer_append_byte(out, byte);
}

static void print_number(struct buffer *out, int64_t number) {
    char text[32];
    snprintf(text, sizeof(text), "%" PRId64, number);
    print_text(out, text);
}

static void print_bytes(struct buffer *out, size_t len) {
    char text[96];
    snprintf(text, sizeof(text), "java.nio.HeapByteBuffer[pos=0 lim=%zu cap=%zu]", len, len);
    print_text(out, text);
}

/* ---- names and values ---- */

void field_print_name(struct buffer *out, const struct field *field) {
    char first = field->name[0];
    if (first >= 'A' && first <= 'Z')
        first = (char)(first - 'A' + 'a');
    print_byte(out, (uint8_t)first);
    print_text(out, field->name + 1);
}

static void print_comma(struct buffer *out, bool *first) {
    if (!*first)
        print_text(out, ", ");
    *first = false;
}

static void print_scalar(struct buffer *out, enum value_type type, struct slice bytes) {
    char text[NUMBER_TEXT_MAX];
    if (type == VALUE_N)
        print_slice(out, slice_of(text, number_format(bytes, text)));
    else if (type == VALUE_B)
        print_bytes(out, bytes.len);
    else
        print_slice(out, bytes);
}

static void print_container(struct buffer *out, struct value value) {
    enum value_type type = value_type(value);
    bool first = true;
    struct value_iter iter;
    value_iter_init(&iter, value);
    print_byte(out, type == VALUE_M ? '{' : '[');
    while (value_iter_next(&iter) && !out->overflow) {
        print_comma(out, &first);
        if (value_type_is_set(type)) {
            print_scalar(out, value_member_type(type), iter.member);
            continue;
        }
        if (type == VALUE_M) {
            print_slice(out, iter.name);
            print_byte(out, '=');
        }
        print_value(out, iter.value);
    }
    print_byte(out, type == VALUE_M ? '}' : ']');
}

static void print_value_content(struct buffer *out, struct value value) {
    enum value_type type = value_type(value);
    if (type == VALUE_NULL)
        print_text(out, "true");
    else if (type == VALUE_BOOL)
        print_text(out, value_bool(value) ? "true" : "false");
    else if (type == VALUE_S || type == VALUE_N || type == VALUE_B)
        print_scalar(out, type, value_scalar(value));
    else
        print_container(out, value);
}

static void print_value(struct buffer *out, struct value value) {
    bool first = true;
    print_text(out, "AttributeValue(");
    for (size_t i = 0; i < sizeof(value_members) / sizeof(*value_members); i++) {
        print_comma(out, &first);
        print_text(out, value_members[i].name);
        print_byte(out, '=');
        if (value_members[i].type == value_type(value))
            print_value_content(out, value);
        else
            print_text(out, "null");
    }
    print_byte(out, ')');
}

static void print_struct(struct buffer *out, const struct shape *shape, const void *base) {
    bool first = true;
    print_text(out, shape->name);
    print_byte(out, '(');
    for (const struct field *field = shape->fields; field->name != NULL; field++) {
        print_comma(out, &first);
        field_print_name(out, field);
        print_byte(out, '=');
        field_print(out, field, (const char *)base + field->offset);
    }
    print_byte(out, ')');
}

static void print_structs(struct buffer *out, const struct shape *shape,
                          const struct field_list *list) {
    bool first = true;
    const char *element = list->items;
    print_byte(out, '[');
    for (size_t i = 0; i < list->count && !out->overflow; i++, element += shape->size) {
        print_comma(out, &first);
        print_struct(out, shape, element);
    }
    print_byte(out, ']');
}

/* The i-th element of a list or map, which is no list of structs. */
static void print_element(struct buffer *out, const struct field *field, const void *items,
                          size_t i) {
    if (field->type == FIELD_STRING_LIST) {
        print_slice(out, ((const struct slice *)items)[i]);
    } else if (field->type == FIELD_ITEM_LIST) {
        print_container(out, ((const struct field_item *)items)[i].value);
    } else if (field->type == FIELD_VALUE_LIST) {
        print_value(out, ((const struct field_item *)items)[i].value);
    } else if (field->type == FIELD_STRING_MAP) {
        const struct field_pair *pair = (const struct field_pair *)items + i;
        print_slice(out, pair->key);
        print_byte(out, '=');
        print_slice(out, pair->value);
    } else if (field->type == FIELD_VALUE_MAP) {
        const struct field_value *entry = (const struct field_value *)items + i;
        print_slice(out, entry->key);
        print_byte(out, '=');
        print_value(out, entry->value);
    } else if (field->type == FIELD_STRUCT_MAP) {
        const char *entry = (const char *)items + i * field->shape->size;
        print_slice(out, *(const struct slice *)(const void *)entry);
        print_byte(out, '=');
        print_struct(out, field->shape, entry);
    } else {
        const struct field_named_list *entry = (const struct field_named_list *)items + i;
        print_slice(out, entry->key);
        print_byte(out, '=');
        print_structs(out, field->shape, &entry->list);
    }
}

static void print_elements(struct buffer *out, const struct field *field,
                           const struct field_list *list) {
    bool is_list = field->type == FIELD_STRING_LIST || field->type == FIELD_ITEM_LIST ||
                   field->type == FIELD_VALUE_LIST;
    bool first = true;
    print_byte(out, is_list ? '[' : '{');
    for (size_t i = 0; i < list->count && !out->overflow; i++) {
        print_comma(out, &first);
        print_element(out, field, list->items, i);
    }
    print_byte(out, is_list ? ']' : '}');
}

static void print_list(struct buffer *out, const struct field *field,
                       const struct field_list *list) {
    if (!list->present)
        print_text(out, "null");
    else if (field->type == FIELD_STRUCT_LIST)
        print_structs(out, field->shape, list);
    else
        print_elements(out, field, list);
}

static void print_text_or_null(struct buffer *out, bool present, struct slice text) {
    if (present)
        print_slice(out, text);
    else
        print_text(out, "null");
}

void field_print(struct buffer *out, const struct field *field, const void *member) {
    const struct field_int *number = member;
    const struct field_bool *truth = member;
    const struct field_item *item = member;
    const void *nested = NULL;
    switch (field->type) {
    case FIELD_STRING:
        print_text_or_null(out, slice_present(*(const struct slice *)member),
                           *(const struct slice *)member);
        return;
    case FIELD_INTEGER:
    case FIELD_LONG:
    case FIELD_TIMESTAMP:
        if (number->present)
            print_number(out, number->value);
        else
            print_text(out, "null");
        return;
    case FIELD_BOOLEAN:
        print_text_or_null(out, truth->present, slice_text(truth->value ? "true" : "false"));
        return;
    case FIELD_ITEM:
        if (value_present(item->value))
            print_container(out, item->value);
        else
            print_text(out, "null");
        return;
    case FIELD_VALUE:
        if (value_present(item->value))
            print_value(out, item->value);
        else
            print_text(out, "null");
        return;
    case FIELD_STRUCT:
        memcpy(&nested, member, sizeof(nested));
        if (nested != NULL)
            print_struct(out, field->shape, nested);
        else
            print_text(out, "null");
        return;
    case FIELD_ITEM_LIST:
    case FIELD_VALUE_LIST:
    case FIELD_VALUE_MAP:
    case FIELD_STRING_LIST:
    case FIELD_STRING_MAP:
    case FIELD_STRUCT_LIST:
    case FIELD_STRUCT_MAP:
    case FIELD_STRUCT_LIST_MAP:
        print_list(out, field, member);
        return;
    case FIELD_IGNORED:
    case FIELD_PRINTED_ONLY:
        print_text(out, "null");
        return;
    }
}

void field_print_json(struct buffer *out, struct slice json) {
    bool in_string = false;
    for (size_t i = 0; i < json.len && !out->overflow; i++) {
        uint8_t c = json.data[i];
        bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (in_string || !space)
            print_byte(out, c);
        if (c == '"')
            in_string = !in_string;
        else if (c == '\\' && in_string && i + 1 < json.len)
            print_byte(out, json.data[++i]);
    }
    if (out->overflow)
        drop_part_of_character(out);
}
