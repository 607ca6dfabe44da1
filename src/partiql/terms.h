/* terms.h - single tests of a WHERE clause as conditions on key attributes. */
#ifndef GRAMME_PARTIQL_TERMS_H
#define GRAMME_PARTIQL_TERMS_H

#include "model/table.h"
#include "partiql/statement.h"

/* True when the node compares the attribute with a value as keys can be searched by: = < <= > >=
 * (either way round), BETWEEN, begins_with(). */
bool term_condition(const struct node *node, struct slice name,
                    struct key_condition *ret_condition);

/* True for `name IN [values]`; the list may be a value. */
bool term_in(const struct node *node, struct slice name);
/* The same for a list of one value, as an equality. */
bool term_in_one(const struct node *node, struct slice name, struct key_condition *ret_condition);
/* Calls for each value until it returns an error. */
typedef struct error *term_value_visitor(void *context, struct value value);
struct error *term_in_visit(const struct node *node, term_value_visitor *visit, void *context);

/* True when the node says what the attribute shall not be. */
bool term_negates(const struct node *node, struct slice name);

/* The value has the attribute's type; the values of a condition have it. */
struct error *term_check_value(struct arena *arena, const struct key_attribute *attribute,
                               struct value value);
struct error *term_check_type(struct arena *arena, const struct key_attribute *attribute,
                              const struct key_condition *condition);

#endif
