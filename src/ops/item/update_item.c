/* update_item.c - UpdateItem: changes attributes of an item, and makes the item when it is not
 * there. */
#include "model/key.h"
#include "model/limits.h"
#include "ops/item/item_call.h"
#include "ops/item/item_input.h"
#include "ops/item/table_lookup.h"
#include "ops/item/update_check.h"
#include "ops/legacy/legacy.h"

static struct error *validate(struct op_call *call) {
    const struct update_item_request *request = call->request;
    const struct item_call_input input = ITEM_CALL_INPUT(request, key);
    struct item_call *item = item_call_new(call, WRITE_UPDATE, &input);
    expressions_add(&item->expressions, EXPR_UPDATE, "UpdateExpression",
                    request->update_expression);
    expressions_add(&item->expressions, EXPR_CONDITION, "ConditionExpression",
                    request->condition_expression);
    const struct legacy_parameter legacy[] = {
        {"AttributeUpdates", request->attribute_updates.present},
        {"Expected", request->expected.present},
        {"ConditionalOperator", slice_present(request->conditional_operator)},
    };
    TRY(expressions_check_mixing(call->arena, &item->expressions, 3, legacy));
    TRY(expressions_check_presence(call->arena, &item->expressions));
    if (request->key.fault != NULL)
        return request->key.fault;
    TRY(legacy_bind_updates(call, &item->expressions, &request->attribute_updates));
    TRY(legacy_bind_expected(call, &item->expressions, &request->expected,
                             request->conditional_operator));
    return expressions_bind(call, &item->expressions);
}

/* What the update may not do, whatever the item holds. */
static struct error *check_update(struct arena *arena, const struct expr *update,
                                  const struct table_definition *table) {
    TRY(update_check(arena, update, table));
    if (update != NULL && expr_update_charge(update) > LIMIT_ITEM_BYTES)
        return error_validation(arena, "Item size to update has exceeded the maximum allowed size");
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct update_item_request *request = call->request;
    struct item_call *item = call->work;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    TRY(key_check(call->arena, &table->definition.keys, request->key.value));
    TRY(check_update(call->arena, expressions_get(&item->expressions, EXPR_UPDATE),
                     &table->definition));
    TRY(expressions_check_key_paths(call->arena, &item->expressions, &table->definition));
    item->write.key = request->key.value;
    item_call_submit(call, table);
    *ret_state = OP_WAITING;
    return NULL;
}

const struct op op_update_item = {
    .name = "UpdateItem",
    .action = "dynamodb:UpdateItem",
    .flags = OP_WRITES | OP_ENVELOPE,
    .input = &update_item_shape,
    .validate = validate,
    .authorize = item_call_authorize,
    .run = run,
    .finish = item_call_finish,
    .release = item_call_release,
};
