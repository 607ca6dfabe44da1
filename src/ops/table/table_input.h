/* table_input.h - the parts that requests about tables share: their structures, their field tables
 * and what the service checks about them before it looks at any table.
 *
 * A structure is as the API has it: every member may be absent. Errors are in the service's words
 * and order; all of them are about the request alone. */
#ifndef GRAMME_OPS_TABLE_TABLE_INPUT_H
#define GRAMME_OPS_TABLE_TABLE_INPUT_H

#include "model/table_settings.h"
#include "ops/request/arn.h"
#include "ops/request/field.h"

/* The text for a request that is correct and asks for what is not there yet. */
#define NOT_SUPPORTED(what) what " are not supported by this version of gramme"

struct attribute_definition_input {
    struct slice attribute_name;
    struct slice attribute_type; /* S, N or B */
};

struct key_schema_element_input {
    struct slice attribute_name;
    struct slice key_type; /* HASH or RANGE */
};

struct provisioned_throughput_input {
    struct field_int read_capacity_units;
    struct field_int write_capacity_units;
};

struct on_demand_throughput_input {
    struct field_int max_read_request_units;
    struct field_int max_write_request_units;
};

struct warm_throughput_input {
    struct field_int read_units_per_second;
    struct field_int write_units_per_second;
};

struct projection_input {
    struct slice projection_type;
    struct field_list non_key_attributes; /* struct slice */
};

struct local_index_input {
    struct slice index_name;
    struct field_list key_schema; /* struct key_schema_element_input */
    struct projection_input *projection;
};

/* Also the Create action of UpdateTable. */
struct global_index_input {
    struct slice index_name;
    struct field_list key_schema; /* struct key_schema_element_input */
    struct projection_input *projection;
    struct provisioned_throughput_input *provisioned_throughput;
    struct on_demand_throughput_input *on_demand_throughput;
    struct warm_throughput_input *warm_throughput;
};

struct vector_attribute_input {
    struct slice attribute_name;
};

struct search_schema_element_input {
    struct slice attribute_name;
    struct slice search_schema_element_type;
};

struct vector_index_input {
    struct slice index_name;
    struct vector_attribute_input *vector_attribute;
    struct projection_input *projection;
    struct field_int dimensions;
    struct slice distance_function;
    struct field_list search_schema; /* struct search_schema_element_input */
};

struct stream_specification_input {
    struct field_bool stream_enabled;
    struct slice stream_view_type;
};

struct sse_specification_input {
    struct field_bool enabled;
    struct slice sse_type;
    struct slice kms_master_key_id;
};

/* What a request says of a plain setting: a flag or a word. */
struct setting_input {
    struct field_bool flag;
    struct slice word;
};

/* Rows of the field table of a request with a member `settings`, one for each. */
#define FLAG_SETTING_FIELD(request, symbol, name) \
    {NAMED(name), AT(struct request, settings[SETTING_##symbol].flag), .type = FIELD_BOOLEAN},
#define WORD_SETTING_FIELD(request, symbol, name, printed)                                   \
    {NAMED(name), AT(struct request, settings[SETTING_##symbol].word), .type = FIELD_STRING, \
     .enum_text = printed},

struct tag_input {
    struct slice key;
    struct slice value;
};

/* Requests that are only a table's name: DescribeTable, DeleteTable. */
struct table_name_request {
    struct slice table_name; /* or ARN */
};

/* Rows of field tables, for files that know model/limits.h. The control plane words what is wrong
 * with a TableName in its own way. */
#define CONTROL_TABLE_NAME_FIELD(request)                                                      \
    {                                                                                          \
        NAMED("TableName"), AT(struct request, table_name),                                    \
            .type = FIELD_STRING, .flags = FIELD_TABLE_NAME, .resource = RESOURCE_TABLE,       \
            LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_ARN_CHARS),                               \
            .null_error =                                                                      \
                "The parameter 'TableName' is required but was not present in the request",    \
            .length_error =                                                                    \
                "TableName must be at least 3 characters long and at most 255 characters long" \
    }

#define INDEX_NAME_FIELD(request)                                                   \
    {                                                                               \
        NAMED("IndexName"), AT(struct request, index_name),                         \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, .pattern = NAME_PATTERN, \
            LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)                      \
    }

extern const struct shape table_name_shape;
extern const struct shape empty_shape; /* a request without members */

extern const struct shape attribute_definition_shape;
extern const struct shape key_schema_element_shape;
extern const struct shape provisioned_throughput_shape;
extern const struct shape on_demand_throughput_shape;
extern const struct shape warm_throughput_shape;
extern const struct shape projection_shape;
extern const struct shape local_index_shape;
extern const struct shape global_index_shape;
extern const struct shape global_index_create_shape;
extern const struct shape vector_index_shape;
extern const struct shape vector_index_create_shape;
extern const struct shape stream_specification_shape;
extern const struct shape sse_specification_shape;
extern const struct shape tag_shape;

#endif
