/* decode.c - JSON into a request struct, guided by its field table.
 *
 * One pass, and another one for the few requests that fall through to the older layer, whose words
 * differ: each member goes from the reader straight to its place. After a wrong type the rest is
 * still read, for a syntax error anywhere wins and, of several wrong types, the one whose field
 * comes first in the table is reported. A member that is null counts as absent, one that is not in
 * the table is skipped.
 *
 * Elements of lists and maps that are null: an AttributeValue, an item or a key has a fault, a
 * structure or a list is an empty one, a string is skipped.
 *
 * Memory: all attribute values of a request are built one after another in one block of the arena;
 * VALUE_BYTES_PER_INPUT_BYTE says how large it must be. Recursion follows the shapes, which are
 * static and do not refer to themselves. Threads: any; no shared state. */
#include "base/check.h"
#include "base/clock.h"
#include "model/json_shape.h"
#include "ops/request/json_number.h"
#include "ops/request/name_set.h"

#define JAVA_PACKAGE "com.amazonaws.dynamodb.v20120810."
#define PARAMETERIZED_TYPE_TEXT                                                               \
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "   \
    "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and" \
    " java.lang.Class are in module java.base of loader 'bootstrap')"

enum {
    /* The flat form grows most where an empty map, "{}" and a comma, takes a container's header. */
    VALUE_BYTES_PER_INPUT_BYTE = 3,
    VALUE_BYTES_SPARE = 64,
    LIST_CAPACITY_FIRST = 4,
    /* Keys that are sent twice are looked for in maps up to this size. */
    MAP_UNIQUE_MAX = 256,
};

struct decoder {
    struct json_reader reader;
    struct arena *arena;
    enum value_layer layer;
    bool number_text;     /* numbers may be strings of digits */
    bool beyond_current;  /* some value is nested too deeply for the current layer */
    struct buffer values; /* over memory of the arena; never grows, never released */
};

static struct error *decode_struct(struct decoder *decoder, const struct shape *shape, void *base);

static struct error *decode_number(struct decoder *decoder, enum field_type type,
                                   struct field_int *ret_number) {
    const char *java_type = type == FIELD_INTEGER ? "Integer" : "Long";
    struct json_reader *reader = &decoder->reader;
    int64_t n = 0;
    bool fits = false;
    if (reader->token == JSON_INTEGER)
        fits = json_number_integer(reader->text, &n);
    else if (reader->token == JSON_DECIMAL)
        fits = json_number_decimal(decoder->arena, reader->text, &n);
    else if (reader->token == JSON_STRING && decoder->number_text)
        fits = json_number_digits(reader->text, &n);
    if (!fits || (type == FIELD_INTEGER && (n < INT32_MIN || n > INT32_MAX)))
        return shape_scalar_error(reader, java_type);
    *ret_number = (struct field_int){true, n};
    return NULL;
}

/* Times that no clock shows are as good as the last one that fits. */
static struct error *decode_timestamp(struct decoder *decoder, struct field_int *ret_time) {
    struct json_reader *reader = &decoder->reader;
    if (reader->token != JSON_INTEGER && reader->token != JSON_DECIMAL)
        return shape_scalar_error(reader, "milliseconds since epoch");
    const double most = (double)CLOCK_MAX_MS;
    double ms = json_number_double(decoder->arena, reader->text) * 1000;
    ms = ms > most ? most : ms < -most ? -most : ms;
    *ret_time = (struct field_int){true, (int64_t)(ms < 0 ? ms - 0.5 : ms + 0.5)};
    return NULL;
}

static struct error *decode_boolean(struct decoder *decoder, struct field_bool *ret_truth) {
    bool truth = false;
    TRY(shape_bool(&decoder->reader, &truth));
    *ret_truth = (struct field_bool){true, truth};
    return NULL;
}

/* ---- attribute values ---- */

