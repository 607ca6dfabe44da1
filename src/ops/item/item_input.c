/* item_input.c - the field tables of PutItem, GetItem, UpdateItem and DeleteItem, in the order in
 * which the service reports constraint errors. */
#include "ops/item/item_input.h"

#include "ops/item/item_fields.h"

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
const struct shape put_item_shape = {"PutItemInput", sizeof(struct put_item_request),
                                     put_item_fields};

static const struct field get_item_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(get_item_request),
    TABLE_NAME_FIELD(get_item_request),
    KEY_FIELD(get_item_request),
    ATTRIBUTES_TO_GET_FIELD(get_item_request),
    {NAMED("ConsistentRead"), AT(struct get_item_request, consistent_read), .type = FIELD_BOOLEAN},
    EXPRESSION_FIELD(get_item_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(get_item_request),
    FIELDS_END,
};
const struct shape get_item_shape = {"GetItemInput", sizeof(struct get_item_request),
                                     get_item_fields};

static const struct field update_item_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(update_item_request),
    TABLE_NAME_FIELD(update_item_request),
    RETURN_VALUES_FIELD(update_item_request, FIELD_ALONE),
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
const struct shape update_item_shape = {"UpdateItemInput", sizeof(struct update_item_request),
                                        update_item_fields};

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
const struct shape delete_item_shape = {"DeleteItemInput", sizeof(struct delete_item_request),
                                        delete_item_fields};
