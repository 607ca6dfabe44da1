/* delete_item.c - DeleteItem: removes an item, or makes sure that it is not there. */
#include "model/key.h"
#include "ops/item/item_call.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"

struct delete_item_request {
    struct slice table_name;
    struct field_item key;
    struct field_list expected; /* struct expected_attribute */
    struct slice conditional_operator;
    struct slice return_values;
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
    struct slice return_values_on_condition_check_failure;
    struct slice condition_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

static const struct field delete_item_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(delete_item_request),
    TABLE_NAME_FIELD(delete_item_request),
    KEY_FIELD(delete_item_request),
    RETURN_VALUES_FIELD(delete_item_request, 0),
    RETURN_ITEM_COLLECTION_METRICS_FIELD(delete_item_request),
    CONDITIONAL_OPERATOR_FIELD(delete_item_request, 0),
    RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(delete_item_request),
    EXPRESSION_FIELD(delete_item_request, condition_expression, "ConditionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(delete_item_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(delete_item_request),
    LEGACY_FIELD(delete_item_request, expected, "Expected", expected_attribute_shape),
    FIELDS_END,
};
static const struct shape delete_item_shape = {
    "DeleteItemInput", sizeof(struct delete_item_request), delete_item_fields};

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
    TRY(item_call_check(call, &request->key));
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
