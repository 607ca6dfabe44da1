/* legacy.h - the parameters that expressions have replaced.
 *
 * Expected and the filters become conditions and AttributeUpdates becomes an update: the programs
 * that a text would have been compiled to, in the request's struct expressions, where everything
 * that comes after looks for them. KeyConditions becomes key conditions. So there is one evaluator.
 * An operation calls each when its turn comes in the order of the service's checks, after
 * expressions_check_mixing(). A parameter that is absent or empty leaves nothing behind. */
#ifndef GRAMME_OPS_LEGACY_LEGACY_H
#define GRAMME_OPS_LEGACY_LEGACY_H

#include "ops/legacy/legacy_input.h"
#include "ops/request/expressions.h"

/* Expected and ConditionalOperator of PutItem, UpdateItem and DeleteItem: EXPR_CONDITION. */
struct error *legacy_bind_expected(struct op_call *call, struct expressions *expressions,
                                   const struct field_list *expected,
                                   struct slice conditional_operator);
/* QueryFilter or ScanFilter and ConditionalOperator: EXPR_FILTER. */
struct error *legacy_bind_filter(struct op_call *call, struct expressions *expressions,
                                 const struct field_list *filter,
                                 struct slice conditional_operator);
/* AttributeUpdates: EXPR_UPDATE. */
struct error *legacy_bind_updates(struct op_call *call, struct expressions *expressions,
                                  const struct field_list *updates);

/* KeyConditions: what can be said without the table; nothing when it is absent. `max`: as many as
 * the keys may have attributes. */
struct error *legacy_check_key_conditions(struct arena *arena, const struct field_list *conditions,
                                          size_t max);
/* Their number alone. */
struct error *legacy_check_key_count(struct arena *arena, size_t count, size_t max);
/* After that: the conditions in the order they were sent, in the arena. One whose operator keys
 * cannot be searched by has no value. */
size_t legacy_key_conditions(struct arena *arena, const struct field_list *conditions,
                             const struct key_condition **ret_conditions);

#endif
