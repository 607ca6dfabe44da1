/* update.h - what the two halves of an update share.
 *
 * update_values.c finds out what each action does to its target, from the item as it was;
 * update_apply.c writes the new item. Between them lie the run-time errors. */
#ifndef GRAMME_EXPR_UPDATE_H
#define GRAMME_EXPR_UPDATE_H

#include "expr/bind.h"

enum outcome {
    OUTCOME_KEEP, /* the target does not exist, and shall not */
    OUTCOME_WRITE,
    OUTCOME_REMOVE,
};

/* What one action does, or the error that it reports when its turn comes. */
struct change {
    enum outcome outcome;
    struct value value;               /* to be written */
    bool missing;                     /* it read an attribute that does not exist */
    enum number_status number_status; /* other than NUMBER_OK: its number is out of range */
};

struct update_run {
    struct arena *arena;
    const struct expr *update;
    struct value item;
    struct path_places places; /* of the paths in the item; none: each is looked up */
    size_t appended;           /* bytes that list_append() has copied so far */
    struct change *changes;    /* by action */
};

/* What the program's path leads to in the item as it was. */
struct value update_find(const struct update_run *run, uint16_t path);

/* A wrong type, or too much copied, is an error at once; the rest is kept in the changes. */
struct error *update_compute(struct update_run *run);

/* The new item. */
struct error *update_apply(const struct update_run *run, struct value *ret_item);

struct error *update_too_large(struct arena *arena);

#endif
