/* transact_input.c - the field tables of TransactWriteItems and TransactGetItems, which the
 * service's older validation layer answers. */
#include "ops/transact/transact_input.h"

#include "model/limits.h"
#include "ops/item/item_fields.h"

#define ATTRIBUTES_FIELD(text)                                                             \
    {                                                                                      \
        NAMED(text), AT(struct transact_action_input, attributes), .type = FIELD_ITEM,     \
                                                                   .flags = FIELD_REQUIRED \
    }
#define REQUIRED_EXPRESSION_FIELD(member, text)                                        \
    {                                                                                  \
        NAMED(text), AT(struct transact_action_input, member), .type = FIELD_STRING,   \
                                                               .flags = FIELD_REQUIRED \
    }
#define CONDITION_FIELD \
    EXPRESSION_FIELD(transact_action_input, condition_expression, "ConditionExpression")
/* What the four kinds of writes end with. */
#define PLACEHOLDER_FIELDS                                        \
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(transact_action_input),      \
        EXPRESSION_ATTRIBUTE_VALUES_FIELD(transact_action_input), \
        RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(transact_action_input)
#define ACTION_SHAPE(name, fields) \
    { name, sizeof(struct transact_action_input), fields }

static const struct field condition_check_fields[] = {
    ATTRIBUTES_FIELD("Key"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    REQUIRED_EXPRESSION_FIELD(condition_expression, "ConditionExpression"),
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape condition_check_shape =
    ACTION_SHAPE("ConditionCheck", condition_check_fields);

static const struct field put_fields[] = {
    ATTRIBUTES_FIELD("Item"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    CONDITION_FIELD,
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape put_shape = ACTION_SHAPE("Put", put_fields);

static const struct field delete_fields[] = {
    ATTRIBUTES_FIELD("Key"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    CONDITION_FIELD,
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape delete_shape = ACTION_SHAPE("Delete", delete_fields);

static const struct field update_fields[] = {
    ATTRIBUTES_FIELD("Key"),
    REQUIRED_EXPRESSION_FIELD(update_expression, "UpdateExpression"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    CONDITION_FIELD,
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape update_shape = ACTION_SHAPE("Update", update_fields);

#define ACTION_FIELD(request, member, text, of) \
    { NAMED(text), AT(struct request, member), .type = FIELD_STRUCT, .shape = &(of) }

static const struct field write_item_fields[] = {
    ACTION_FIELD(transact_write_item, condition_check, "ConditionCheck", condition_check_shape),
    ACTION_FIELD(transact_write_item, put, "Put", put_shape),
    ACTION_FIELD(transact_write_item, delete, "Delete", delete_shape),
    ACTION_FIELD(transact_write_item, update, "Update", update_shape),
    FIELDS_END,
};
static const struct shape write_item_shape = {
    "TransactWriteItem", sizeof(struct transact_write_item), write_item_fields};

static const struct field transact_write_items_fields[] = {
    {NAMED("ClientRequestToken"), AT(struct transact_write_items_request, client_request_token),
     .type = FIELD_STRING, LENGTH(1, LIMIT_REQUEST_TOKEN_CHARS)},
    RETURN_CONSUMED_CAPACITY_FIELD(transact_write_items_request),
    RETURN_ITEM_COLLECTION_METRICS_FIELD(transact_write_items_request),
    {NAMED("TransactItems"), AT(struct transact_write_items_request, transact_items),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_TRANSACTION_ACTIONS),
     .shape = &write_item_shape},
    FIELDS_END,
};
const struct shape transact_write_items_shape = {"TransactWriteItemsInput",
                                                 sizeof(struct transact_write_items_request),
                                                 transact_write_items_fields};

static const struct field get_fields[] = {
    ATTRIBUTES_FIELD("Key"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    EXPRESSION_FIELD(transact_action_input, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(transact_action_input),
    FIELDS_END,
};
static const struct shape get_shape = ACTION_SHAPE("Get", get_fields);

static const struct field get_item_fields[] = {
    {NAMED("Get"), AT(struct transact_get_item, get), .type = FIELD_STRUCT, .flags = FIELD_REQUIRED,
     .shape = &get_shape},
    FIELDS_END,
};
static const struct shape transact_get_item_shape = {
    "TransactGetItem", sizeof(struct transact_get_item), get_item_fields};

static const struct field transact_get_items_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(transact_get_items_request),
    {NAMED("TransactItems"), AT(struct transact_get_items_request, transact_items),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_TRANSACTION_ACTIONS),
     .shape = &transact_get_item_shape},
    FIELDS_END,
};
const struct shape transact_get_items_shape = {
    "TransactGetItemsInput", sizeof(struct transact_get_items_request), transact_get_items_fields};
