/* field.h - the members of a request, as data.
 *
 * An operation describes the members of its input in a table of fields. From it come decoding (JSON
 * to the operation's request struct, with the service's SerializationExceptions) and the constraint
 * errors of the service ("1 validation error detected: Value ..."). Members are decoded in any
 * order and checked in the order of the table.
 *
 *     static const struct field fields[] = {
 *         {NAMED("TableName"), AT(struct x_request, table_name),
 *          .type = FIELD_STRING, .flags = FIELD_REQUIRED, LENGTH(3, 255)},
 *         FIELDS_END,
 *     };
 *     const struct shape x_shape = {"XInput", sizeof(struct x_request), fields};
 *
 * Memory: what decoding makes lives in the arena it was given; strings may point into the JSON,
 * which must live as long. */
#ifndef GRAMME_OPS_REQUEST_FIELD_H
#define GRAMME_OPS_REQUEST_FIELD_H

#include "base/error.h"
#include "model/value_json.h"

enum field_type {
    FIELD_STRING,          /* struct slice; absent: data == NULL */
    FIELD_INTEGER,         /* struct field_int; 32 bits */
    FIELD_LONG,            /* struct field_int; 64 bits */
    FIELD_TIMESTAMP,       /* struct field_int: milliseconds; seconds since 1970 in the JSON */
    FIELD_BOOLEAN,         /* struct field_bool */
    FIELD_ITEM,            /* struct field_item: a map of AttributeValues */
    FIELD_ITEM_LIST,       /* struct field_list of struct field_item */
    FIELD_VALUE,           /* struct field_item: one AttributeValue */
    FIELD_VALUE_LIST,      /* struct field_list of struct field_item: AttributeValues */
    FIELD_VALUE_MAP,       /* struct field_list of struct field_value: values by :placeholder */
    FIELD_STRING_LIST,     /* struct field_list of struct slice */
    FIELD_STRING_MAP,      /* struct field_list of struct field_pair */
    FIELD_STRUCT,          /* a pointer to the nested struct; NULL when absent */
    FIELD_STRUCT_LIST,     /* struct field_list of nested structs */
    FIELD_STRUCT_MAP,      /* the same; the structs begin with a struct slice, the map's key */
    FIELD_STRUCT_LIST_MAP, /* struct field_list of struct field_named_list: a map of lists */
    FIELD_IGNORED,         /* struct field_bool: it was there; accepted whatever it holds */
    FIELD_PRINTED_ONLY,    /* no member of the API: printed as "name=null" by the service */
};

struct field_int {
    bool present;
    int64_t value;
};

struct field_bool {
    bool present;
    bool value;
};

struct field_item {
    struct value value;  /* absent when the member is */
    struct error *fault; /* the first broken rule inside, to be reported when its turn comes */
    enum value_fault_kind fault_kind;
};

struct field_value {
    struct slice key;
    struct value value;
    struct error *fault; /* as in field_item */
    enum value_fault_kind fault_kind;
};

struct field_pair {
    struct slice key;
    struct slice value;
};

/* A list, or a map in the order it was sent. When a map has a key twice, the later value stands. */
struct field_list {
    bool present;
    void *items; /* array of what the type says; NULL when empty */
    size_t count;
    struct slice json;    /* as it was sent */
    struct slice *sorted; /* the same strings in order; only with FIELD_SORTED */
};

struct field_named_list {
    struct slice key;
    struct field_list list;
};

/* No list or map of a request may have more elements: the service's own limits are far below. */
enum { FIELD_ELEMENTS_MAX = 65536 };

enum field_flags {
    FIELD_REQUIRED = 1 << 0,
    /* The errors of such members are reported instead of those of others. */
    FIELD_FIRST = 1 << 1,
    /* "Value at 'TableName' ...": no echo of the value and the member's own capitalisation (the
     * service's current form). Such an error is reported alone. */
    FIELD_NEW_FORM = 1 << 2,
    /* With enum_error: that text is the whole message, without the count; reported alone. */
    FIELD_BARE = 1 << 3,
    /* A table's name or ARN. min and max are for both; what is no ARN must also be a name of at
     * most 255 characters (that part is never in the new form). */
    FIELD_TABLE_NAME = 1 << 4,
    /* A map whose keys are table names or ARNs. */
    FIELD_TABLE_NAME_KEYS = 1 << 5,
    /* Errors echo the member as the JSON that was sent. */
    FIELD_ECHO_JSON = 1 << 6,
    /* A list of strings that are looked up later: it is also kept in order. */
    FIELD_SORTED = 1 << 7,
};