static struct value_builder value_builder_over(struct decoder *decoder) {
    if (decoder->values.data == NULL) {
        size_t left = (size_t)(decoder->reader.end - decoder->reader.next);
        size_t size = left * VALUE_BYTES_PER_INPUT_BYTE + VALUE_BYTES_SPARE;
        decoder->values = (struct buffer){
            .data = arena_try_alloc(decoder->arena, size), .capacity = size, .size_max = size};
        if (decoder->values.data == NULL)
            decoder->values = (struct buffer){.overflow = true};
    }
    struct value_builder builder;
    value_builder_init(&builder, &decoder->values, decoder->arena);
    return builder;
}

/* The value that was built from `start` on. */
static struct error *take_value(struct decoder *decoder, size_t start, struct value *ret_value) {
    if (decoder->values.overflow)
        return error_new(decoder->arena, ERROR_SERVICE_UNAVAILABLE,
                         "The server has no memory for this request now");
    *ret_value = (struct value){decoder->values.data + start, decoder->values.len - start};
    return NULL;
}

static void take_fault(struct decoder *decoder, const struct value_fault *fault,
                       struct field_item *ret_item) {
    ret_item->fault = fault->error;
    ret_item->fault_kind = fault->kind;
    decoder->beyond_current = decoder->beyond_current || fault->beyond_current;
}

/* The service's reader knows no class for a list or map that is itself an element. */
static struct error *check_no_scalar(struct decoder *decoder) {
    enum json_token token = decoder->reader.token;
    if (token == JSON_ARRAY_BEGIN || token == JSON_OBJECT_BEGIN || token == JSON_NULL ||
        token == JSON_ERROR)
        return NULL;
    return error_new(decoder->arena, ERROR_SERIALIZATION, PARAMETERIZED_TYPE_TEXT);
}

/* A map of AttributeValues; `element` when it is an element of a list. */
static struct error *decode_item(struct decoder *decoder, bool element,
                                 struct field_item *ret_item) {
    if (element)
        TRY(check_no_scalar(decoder));
    struct value_builder builder = value_builder_over(decoder);
    size_t start = decoder->values.len;
    struct value_fault fault = {.layer = decoder->layer};
    TRY(item_read_json(&decoder->reader, &builder, &fault));
    TRY(take_value(decoder, start, &ret_item->value));
    take_fault(decoder, &fault, ret_item);
    return NULL;
}

/* One AttributeValue; `element` when it is an element of a list or a map. */
static struct error *decode_value(struct decoder *decoder, bool element,
                                  struct field_item *ret_value) {
    struct value_builder builder = value_builder_over(decoder);
    size_t start = decoder->values.len;
    struct value_fault fault = {.layer = decoder->layer};
    TRY(element ? value_read_json(&decoder->reader, &builder, &fault)
                : value_member_read_json(&decoder->reader, &builder, &fault));
    TRY(take_value(decoder, start, &ret_value->value));
    take_fault(decoder, &fault, ret_value);
    return NULL;
}

static struct error *decode_map_value(struct decoder *decoder, struct field_value *ret_value) {
    struct field_item value = {0};
    TRY(decode_value(decoder, true, &value));
    ret_value->value = value.value;
    ret_value->fault = value.fault;
    ret_value->fault_kind = value.fault_kind;
    return NULL;
}

/* ---- lists and maps ---- */

/* A list while it is read. */
struct growing_list {
    struct field_list list;
    size_t element_size;
    size_t capacity;
};

static struct error *list_push(struct decoder *decoder, struct growing_list *growing,
                               void **ret_element) {
    struct field_list *list = &growing->list;
    if (list->count == FIELD_ELEMENTS_MAX)
        return error_new(decoder->arena, ERROR_SERIALIZATION,
                         "A list or map has more than %d elements", FIELD_ELEMENTS_MAX);
    if (list->count == growing->capacity) {
        size_t capacity = growing->capacity == 0 ? LIST_CAPACITY_FIRST : growing->capacity * 2;
        void *items = arena_alloc(decoder->arena, capacity * growing->element_size);
        if (list->count > 0)
            memcpy(items, list->items, list->count * growing->element_size);
        list->items = items;
        growing->capacity = capacity;
    }
    void *element = (char *)list->items + list->count++ * growing->element_size;
    memset(element, 0, growing->element_size);
    *ret_element = element;
    return NULL;
}

