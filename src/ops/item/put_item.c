/* put_item.c - PutItem: makes or replaces an item. */
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/item/item_call.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"

struct put_item_request {
    struct slice table_name;
    struct field_item item;
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

static const struct field put_item_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(put_item_request),
    TABLE_NAME_FIELD(put_item_request),
    {NAMED("Item"), AT(struct put_item_request, item), .type = FIELD_ITEM, .flags = FIELD_REQUIRED},
    RETURN_VALUES_FIELD(put_item_request, 0),
    RETURN_ITEM_COLLECTION_METRICS_FIELD(put_item_request),
    CONDITIONAL_OPERATOR_FIELD(put_item_request, 0),
    RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(put_item_request),
    EXPRESSION_FIELD(put_item_request, condition_expression, "ConditionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(put_item_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(put_item_request),
    LEGACY_FIELD(put_item_request, expected, "Expected", expected_attribute_shape),
    FIELDS_END,
};
static const struct shape put_item_shape = {"PutItemInput", sizeof(struct put_item_request),
                                            put_item_fields};

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
    TRY(item_call_check(call, &request->item));
    if (item_size(request->item.value) > LIMIT_ITEM_BYTES)
        return item_error_too_large(call->arena);
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
