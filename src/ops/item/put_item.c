/* put_item.c - PutItem: makes or replaces an item. */
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/item/item_call.h"
#include "ops/item/item_input.h"
#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"

static struct error *validate(struct op_call *call) {
    const struct put_item_request *request = call->request;
    const struct item_call_input input = ITEM_CALL_INPUT(request, item);
    struct item_call *item = item_call_new(call, WRITE_PUT, &input);
    expressions_add(&item->expressions, EXPR_CONDITION, "ConditionExpression",
                    request->condition_expression);
    const struct legacy_parameter legacy[] = {
        {"Expected", request->expected.present},
        {"ConditionalOperator", slice_present(request->conditional_operator)},
    };
    TRY(expressions_check_mixing(call->arena, &item->expressions, 2, legacy));
    TRY(expressions_check_presence(call->arena, &item->expressions));
    if (request->item.fault != NULL)
        return request->item.fault;
    TRY(item_call_check_return_values(call));
    if (item_size(request->item.value) > LIMIT_ITEM_BYTES)
        return error_validation(call->arena, "Item size has exceeded the maximum allowed size");
    TRY(legacy_bind_expected(call, &item->expressions, &request->expected,
                             request->conditional_operator));
    return expressions_bind(call, &item->expressions);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct put_item_request *request = call->request;
    struct item_call *item = call->work;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    TRY(key_check_item(call->arena, &table->definition.keys, request->item.value));
    TRY(index_check_put(call->arena, &table->definition, request->item.value));
    TRY(expressions_check_key_paths(call->arena, &item->expressions, &table->definition));
    item->write.item = request->item.value;
    item_call_submit(call, table);
    *ret_state = OP_WAITING;
    return NULL;
}

const struct op op_put_item = {
    .name = "PutItem",
    .action = "dynamodb:PutItem",
    .flags = OP_WRITES | OP_ENVELOPE,
    .input = &put_item_shape,
    .validate = validate,
    .authorize = item_call_authorize,
    .run = run,
    .finish = item_call_finish,
    .release = item_call_release,
};
