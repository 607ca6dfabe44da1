/* delete_item.c - DeleteItem: removes an item, or makes sure that it is not there. */
#include "model/key.h"
#include "ops/item/item_call.h"
#include "ops/item/item_input.h"
#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"

static struct error *validate(struct op_call *call) {
    const struct delete_item_request *request = call->request;
    const struct item_call_input input = ITEM_CALL_INPUT(request, key);
    struct item_call *item = item_call_new(call, WRITE_DELETE, &input);
    expressions_add(&item->expressions, EXPR_CONDITION, "ConditionExpression",
                    request->condition_expression);
    const struct legacy_parameter legacy[] = {
        {"Expected", request->expected.present},
        {"ConditionalOperator", slice_present(request->conditional_operator)},
    };
    TRY(expressions_check_mixing(call->arena, &item->expressions, 2, legacy));
    TRY(expressions_check_presence(call->arena, &item->expressions));
    if (request->key.fault != NULL)
        return request->key.fault;
    TRY(item_call_check_return_values(call));
    TRY(legacy_bind_expected(call, &item->expressions, &request->expected,
                             request->conditional_operator));
    return expressions_bind(call, &item->expressions);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct delete_item_request *request = call->request;
    struct item_call *item = call->work;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    TRY(key_check(call->arena, &table->definition.keys, request->key.value));
    TRY(expressions_check_key_paths(call->arena, &item->expressions, &table->definition));
    item->write.key = request->key.value;
    item_call_submit(call, table);
    *ret_state = OP_WAITING;
    return NULL;
}

const struct op op_delete_item = {
    .name = "DeleteItem",
    .action = "dynamodb:DeleteItem",
    .flags = OP_WRITES | OP_ENVELOPE,
    .input = &delete_item_shape,
    .validate = validate,
    .authorize = item_call_authorize,
    .run = run,
    .finish = item_call_finish,
    .release = item_call_release,
};