/* What a member names: that is what the request is about, and what it needs permissions for. A
 * member that only filters, or says where a list goes on, names nothing. */
enum field_resource {
    RESOURCE_NONE,
    RESOURCE_TABLE,          /* a table, by name or ARN; of a map: by each key */
    RESOURCE_TARGET_TABLE,   /* likewise, one that will be made and filled */
    RESOURCE_GLOBAL_TABLE,   /* a global table, by name */
    RESOURCE_INDEX,          /* an index of the table that is named beside it */
    RESOURCE_ARN,            /* a table, a backup or a stream, by its ARN */
    RESOURCE_SHARD_ITERATOR, /* a stream, by an iterator of one of its shards */
};

struct field;

/* The structure of a request, or a nested one. */
struct shape {
    const char *name;           /* as the service names it, e.g. "KeySchemaElement" */
    size_t size;                /* of the C struct */
    const struct field *fields; /* ends with FIELDS_END */
};

struct field {
    const char *name; /* as in the API: "TableName" */
    size_t name_len;
    enum field_type type;
    uint32_t flags;
    enum field_resource resource;
    size_t offset; /* in the request struct, or in the nested struct */
    /* Strings: characters; lists and maps: elements; numbers: value. */
    int64_t min;
    int64_t max;
    bool has_min;
    bool has_max;
    bool has_element_length;
    /* FIELD_STRING_LIST: of each string; FIELD_STRUCT_LIST_MAP: of each list. */
    int64_t element_min;
    int64_t element_max;
    const char *pattern;   /* NAME_PATTERN is the only one */
    const char *enum_text; /* "[INDEXES, TOTAL, NONE]": as printed; also the allowed values */
    /* Replaces the sentence where the current layer has a text of its own. */
    const char *enum_error;
    /* Whole messages, reported alone and first: when the member is missing, and when its length is
     * wrong (FIELD_TABLE_NAME only). */
    const char *null_error;
    const char *length_error;
    const struct shape *shape; /* of nested structures */
};

/* For rows of a field table. */
#define NAMED(text) .name = (text), .name_len = sizeof(text) - 1
#define AT(type, member) .offset = offsetof(type, member)
#define LENGTH(low, high) .min = (low), .max = (high), .has_min = true, .has_max = true
#define AT_LEAST(low) .min = (low), .has_min = true
#define AT_MOST(high) .max = (high), .has_max = true
#define ELEMENT_LENGTH(low, high) \
    .element_min = (low), .element_max = (high), .has_element_length = true
#define FIELDS_END \
    { .name = NULL }
#define NAME_PATTERN "[a-zA-Z0-9_.-]+"

/* Decodes a JSON object into `ret_request` (zeroed by the caller, shape->size bytes). Errors:
 * syntax (no text) and wrong types (of several, the first in the order of the table). The whole
 * input is read: a syntax error anywhere wins. On an error ret_request is partly filled and of no
 * use. Faults of values are worded as by `*layer`, which becomes the older one when a value is
 * nested beyond what the current layer reads. */
struct error *fields_decode(struct arena *arena, struct slice json, const struct shape *shape,
                            enum value_layer *layer, void *ret_request);

/* The same, but numbers may be strings of digits (LENIENT_NUMBER_TEXT). */
struct error *fields_decode_lenient(struct arena *arena, struct slice json,
                                    const struct shape *shape, enum value_layer *layer,
                                    void *ret_request);

/* The constraint errors of a decoded request, or NULL. When it fell through to the older layer, or
 * a required member is missing, all are worded as there: no FIELD_FIRST, FIELD_NEW_FORM, FIELD_BARE
 * and enum_error. */
struct error *fields_check(struct arena *arena, const struct shape *shape, bool fell,
                           const void *request);

/* True for a non-empty name of the characters of NAME_PATTERN. */
bool field_name_matches(struct slice name);

#endif
