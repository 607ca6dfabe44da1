/* projection.h - which attributes of an item a reply shows. */
#ifndef GRAMME_OPS_READ_PROJECTION_H
#define GRAMME_OPS_READ_PROJECTION_H

#include "expr/expr.h"
#include "ops/request/field.h"

/* All attributes, unless there is a ProjectionExpression or AttributesToGet. */
struct projection {
    const struct expr *expr;        /* NULL: none */
    const struct field_list *names; /* AttributesToGet, FIELD_SORTED; NULL or not present: none */
};

/* AttributesToGet has names that can be, and none twice. */
struct error *projection_check_names(struct arena *arena, const struct field_list *names);

static inline bool projection_is_whole(const struct projection *projection) {
    return projection->expr == NULL && (projection->names == NULL || !projection->names->present);
}

/* The item's JSON. Scratch memory is given back. False: the item is damaged, as only a whole one
 * may be (`unread` of struct reader). */
bool projection_write(const struct projection *projection, struct arena *scratch,
                      struct json_writer *json, struct value item);
/* The same as a member ,"Item":{...}, which is left out when nothing was selected. */
void projection_write_member(const struct projection *projection, struct arena *scratch,
                             struct json_writer *json, struct value item);

#endif
