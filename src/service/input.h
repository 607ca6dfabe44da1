/* input.h - the members of a request, whatever its protocol: checked by a table, then read.
 *
 * An operation describes its input in a table of fields. input_check() makes the errors of the
 * service of it: SerializationException for a member of another type, "1 validation error detected:
 * ..." for what is not allowed, and what the service says of a member that must be there. After
 * that the readers below cannot fail; what is not there has the value that they are given. Members
 * that no field describes are passed over, as the service does.
 *
 *     static const struct input_field dimension[] = {
 *         INPUT("Name", INPUT_TEXT, .required = true, .min = 1, .max = 255),
 *         INPUT("Value", INPUT_TEXT, .required = true, .min = 1, .max = 1024),
 *         INPUT_END,
 *     };
 *     static const struct input_field fields[] = {
 *         INPUT("Dimensions", INPUT_LIST, .max = 30, .items = INPUT_OBJECT, .members = dimension),
 *         INPUT_END,
 *     };
 *
 * Memory: the arena. */
#ifndef GRAMME_SERVICE_INPUT_H
#define GRAMME_SERVICE_INPUT_H

#include "base/error.h"
#include "json/tree.h"

enum input_type {
    INPUT_TEXT,
    INPUT_INTEGER,
    INPUT_NUMBER,
    INPUT_BOOL,
    INPUT_TIME, /* seconds since 1970; in a form as ISO 8601 */
    INPUT_LIST,
    INPUT_OBJECT,
    INPUT_MAP, /* texts by name */
};

struct input_field {
    const char *name; /* NULL ends a table */
    enum input_type type;
    bool required;
    /* Of a text its characters, of a list its items, of a number itself. 0 and 0: no bounds; a max
     * of 0: no upper one. */
    int64_t min;
    int64_t max;
    const char *words;                 /* "[OK, ALARM]": a text must be one of these; or NULL */
    enum input_type items;             /* of a list */
    int64_t item_min, item_max;        /* of texts in a list */
    const char *item_words;            /* likewise */
    const struct input_field *members; /* of an object, or of the objects in a list */
};

#define INPUT(name_, ...) \
    { .name = (name_), .type = __VA_ARGS__ }
#define INPUT_END \
    { .name = NULL }

struct input_rules {
    bool loose;              /* it was a form, where every value is a text */
    enum error_code missing; /* of a member that must be there. ERROR_VALIDATION: a constraint */
};

/* `fields` NULL: nothing is looked at. */
struct error *input_check(struct arena *arena, const struct json_value *input,
                          const struct input_field *fields, const struct input_rules *rules);

/* ---- readers ---- */

/* NULL when it is not there, or null. */
const struct json_value *input_find(const struct json_value *object, const char *name);
bool input_has(const struct json_value *object, const char *name);
struct slice input_text(const struct json_value *object, const char *name); /* absent: not there */
int64_t input_integer(const struct json_value *object, const char *name, int64_t otherwise);
double input_number(const struct json_value *object, const char *name, double otherwise);
bool input_bool(const struct json_value *object, const char *name, bool otherwise);
/* False: it is not there. */
bool input_time(const struct json_value *object, const char *name, int64_t *ret_ms);
/* The first item; NULL: there is none. Items follow by `next`. */
const struct json_value *input_items(const struct json_value *object, const char *name);
size_t input_count(const struct json_value *object, const char *name);
/* Of an item itself. */
double input_number_of(const struct json_value *value);

#endif
