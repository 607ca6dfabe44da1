/* update_check.h - what an update may not do to the keys of its table, whatever the item holds. */
#ifndef GRAMME_OPS_ITEM_UPDATE_CHECK_H
#define GRAMME_OPS_ITEM_UPDATE_CHECK_H

#include "expr/expr.h"
#include "model/table.h"

/* It leaves the primary key alone and gives no key of an index a type that is known to be wrong.
 * `update` may be NULL. */
struct error *update_check(struct arena *arena, const struct expr *update,
                           const struct table_definition *table);

#endif
