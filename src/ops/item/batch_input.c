/* batch_input.c - the field tables of BatchGetItem (current validation layer) and BatchWriteItem
 * (older one). */
#include "ops/item/batch_input.h"

#include "ops/item/item_fields.h"

static const struct field keys_and_attributes_fields[] = {
    {NAMED("Keys"), AT(struct keys_and_attributes, keys), .type = FIELD_ITEM_LIST,
     .flags = FIELD_REQUIRED | FIELD_NEW_FORM, LENGTH(1, 100)},
    ATTRIBUTES_TO_GET_FIELD(keys_and_attributes),
    {NAMED("ConsistentRead"), AT(struct keys_and_attributes, consistent_read),
     .type = FIELD_BOOLEAN},
    EXPRESSION_FIELD(keys_and_attributes, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(keys_and_attributes),
    FIELDS_END,
};
static const struct shape keys_and_attributes_shape = {
    "KeysAndAttributes", sizeof(struct keys_and_attributes), keys_and_attributes_fields};

static const struct field batch_get_item_fields[] = {
    {NAMED("RequestItems"), AT(struct batch_get_item_request, request_items),
     .type = FIELD_STRUCT_MAP,
     .flags = FIELD_REQUIRED | FIELD_NEW_FORM | FIELD_TABLE_NAME_KEYS | FIELD_ECHO_JSON,
     LENGTH(1, 100), .shape = &keys_and_attributes_shape},
    RETURN_CONSUMED_CAPACITY_FIELD(batch_get_item_request),
    FIELDS_END,
};
const struct shape batch_get_item_shape = {
    "BatchGetItemInput", sizeof(struct batch_get_item_request), batch_get_item_fields};

static const struct field put_request_fields[] = {
    {NAMED("Item"), AT(struct put_request, item), .type = FIELD_ITEM, .flags = FIELD_REQUIRED},
    {NAMED("WorkloadProfileName"), .type = FIELD_PRINTED_ONLY},
    FIELDS_END,
};
static const struct shape put_request_shape = {"PutRequest", sizeof(struct put_request),
                                               put_request_fields};

static const struct field delete_request_fields[] = {
    KEY_FIELD(delete_request),
    {NAMED("WorkloadProfileName"), .type = FIELD_PRINTED_ONLY},
    FIELDS_END,
};
static const struct shape delete_request_shape = {"DeleteRequest", sizeof(struct delete_request),
                                                  delete_request_fields};

static const struct field write_request_fields[] = {
    {NAMED("PutRequest"), AT(struct write_request, put_request), .type = FIELD_STRUCT,
     .shape = &put_request_shape},
    {NAMED("DeleteRequest"), AT(struct write_request, delete_request), .type = FIELD_STRUCT,
     .shape = &delete_request_shape},
    FIELDS_END,
};
static const struct shape write_request_shape = {"WriteRequest", sizeof(struct write_request),
                                                 write_request_fields};

static const struct field batch_write_item_fields[] = {
    {NAMED("RequestItems"), AT(struct batch_write_item_request, request_items),
     .type = FIELD_STRUCT_LIST_MAP, .flags = FIELD_REQUIRED | FIELD_TABLE_NAME_KEYS, AT_MOST(25),
     ELEMENT_LENGTH(1, 25), .shape = &write_request_shape},
    {NAMED("ReturnConsumedCapacity"), AT(struct batch_write_item_request, return_consumed_capacity),
     .type = FIELD_STRING, .flags = FIELD_ALONE, .enum_text = "[INDEXES, TOTAL, NONE]"},
    RETURN_ITEM_COLLECTION_METRICS_FIELD(batch_write_item_request),
    FIELDS_END,
};
const struct shape batch_write_item_shape = {
    "BatchWriteItemInput", sizeof(struct batch_write_item_request), batch_write_item_fields};