/* The place for a map's entry, which starts with its key: that of an earlier entry with this key,
 * or a new one. */
static struct error *map_push(struct decoder *decoder, struct growing_list *growing,
                              struct slice key, void **ret_element) {
    struct field_list *list = &growing->list;
    void *found = NULL;
    for (size_t i = 0; i < list->count && list->count <= MAP_UNIQUE_MAX && found == NULL; i++) {
        void *entry = (char *)list->items + i * growing->element_size;
        if (slice_equal(*(const struct slice *)entry, key))
            found = entry;
    }
    if (found == NULL)
        TRY(list_push(decoder, growing, &found));
    else
        memset(found, 0, growing->element_size);
    *(struct slice *)found = key;
    *ret_element = found;
    return NULL;
}

static size_t element_size(const struct field *field) {
    switch ((int)field->type) {
    case FIELD_ITEM_LIST:
    case FIELD_VALUE_LIST:
        return sizeof(struct field_item);
    case FIELD_VALUE_MAP:
        return sizeof(struct field_value);
    case FIELD_STRING_LIST:
        return sizeof(struct slice);
    case FIELD_STRING_MAP:
        return sizeof(struct field_pair);
    case FIELD_STRUCT_LIST_MAP:
        return sizeof(struct field_named_list);
    default:
        return field->shape->size;
    }
}

/* A structure that is an element of a list or a map. `element` is zeroed, which is what a null is
 * read as. */
static struct error *decode_struct_element(struct decoder *decoder, const struct shape *shape,
                                           void *element) {
    if (decoder->reader.token == JSON_NULL)
        return NULL;
    TRY(shape_struct_element(&decoder->reader, shape->name));
    return decode_struct(decoder, shape, element);
}

static struct error *decode_list_element(struct decoder *decoder, const struct field *field,
                                         void *element) {
    if (field->type == FIELD_STRING_LIST)
        return shape_string(&decoder->reader, element);
    if (field->type == FIELD_ITEM_LIST)
        return decode_item(decoder, true, element);
    if (field->type == FIELD_VALUE_LIST)
        return decode_value(decoder, true, element);
    return decode_struct_element(decoder, field->shape, element);
}

/* Where the value starts whose first token was just read. */
static const uint8_t *token_start(const struct decoder *decoder) {
    return decoder->reader.next - 1;
}

/* `nested`: a list that is itself an element of a map. */
static struct error *decode_list(struct decoder *decoder, const struct field *field, bool nested,
                                 struct field_list *ret_list) {
    struct json_reader *reader = &decoder->reader;
    if (nested)
        TRY(check_no_scalar(decoder));
    if (reader->token == JSON_NULL) {
        ret_list->present = true;
        return NULL;
    }
    TRY(shape_list(reader));
    const uint8_t *start = token_start(decoder);
    size_t size = nested ? field->shape->size : element_size(field);
    struct growing_list growing = {.element_size = size};
    while (json_next(reader) != JSON_ARRAY_END) {
        if (reader->token == JSON_ERROR)
            return shape_syntax_error(reader);
        if (reader->token == JSON_NULL && field->type == FIELD_STRING_LIST)
            continue;
        void *element;
        TRY(list_push(decoder, &growing, &element));
        TRY(decode_list_element(decoder, field, element));
    }
    if ((field->flags & FIELD_SORTED) && growing.list.count > 0)
        growing.list.sorted = name_set_of(decoder->arena, &growing.list, size).names;
    growing.list.present = true;
    growing.list.json = slice_of(start, (size_t)(reader->next - start));
    *ret_list = growing.list;
    return NULL;
}

