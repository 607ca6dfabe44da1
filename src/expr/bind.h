/* bind.h - a program with the names and values of one request.
 *
 * Memory: the arena it was bound in; literal names stay in the program. Threads: immutable once
 * expr_bind() has returned it. */
#ifndef GRAMME_EXPR_BIND_H
#define GRAMME_EXPR_BIND_H

#include "expr/path_tree.h"
#include "expr/program.h"

struct expr {
    const struct expr_program *program;
    const struct value *values; /* by slot */
    const struct path *paths;
    struct path_set path_set; /* all paths when there are more than PATHS_LOOKED_UP, else none */
    const struct path_node *tree; /* of a projection's paths, of an update's targets */
    const struct key_condition *key_conditions;
};

/* Whether the paths are to be found in one pass over the item. */
bool expr_finds_in_one_pass(const struct expr *expr, struct value item);

/* While binding. A name or value that the request does not have is absent until a check meets it.
 */
struct binder {
    struct arena *arena;
    const struct expr_program *program;
    const struct slice *names; /* by slot */
    const struct value *values;
    const struct path *paths;
    struct path_set targets; /* of an update; the paths of a projection */
    enum value_type *stack;  /* of an update's code: types known beforehand, else VALUE_NONE */
    uint16_t stack_count;
};

/* bind_checks.c: the second pass, in the service's order. */
struct error *bind_check(struct binder *b);

/* key_condition.c */
const struct key_condition *bind_key_conditions(const struct binder *b);

#endif
