/* item_input.h - the requests of the operations on one item: PutItem, GetItem, UpdateItem,
 * DeleteItem. The maps of the legacy API are explained in legacy_input.h. */
#ifndef GRAMME_OPS_ITEM_ITEM_INPUT_H
#define GRAMME_OPS_ITEM_ITEM_INPUT_H

#include "ops/request/field.h"

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

struct get_item_request {
    struct slice table_name;
    struct field_item key;
    struct field_list attributes_to_get; /* struct slice */
    struct field_bool consistent_read;
    struct slice return_consumed_capacity;
    struct slice projection_expression;
    struct field_list expression_attribute_names; /* struct field_pair */
};

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

struct delete_item_request {
    struct slice table_name;
    struct field_item key;
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

extern const struct shape put_item_shape;
extern const struct shape get_item_shape;
extern const struct shape update_item_shape;
extern const struct shape delete_item_shape;

#endif