static struct error *decode_map_element(struct decoder *decoder, const struct field *field,
                                        void *element) {
    switch ((int)field->type) {
    case FIELD_STRING_MAP:
        return shape_string(&decoder->reader, &((struct field_pair *)element)->value);
    case FIELD_VALUE_MAP:
        return decode_map_value(decoder, element);
    case FIELD_STRUCT_LIST_MAP:
        return decode_list(decoder, field, true, &((struct field_named_list *)element)->list);
    default:
        return decode_struct_element(decoder, field->shape, element);
    }
}

/* The Java name of what the map holds. */
static const char *map_value_class(struct arena *arena, const struct field *field) {
    switch ((int)field->type) {
    case FIELD_STRING_MAP:
        return "java.lang.String";
    case FIELD_VALUE_MAP:
        return JAVA_PACKAGE "AttributeValue";
    default:
        return (const char *)arena_printf(arena,
                                          field->type == FIELD_STRUCT_LIST_MAP
                                              ? "java.util.List<" JAVA_PACKAGE "%s>"
                                              : JAVA_PACKAGE "%s",
                                          field->shape->name)
            .data;
    }
}

static struct error *decode_map(struct decoder *decoder, const struct field *field,
                                struct field_list *ret_list) {
    struct json_reader *reader = &decoder->reader;
    if (reader->token != JSON_OBJECT_BEGIN)
        return shape_map(reader, map_value_class(decoder->arena, field));
    const uint8_t *start = token_start(decoder);
    struct growing_list growing = {.element_size = element_size(field)};
    while (json_next_name(reader)) {
        struct slice key = reader->text;
        enum json_token token = json_next(reader);
        if (token == JSON_NULL && field->type == FIELD_STRING_MAP)
            continue;
        if (token == JSON_ERROR)
            return shape_syntax_error(&decoder->reader);
        void *element;
        TRY(map_push(decoder, &growing, key, &element));
        TRY(decode_map_element(decoder, field, element));
    }
    if (reader->token != JSON_OBJECT_END)
        return shape_syntax_error(&decoder->reader);
    growing.list.present = true;
    growing.list.json = slice_of(start, (size_t)(reader->next - start));
    *ret_list = growing.list;
    return NULL;
}

/* ---- structures ---- */

static struct error *decode_struct_member(struct decoder *decoder, const struct field *field,
                                          void *target) {
    TRY(shape_struct_member(&decoder->reader, field->shape->name));
    void *nested = arena_zalloc(decoder->arena, field->shape->size);
    TRY(decode_struct(decoder, field->shape, nested));
    memcpy(target, &nested, sizeof(nested));
    return NULL;
}

static struct error *decode_member(struct decoder *decoder, const struct field *field,
                                   void *target) {
    switch (field->type) {
    case FIELD_STRING:
        return shape_string(&decoder->reader, target);
    case FIELD_INTEGER:
    case FIELD_LONG:
        return decode_number(decoder, field->type, target);
    case FIELD_TIMESTAMP:
        return decode_timestamp(decoder, target);
    case FIELD_BOOLEAN:
        return decode_boolean(decoder, target);
    case FIELD_ITEM:
        return decode_item(decoder, false, target);
    case FIELD_VALUE:
        return decode_value(decoder, false, target);
    case FIELD_ITEM_LIST:
    case FIELD_VALUE_LIST:
    case FIELD_STRING_LIST:
    case FIELD_STRUCT_LIST:
        return decode_list(decoder, field, false, target);
    case FIELD_VALUE_MAP:
    case FIELD_STRING_MAP:
    case FIELD_STRUCT_MAP:
    case FIELD_STRUCT_LIST_MAP:
        return decode_map(decoder, field, target);
    case FIELD_STRUCT:
        return decode_struct_member(decoder, field, target);
    case FIELD_IGNORED:
        *(struct field_bool *)target = (struct field_bool){true, true};
        return json_skip(&decoder->reader) ? NULL : shape_syntax_error(&decoder->reader);
    case FIELD_PRINTED_ONLY:
        break;
    }
    CHECK(false);
    return NULL;
}

