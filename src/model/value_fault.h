/* value_fault.h - the service's texts for values that break a rule; for value_json.c.
 *
 * Each function makes the error and keeps it in the fault, unless one is there already that comes
 * first. */
#ifndef GRAMME_MODEL_VALUE_FAULT_H
#define GRAMME_MODEL_VALUE_FAULT_H

#include "model/value_json.h"

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
