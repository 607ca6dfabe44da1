/* partiql_permission.h - the permission that a statement needs. */
#ifndef GRAMME_OPS_PARTIQL_PARTIQL_PERMISSION_H
#define GRAMME_OPS_PARTIQL_PARTIQL_PERMISSION_H

#include "ops/partiql/partiql_call.h"
#include "ops/permission/permission.h"

/* PartiQLSelect, PartiQLInsert, PartiQLUpdate or PartiQLDelete on the statement's table or index.
 * `on_failure`: its ReturnValuesOnConditionCheckFailure. `transaction`: it is part of one. */
struct error *partiql_permission_ask(struct op_call *call, const struct permission_check *check,
                                     const struct partiql_call *statement, struct slice on_failure,
                                     bool transaction);

#endif
