/* table_input.c - field tables of the structures that describe a table. */
#include "ops/table/table_input.h"

#include "model/limits.h"

#define PROJECTION_FIELD(request)                                                     \
    {                                                                                 \
        NAMED("Projection"), AT(struct request, projection),                          \
            .type = FIELD_STRUCT, .flags = FIELD_REQUIRED, .shape = &projection_shape \
    }

static const struct field attribute_definition_fields[] = {
    {NAMED("AttributeName"), AT(struct attribute_definition_input, attribute_name),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_KEY_NAME_BYTES)},
    {NAMED("AttributeType"), AT(struct attribute_definition_input, attribute_type),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED, .enum_text = "[B, N, S]"},
    FIELDS_END,
};
const struct shape attribute_definition_shape = {
    "AttributeDefinition", sizeof(struct attribute_definition_input), attribute_definition_fields};

static const struct field key_schema_element_fields[] = {
    {NAMED("AttributeName"), AT(struct key_schema_element_input, attribute_name),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_KEY_NAME_BYTES)},
    {NAMED("KeyType"), AT(struct key_schema_element_input, key_type), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED, .enum_text = key_type_printed},
    FIELDS_END,
};
const struct shape key_schema_element_shape = {
    "KeySchemaElement", sizeof(struct key_schema_element_input), key_schema_element_fields};

static const struct field provisioned_throughput_fields[] = {
    {NAMED("ReadCapacityUnits"), AT(struct provisioned_throughput_input, read_capacity_units),
     .type = FIELD_LONG, .flags = FIELD_REQUIRED, AT_LEAST(1)},
    {NAMED("WriteCapacityUnits"), AT(struct provisioned_throughput_input, write_capacity_units),
     .type = FIELD_LONG, .flags = FIELD_REQUIRED, AT_LEAST(1)},
    FIELDS_END,
};
const struct shape provisioned_throughput_shape = {"ProvisionedThroughput",
                                                   sizeof(struct provisioned_throughput_input),
                                                   provisioned_throughput_fields};

static const struct field on_demand_throughput_fields[] = {
    {NAMED("MaxReadRequestUnits"), AT(struct on_demand_throughput_input, max_read_request_units),
     .type = FIELD_LONG},
    {NAMED("MaxWriteRequestUnits"), AT(struct on_demand_throughput_input, max_write_request_units),
     .type = FIELD_LONG},
    FIELDS_END,
};
const struct shape on_demand_throughput_shape = {
    "OnDemandThroughput", sizeof(struct on_demand_throughput_input), on_demand_throughput_fields};

static const struct field warm_throughput_fields[] = {
    {NAMED("ReadUnitsPerSecond"), AT(struct warm_throughput_input, read_units_per_second),
     .type = FIELD_LONG, AT_LEAST(1)},
    {NAMED("WriteUnitsPerSecond"), AT(struct warm_throughput_input, write_units_per_second),
     .type = FIELD_LONG, AT_LEAST(1)},
    FIELDS_END,
};
const struct shape warm_throughput_shape = {"WarmThroughput", sizeof(struct warm_throughput_input),
                                            warm_throughput_fields};

static const struct field projection_fields[] = {
    {NAMED("ProjectionType"), AT(struct projection_input, projection_type), .type = FIELD_STRING,
     .enum_text = projection_type_printed},
    {NAMED("NonKeyAttributes"), AT(struct projection_input, non_key_attributes),
     .type = FIELD_STRING_LIST, LENGTH(1, LIMIT_NON_KEY_ATTRIBUTES),
     ELEMENT_LENGTH(1, LIMIT_KEY_NAME_BYTES)},
    FIELDS_END,
};
const struct shape projection_shape = {"Projection", sizeof(struct projection_input),
                                       projection_fields};

static const struct field local_index_fields[] = {
    INDEX_NAME_FIELD(local_index_input),
    {NAMED("KeySchema"), AT(struct local_index_input, key_schema), .type = FIELD_STRUCT_LIST,
     .flags = FIELD_REQUIRED, LENGTH(1, 2), .shape = &key_schema_element_shape},
    PROJECTION_FIELD(local_index_input),
    FIELDS_END,
};
const struct shape local_index_shape = {"LocalSecondaryIndex", sizeof(struct local_index_input),
                                        local_index_fields};

static const struct field global_index_fields[] = {
    INDEX_NAME_FIELD(global_index_input),
    {NAMED("KeySchema"), AT(struct global_index_input, key_schema), .type = FIELD_STRUCT_LIST,
     .flags = FIELD_REQUIRED, AT_LEAST(1), .shape = &key_schema_element_shape},
    PROJECTION_FIELD(global_index_input),
    {NAMED("ProvisionedThroughput"), AT(struct global_index_input, provisioned_throughput),
     .type = FIELD_STRUCT, .shape = &provisioned_throughput_shape},
    {NAMED("OnDemandThroughput"), AT(struct global_index_input, on_demand_throughput),
     .type = FIELD_STRUCT, .shape = &on_demand_throughput_shape},
    {NAMED("WarmThroughput"), AT(struct global_index_input, warm_throughput), .type = FIELD_STRUCT,
     .shape = &warm_throughput_shape},
    FIELDS_END,
};
const struct shape global_index_shape = {"GlobalSecondaryIndex", sizeof(struct global_index_input),
                                         global_index_fields};
