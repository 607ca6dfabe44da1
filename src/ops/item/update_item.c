/* update_item.c - UpdateItem: changes attributes of an item, and makes the item when it is not
 * there. */
#include "model/key.h"
#include "model/limits.h"
#include "ops/item/item_call.h"
#include "ops/item/table_lookup.h"
#include "ops/item/update_check.h"
#include "ops/legacy/legacy.h"

struct update_item_request {
    struct item_request item; /* first: the rows of its members are those of item_request */
    struct field_list attribute_updates; /* struct attribute_update */
    struct slice update_expression;
};

static const struct field update_item_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(item_request),
    TABLE_NAME_FIELD(item_request),
    RETURN_VALUES_FIELD(item_request, FIELD_FIRST),
    CONDITIONAL_OPERATOR_FIELD(item_request, 0),
    RETURN_ITEM_COLLECTION_METRICS_FIELD(item_request),
    RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(item_request),
    ITEM_ATTRIBUTES_FIELD("Key"),
    EXPRESSION_FIELD(update_item_request, update_expression, "UpdateExpression"),
    EXPRESSION_FIELD(item_request, condition_expression, "ConditionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(item_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(item_request),
    LEGACY_FIELD(update_item_request, attribute_updates, "AttributeUpdates",
                 attribute_update_shape),
    LEGACY_FIELD(item_request, expected, "Expected", expected_attribute_shape),
    FIELDS_END,
};
static const struct shape update_item_shape = {
    "UpdateItemInput", sizeof(struct update_item_request), update_item_fields};

static struct error *validate(struct op_call *call) {
    const struct update_item_request *request = call->request;
    const struct item_call_update update = {request->update_expression,
                                            request->attribute_updates.present};
    TRY(item_call_new(call, WRITE_UPDATE, &update));
    struct item_call *item = call->work;
    if (request->item.attributes.fault != NULL)
        return request->item.attributes.fault;
    TRY(legacy_bind_updates(call, &item->expressions, &request->attribute_updates));
    return item_call_bind(call);
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
    const struct item_request *request = call->request;
    const struct item_call *item = call->work;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    TRY(key_check(call->arena, &table->definition.keys, request->attributes.value));
    TRY(check_update(call->arena, expressions_get(&item->expressions, EXPR_UPDATE),
                     &table->definition));
    return item_call_submit(call, table, ret_state);
}

const struct op op_update_item = {
    .name = "UpdateItem",
    .action = "dynamodb:UpdateItem",
    .flags = OP_WRITES | OP_ENVELOPE | OP_SHARED,
    .input = &update_item_shape,
    .validate = validate,
    .authorize = item_call_authorize,
    .run = run,
    .finish = item_call_finish,
    .release = item_call_release,
};
