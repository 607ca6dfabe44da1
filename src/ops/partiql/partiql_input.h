/* partiql_input.h - the requests of ExecuteStatement, BatchExecuteStatement and
 * ExecuteTransaction. */
#ifndef GRAMME_OPS_PARTIQL_PARTIQL_INPUT_H
#define GRAMME_OPS_PARTIQL_PARTIQL_INPUT_H

#include "ops/request/field.h"

struct execute_statement_request {
    struct slice statement;
    struct field_list parameters; /* struct field_item */
    struct field_bool consistent_read;
    struct slice next_token;
    struct slice return_consumed_capacity;
    struct field_int limit;
    struct slice return_values_on_condition_check_failure;
};

struct batch_statement_request {
    struct slice statement;
    struct field_list parameters; /* struct field_item */
    struct field_bool consistent_read;
    struct slice return_values_on_condition_check_failure;
};

struct batch_execute_statement_request {
    struct field_list statements; /* struct batch_statement_request */
    struct slice return_consumed_capacity;
};

struct transact_statement_request {
    struct slice statement;
    struct field_list parameters; /* struct field_item */
    struct slice return_values_on_condition_check_failure;
};

struct execute_transaction_request {
    struct field_list transact_statements; /* struct transact_statement_request */
    struct slice client_request_token;
    struct slice return_consumed_capacity;
};

extern const struct shape execute_statement_shape;
extern const struct shape batch_execute_statement_shape;
extern const struct shape execute_transaction_shape;

#endif