const struct shape global_index_create_shape = {
    "CreateGlobalSecondaryIndexAction", sizeof(struct global_index_input), global_index_fields};

static const struct field vector_attribute_fields[] = {
    {NAMED("AttributeName"), AT(struct vector_attribute_input, attribute_name),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_KEY_NAME_BYTES)},
    FIELDS_END,
};
static const struct shape vector_attribute_shape = {
    "VectorAttributeDefinition", sizeof(struct vector_attribute_input), vector_attribute_fields};

static const struct field search_schema_element_fields[] = {
    {NAMED("AttributeName"), AT(struct search_schema_element_input, attribute_name),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_KEY_NAME_BYTES)},
    {NAMED("SearchSchemaElementType"),
     AT(struct search_schema_element_input, search_schema_element_type), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED, .enum_text = "[HASH, INLINE_FILTER]"},
    FIELDS_END,
};
static const struct shape search_schema_element_shape = {"SearchSchemaElement",
                                                         sizeof(struct search_schema_element_input),
                                                         search_schema_element_fields};

static const struct field vector_index_fields[] = {
    INDEX_NAME_FIELD(vector_index_input),
    {NAMED("VectorAttribute"), AT(struct vector_index_input, vector_attribute),
     .type = FIELD_STRUCT, .flags = FIELD_REQUIRED, .shape = &vector_attribute_shape},
    PROJECTION_FIELD(vector_index_input),
    {NAMED("Dimensions"), AT(struct vector_index_input, dimensions), .type = FIELD_INTEGER,
     .flags = FIELD_REQUIRED, AT_LEAST(1)},
    {NAMED("DistanceFunction"), AT(struct vector_index_input, distance_function),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED,
     .enum_text = "[DOT_PRODUCT, COSINE, EUCLIDEAN]"},
    {NAMED("SearchSchema"), AT(struct vector_index_input, search_schema), .type = FIELD_STRUCT_LIST,
     AT_LEAST(1), .shape = &search_schema_element_shape},
    FIELDS_END,
};
const struct shape vector_index_shape = {"VectorIndex", sizeof(struct vector_index_input),
                                         vector_index_fields};
const struct shape vector_index_create_shape = {
    "CreateVectorIndexAction", sizeof(struct vector_index_input), vector_index_fields};

static const struct field stream_specification_fields[] = {
    {NAMED("StreamEnabled"), AT(struct stream_specification_input, stream_enabled),
     .type = FIELD_BOOLEAN, .flags = FIELD_REQUIRED},
    {NAMED("StreamViewType"), AT(struct stream_specification_input, stream_view_type),
     .type = FIELD_STRING, .enum_text = stream_view_printed},
    FIELDS_END,
};
const struct shape stream_specification_shape = {
    "StreamSpecification", sizeof(struct stream_specification_input), stream_specification_fields};

static const struct field sse_specification_fields[] = {
    {NAMED("Enabled"), AT(struct sse_specification_input, enabled), .type = FIELD_BOOLEAN},
    {NAMED("SSEType"), AT(struct sse_specification_input, sse_type), .type = FIELD_STRING,
     .enum_text = sse_type_printed},
    {NAMED("KMSMasterKeyId"), AT(struct sse_specification_input, kms_master_key_id),
     .type = FIELD_STRING},
    FIELDS_END,
};
const struct shape sse_specification_shape = {
    "SSESpecification", sizeof(struct sse_specification_input), sse_specification_fields};

static const struct field tag_fields[] = {
    {NAMED("Key"), AT(struct tag_input, key), .type = FIELD_STRING, .flags = FIELD_REQUIRED,
     LENGTH(1, LIMIT_TAG_KEY_CHARS)},
    {NAMED("Value"), AT(struct tag_input, value), .type = FIELD_STRING, .flags = FIELD_REQUIRED,
     LENGTH(0, LIMIT_TAG_VALUE_CHARS)},
    FIELDS_END,
};
const struct shape tag_shape = {"Tag", sizeof(struct tag_input), tag_fields};

static const struct field table_name_fields[] = {
    CONTROL_TABLE_NAME_FIELD(table_name_request),
    FIELDS_END,
};
const struct shape table_name_shape = {"TableNameInput", sizeof(struct table_name_request),
                                       table_name_fields};

static const struct field no_fields[] = {FIELDS_END};
const struct shape empty_shape = {"EmptyInput", 1, no_fields};
