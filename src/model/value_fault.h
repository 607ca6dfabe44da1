/* value_fault.h - values that break a rule of the service, and its texts for them. */
#ifndef GRAMME_MODEL_VALUE_FAULT_H
#define GRAMME_MODEL_VALUE_FAULT_H

#include "base/error.h"
#include "model/limits.h"
#include "model/number.h"
#include "model/value.h"

/* The service words some errors in two ways: the older layer still answers BatchWriteItem, Scan and
 * the transactions, and whatever is nested more deeply than the current layer reads. */
enum value_layer {
    VALUE_LAYER_CURRENT,
    VALUE_LAYER_OLDER,
};

/* What kind of rule was broken, for callers that report some kinds differently. */
enum value_fault_kind {
    VALUE_FAULT_NONE,
    VALUE_FAULT_SHAPE,     /* null, no datatype, or more than one */
    VALUE_FAULT_RULE,      /* an empty set, null in a set, NULL that is not true */
    VALUE_FAULT_NUMBER,    /* also inside a set, null there, and a set of numbers without any */
    VALUE_FAULT_DUPLICATE, /* set members */
    VALUE_FAULT_DEPTH,
    VALUE_FAULT_NAME,      /* an empty or too long name inside a value */
    VALUE_FAULT_ITEM_NAME, /* the same of an attribute of the item itself */
};

/* Reading an attribute value can fail in two ways that are reported at different times: the JSON
 * has the wrong shape (SerializationException, at once), or the value breaks one of the service's
 * rules (ValidationException, after other checks). The first broken rule is kept here while reading
 * goes on, so that the caller reports it when its turn comes. Start from zeroes and set the layer;
 * one fault may serve several values in a row. */
struct value_fault {
    enum value_layer layer; /* set by the caller */
    enum value_fault_kind kind;
    struct error *error; /* NULL: none so far */
    bool beyond_current; /* nested too deeply for the current layer to read */
};

/* ---- names ---- */

static inline bool attribute_name_fits(struct slice name) {
    return name.len > 0 && name.len <= LIMIT_ATTRIBUTE_NAME_BYTES;
}
/* Of one that does not. */
struct error *attribute_name_error(struct arena *arena, struct slice name);

static inline struct error *attribute_name_check(struct arena *arena, struct slice name) {
    return attribute_name_fits(name) ? NULL : attribute_name_error(arena, name);
}

/* ---- for value_json.c ---- */

/* Each makes the error and keeps it in the fault, unless one is there already that comes first. */
/* A null element of a list; a null attribute of an item, or a null member of a map, by its name. */
void fault_null_value(struct value_fault *fault, struct arena *arena);
void fault_null_attribute(struct value_fault *fault, struct arena *arena, struct slice name);
/* A null member of a string set or a binary set. */
void fault_null_member(struct value_fault *fault, struct arena *arena, enum value_type type);
void fault_no_datatype(struct value_fault *fault, struct arena *arena);
void fault_many_datatypes(struct value_fault *fault, struct arena *arena);
void fault_null_not_true(struct value_fault *fault, struct arena *arena);
void fault_empty_set(struct value_fault *fault, struct arena *arena, enum value_type type);
/* `array` is the set's JSON as it was sent. */
void fault_duplicates(struct value_fault *fault, struct arena *arena, enum value_type type,
                      struct slice array);
void fault_number(struct value_fault *fault, struct arena *arena, enum number_status status,
                  struct slice text);
void fault_depth(struct value_fault *fault, struct arena *arena);
/* `top` for an attribute of the item itself: those come before what is wrong with its values. */
void fault_name(struct value_fault *fault, struct arena *arena, struct slice name, bool top);

#endif
