/* update_item.c - UpdateItem: changes attributes of an item, and makes the item when it is not
 * there. */
#include "model/key.h"
#include "model/limits.h"
#include "ops/item/item_call.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/item/update_check.h"
#include "ops/legacy/legacy.h"

struct update_item_request {
    struct slice table_name;
    struct field_item key;
    struct field_list attribute_updates; /* struct attribute_update */
    struct field_list expected;          /* struct expected_attribute */
    struct slice conditional_operator;
    struct slice return_values;
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
    struct slice return_values_on_condition_check_failure;
    struct slice update_expression;
    struct slice condition_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

static const struct field update_item_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(update_item_request),
    TABLE_NAME_FIELD(update_item_request),
    RETURN_VALUES_FIELD(update_item_request, FIELD_FIRST),
    CONDITIONAL_OPERATOR_FIELD(update_item_request, 0),
    RETURN_ITEM_COLLECTION_METRICS_FIELD(update_item_request),
    RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(update_item_request),
    KEY_FIELD(update_item_request),
    EXPRESSION_FIELD(update_item_request, update_expression, "UpdateExpression"),
    EXPRESSION_FIELD(update_item_request, condition_expression, "ConditionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(update_item_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(update_item_request),
    LEGACY_FIELD(update_item_request, attribute_updates, "AttributeUpdates",
                 attribute_update_shape),
    LEGACY_FIELD(update_item_request, expected, "Expected", expected_attribute_shape),
    FIELDS_END,
};
static const struct shape update_item_shape = {
    "UpdateItemInput", sizeof(struct update_item_request), update_item_fields};

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
