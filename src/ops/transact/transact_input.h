/* transact_input.h - the requests of TransactWriteItems and TransactGetItems. */
#ifndef GRAMME_OPS_TRANSACT_TRANSACT_INPUT_H
#define GRAMME_OPS_TRANSACT_TRANSACT_INPUT_H

#include "ops/request/field.h"

/* One action of any kind; each kind has some of the members. */
struct transact_action_input {
    struct field_item attributes; /* the Item of a Put, the Key of the others */
    struct slice table_name;
    struct slice update_expression;
    struct slice condition_expression;
    struct slice projection_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
    struct slice return_values_on_condition_check_failure;
};

/* NULL: absent. Exactly one should be there, which is the operation's to check. */
struct transact_write_item {
    struct transact_action_input *condition_check;
    struct transact_action_input *put;
    struct transact_action_input *delete;
    struct transact_action_input *update;
};

struct transact_write_items_request {
    struct slice client_request_token;
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
    struct field_list transact_items; /* struct transact_write_item */
};

struct transact_get_item {
    struct transact_action_input *get;
};

struct transact_get_items_request {
    struct slice return_consumed_capacity;
    struct field_list transact_items; /* struct transact_get_item */
};

extern const struct shape transact_write_items_shape;
extern const struct shape transact_get_items_shape;

#endif
