/* read_input.h - the requests of the operations that read ranges: Query and Scan. The maps of
 * the legacy API are explained in legacy_input.h. */
#ifndef GRAMME_OPS_READ_READ_INPUT_H
#define GRAMME_OPS_READ_READ_INPUT_H

#include "ops/request/field.h"

struct query_request {
    struct slice table_name;
    struct slice index_name;
    struct slice select;
    struct field_list attributes_to_get; /* struct slice */
    struct field_int limit;
    struct field_bool consistent_read;
    struct field_list key_conditions; /* struct condition */
    struct field_list query_filter;   /* struct condition */
    struct slice conditional_operator;
    struct field_bool scan_index_forward; /* absent: true */
    struct field_item exclusive_start_key;
    struct slice return_consumed_capacity;
    struct slice projection_expression;
    struct slice filter_expression;
    struct slice key_condition_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

struct scan_request {
    struct slice table_name;
    struct slice index_name;
    struct slice select;
    struct field_list attributes_to_get; /* struct slice */
    struct field_int limit;
    struct field_int segment;
    struct field_int total_segments;
    struct field_bool consistent_read;
    struct field_list scan_filter; /* struct condition */
    struct slice conditional_operator;
    struct field_item exclusive_start_key;
    struct slice return_consumed_capacity;
    struct slice projection_expression;
    struct slice filter_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

extern const struct shape query_shape;
extern const struct shape scan_shape;

#endif
