/* read_input.c - the field tables of Query and Scan. Query runs on the service's current validation
 * layer, Scan on the older one, hence the different forms. */
#include "ops/read/read_input.h"

#include "ops/item/item_fields.h"

static const struct field query_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(query_request),
    TABLE_NAME_FIELD(query_request),
    {NAMED("IndexName"), AT(struct query_request, index_name), .type = FIELD_STRING,
     .flags = FIELD_NEW_FORM, LENGTH(3, 255), .pattern = NAME_PATTERN},
    CONDITIONAL_OPERATOR_FIELD(query_request, FIELD_BARE),
    SELECT_FIELD(query_request),
    {NAMED("Limit"), AT(struct query_request, limit), .type = FIELD_INTEGER,
     .flags = FIELD_NEW_FORM, AT_LEAST(1)},
    ATTRIBUTES_TO_GET_FIELD(query_request),
    {NAMED("ConsistentRead"), AT(struct query_request, consistent_read), .type = FIELD_BOOLEAN},
    {NAMED("ScanIndexForward"), AT(struct query_request, scan_index_forward),
     .type = FIELD_BOOLEAN},
    {NAMED("ExclusiveStartKey"), AT(struct query_request, exclusive_start_key), .type = FIELD_ITEM},
    EXPRESSION_FIELD(query_request, key_condition_expression, "KeyConditionExpression"),
    EXPRESSION_FIELD(query_request, filter_expression, "FilterExpression"),
    EXPRESSION_FIELD(query_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(query_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(query_request),
    LEGACY_FIELD(query_request, key_conditions, "KeyConditions", condition_shape),
    LEGACY_FIELD(query_request, query_filter, "QueryFilter", condition_shape),
    FIELDS_END,
};
const struct shape query_shape = {"QueryInput", sizeof(struct query_request), query_fields};

static const struct field scan_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(scan_request),
    TABLE_NAME_FIELD_OLDER(scan_request),
    {NAMED("IndexName"), AT(struct scan_request, index_name), .type = FIELD_STRING, LENGTH(3, 255),
     .pattern = NAME_PATTERN},
    SELECT_FIELD(scan_request),
    CONDITIONAL_OPERATOR_FIELD_OLDER(scan_request),
    {NAMED("Limit"), AT(struct scan_request, limit), .type = FIELD_INTEGER, AT_LEAST(1)},
    {NAMED("TotalSegments"), AT(struct scan_request, total_segments), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_SEGMENTS)},
    {NAMED("Segment"), AT(struct scan_request, segment), .type = FIELD_INTEGER,
     LENGTH(0, LIMIT_SEGMENTS - 1)},
    ATTRIBUTES_TO_GET_FIELD(scan_request),
    {NAMED("ConsistentRead"), AT(struct scan_request, consistent_read), .type = FIELD_BOOLEAN},
    {NAMED("ExclusiveStartKey"), AT(struct scan_request, exclusive_start_key), .type = FIELD_ITEM},
    EXPRESSION_FIELD(scan_request, filter_expression, "FilterExpression"),
    EXPRESSION_FIELD(scan_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(scan_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(scan_request),
    LEGACY_FIELD(scan_request, scan_filter, "ScanFilter", condition_shape),
    FIELDS_END,
};
const struct shape scan_shape = {"ScanInput", sizeof(struct scan_request), scan_fields};
