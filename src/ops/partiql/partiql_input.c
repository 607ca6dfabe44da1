/* partiql_input.c - the field tables of ExecuteStatement, BatchExecuteStatement and
 * ExecuteTransaction, which run on the service's older validation layer. */
#include "ops/partiql/partiql_input.h"

#include "model/limits.h"
#include "ops/item/item_fields.h"

enum { NEXT_TOKEN_CHARS_MAX = 32768 }; /* model: PartiQLNextToken */

#define STATEMENT_FIELD(request)                                                            \
    {                                                                                       \
        NAMED("Statement"), AT(struct request, statement),                                  \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_STATEMENT_CHARS) \
    }
#define PARAMETERS_FIELD(request) \
    { NAMED("Parameters"), AT(struct request, parameters), .type = FIELD_VALUE_LIST, AT_LEAST(1) }
#define CONSISTENT_READ_FIELD(request) \
    { NAMED("ConsistentRead"), AT(struct request, consistent_read), .type = FIELD_BOOLEAN }

static const struct field execute_statement_fields[] = {
    STATEMENT_FIELD(execute_statement_request),
    PARAMETERS_FIELD(execute_statement_request),
    CONSISTENT_READ_FIELD(execute_statement_request),
    {NAMED("NextToken"), AT(struct execute_statement_request, next_token), .type = FIELD_STRING,
     LENGTH(1, NEXT_TOKEN_CHARS_MAX)},
    RETURN_CONSUMED_CAPACITY_FIELD(execute_statement_request),
    {NAMED("Limit"), AT(struct execute_statement_request, limit), .type = FIELD_INTEGER,
     AT_LEAST(1)},
    RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(execute_statement_request),
    FIELDS_END,
};
const struct shape execute_statement_shape = {
    "ExecuteStatementInput", sizeof(struct execute_statement_request), execute_statement_fields};

static const struct field batch_statement_fields[] = {
    STATEMENT_FIELD(batch_statement_request),
    PARAMETERS_FIELD(batch_statement_request),
    CONSISTENT_READ_FIELD(batch_statement_request),
    RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(batch_statement_request),
    FIELDS_END,
};
static const struct shape batch_statement_shape = {
    "BatchStatementRequest", sizeof(struct batch_statement_request), batch_statement_fields};

static const struct field batch_execute_statement_fields[] = {
    {NAMED("Statements"), AT(struct batch_execute_statement_request, statements),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_BATCH_STATEMENTS),
     .shape = &batch_statement_shape},
    RETURN_CONSUMED_CAPACITY_FIELD(batch_execute_statement_request),
    FIELDS_END,
};
const struct shape batch_execute_statement_shape = {"BatchExecuteStatementInput",
                                                    sizeof(struct batch_execute_statement_request),
                                                    batch_execute_statement_fields};

static const struct field transact_statement_fields[] = {
    STATEMENT_FIELD(transact_statement_request),
    PARAMETERS_FIELD(transact_statement_request),
    RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(transact_statement_request),
    FIELDS_END,
};
static const struct shape transact_statement_shape = {
    "ParameterizedStatement", sizeof(struct transact_statement_request), transact_statement_fields};

static const struct field execute_transaction_fields[] = {
    {NAMED("TransactStatements"), AT(struct execute_transaction_request, transact_statements),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_TRANSACTION_ACTIONS),
     .shape = &transact_statement_shape},
    {NAMED("ClientRequestToken"), AT(struct execute_transaction_request, client_request_token),
     .type = FIELD_STRING, LENGTH(1, LIMIT_REQUEST_TOKEN_CHARS)},
    RETURN_CONSUMED_CAPACITY_FIELD(execute_transaction_request),
    FIELDS_END,
};
const struct shape execute_transaction_shape = {"ExecuteTransactionInput",
                                                sizeof(struct execute_transaction_request),
                                                execute_transaction_fields};