static const struct field *field_find(const struct shape *shape, struct slice name) {
    for (const struct field *field = shape->fields; field->name != NULL; field++)
        if (field->name_len == name.len && memcmp(field->name, name.data, name.len) == 0)
            return field->type == FIELD_PRINTED_ONLY ? NULL : field;
    return NULL;
}

/* Reads on until the reader is `depth` deep again; false on a syntax error. */
static bool leave_to_depth(struct json_reader *reader, uint32_t depth) {
    while (reader->token != JSON_ERROR && reader->depth > depth)
        json_next(reader);
    return reader->token != JSON_ERROR;
}

/* The reader stands on the object's first token, and afterwards on its last one, also when a wrong
 * type is returned. */
static struct error *decode_struct(struct decoder *decoder, const struct shape *shape, void *base) {
    struct json_reader *reader = &decoder->reader;
    uint32_t depth = reader->depth;
    struct error *first_error = NULL;
    const struct field *first_field = NULL;
    while (json_next_name(reader)) {
        const struct field *field = field_find(shape, reader->text);
        enum json_token token = json_next(reader);
        if (token == JSON_NULL)
            continue;
        if (token == JSON_ERROR)
            break;
        if (field == NULL) {
            if (!json_skip(reader))
                break;
            continue;
        }
        struct error *error = decode_member(decoder, field, (char *)base + field->offset);
        if (error == NULL)
            continue;
        if (!leave_to_depth(reader, depth))
            break;
        if (first_error == NULL || field < first_field) {
            first_error = error;
            first_field = field;
        }
    }
    return reader->token == JSON_OBJECT_END ? first_error : shape_syntax_error(&decoder->reader);
}

static struct error *decode_request(struct decoder *decoder, struct slice json,
                                    const struct shape *shape, void *ret_request) {
    json_reader_init(&decoder->reader, json, decoder->arena);
    if (json_next(&decoder->reader) != JSON_OBJECT_BEGIN)
        return shape_syntax_error(&decoder->reader);
    struct error *error = decode_struct(decoder, shape, ret_request);
    if (!json_finish(&decoder->reader))
        return shape_syntax_error(&decoder->reader);
    return error;
}

static struct error *decode_layered(const struct decoder *fresh, struct slice json,
                                    const struct shape *shape, enum value_layer *layer,
                                    void *ret_request) {
    struct decoder decoder = *fresh;
    struct arena_mark mark = arena_mark(fresh->arena);
    struct error *error = decode_request(&decoder, json, shape, ret_request);
    if (error != NULL || !decoder.beyond_current || *layer == VALUE_LAYER_OLDER)
        return error;
    arena_rewind(fresh->arena, mark);
    memset(ret_request, 0, shape->size);
    *layer = VALUE_LAYER_OLDER;
    decoder = *fresh;
    decoder.layer = VALUE_LAYER_OLDER;
    return decode_request(&decoder, json, shape, ret_request);
}

struct error *fields_decode(struct arena *arena, struct slice json, const struct shape *shape,
                            enum value_layer *layer, void *ret_request) {
    struct decoder decoder = {.arena = arena, .layer = *layer};
    return decode_layered(&decoder, json, shape, layer, ret_request);
}

struct error *fields_decode_lenient(struct arena *arena, struct slice json,
                                    const struct shape *shape, enum value_layer *layer,
                                    void *ret_request) {
    struct decoder decoder = {.arena = arena, .layer = *layer, .number_text = true};
    return decode_layered(&decoder, json, shape, layer, ret_request);
}
