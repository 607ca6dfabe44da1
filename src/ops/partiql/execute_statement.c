/* execute_statement.c - ExecuteStatement: one PartiQL statement. */
#include "json/member.h"
#include "ops/account/consumed.h"
#include "ops/item/write_call.h"
#include "ops/partiql/partiql_fields.h"
#include "ops/partiql/partiql_permission.h"
#include "ops/partiql/partiql_select.h"

enum { NEXT_TOKEN_CHARS_MAX = 32768 }; /* model: PartiQLNextToken */

struct execute_statement_request {
    struct slice statement;
    struct field_list parameters; /* struct field_item */
    struct field_bool consistent_read;
    struct slice next_token;
    struct slice return_consumed_capacity;
    struct field_int limit;
    struct slice return_values_on_condition_check_failure;
};

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
static const struct shape execute_statement_shape = {
    "ExecuteStatementInput", sizeof(struct execute_statement_request), execute_statement_fields};

struct execution {
    struct partiql_call statement;
    struct partiql_select select; /* SELECT */
    struct item_write write;      /* the others */
    struct write_call writes;
};

static struct error *validate(struct op_call *call) {
    const struct execute_statement_request *request = call->request;
    struct execution *execution = ARENA_NEW(call->arena, struct execution);
    call->work = execution;
    TRY(partiql_call_open(call, request->statement, &request->parameters, &execution->statement));
    if (execution->statement.partiql.statement->verb == VERB_EXISTS)
        return error_validation(call->arena, PARTIQL_EXISTS_ALONE);
    return NULL;
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct execute_statement_request *request = call->request;
    const struct execution *execution = call->work;
    return partiql_permission_ask(call, check, &execution->statement,
                                  request->return_values_on_condition_check_failure, false);
}

/* ---- SELECT ---- */

static struct error *run_select(struct op_call *call, enum op_state *ret_state) {
    const struct execute_statement_request *request = call->request;
    struct execution *execution = call->work;
    const struct partiql_select_input input = {
        .consistent = request->consistent_read.value,
        .limit = request->limit.value,
        .next_token = request->next_token,
        .return_consumed_capacity = request->return_consumed_capacity,
    };
    if (execution->statement.table == NULL) {
        TRY(partiql_call_find(call, &execution->statement));
        TRY(partiql_select_prepare(call, &execution->statement, &input, &execution->select));
    }
    return partiql_select_run(call, &execution->select, ret_state);
}

/* ---- INSERT, UPDATE, DELETE ---- */

static struct error *run_write(struct op_call *call, enum op_state *ret_state) {
    const struct execute_statement_request *request = call->request;
    struct execution *execution = call->work;
    struct item_write *write = &execution->write;
    TRY(partiql_call_find(call, &execution->statement));
    TRY(partiql_call_write(call, &execution->statement, write));
    item_write_prepare(call->context->engine, call->arena, write);
    write->old_on_failure = slice_is(request->return_values_on_condition_check_failure, "ALL_OLD");
    execution->writes = (struct write_call){
        .job = {.writes = write, .count = 1},
        .table_names = &execution->statement.partiql.table_name,
    };
    write_call_submit(call, &execution->writes);
    *ret_state = OP_WAITING;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct execution *execution = call->work;
    return partiql_reads(&execution->statement.partiql) ? run_select(call, ret_state)
                                                        : run_write(call, ret_state);
}

static struct error *finish(struct op_call *call) {
    const struct execute_statement_request *request = call->request;
    struct execution *execution = call->work;
    TRY(write_call_finish(call, &execution->writes));
    TRY(partiql_call_settle(call, &execution->statement, &execution->write));
    struct value returned = partiql_call_returned(call, &execution->statement, &execution->write);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "Items");
    if (value_present(returned))
        item_write_json(&json, returned);
    json_array_end(&json);
    consumed_write(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
    return NULL;
}

static void release(struct op_call *call) {
    struct execution *execution = call->work;
    partiql_select_release(&execution->select);
    partiql_call_release(&execution->statement);
}

const struct op op_execute_statement = {
    .name = "ExecuteStatement",
    .action = NULL,
    .flags = OP_READS | OP_WRITES | OP_OLDER_LAYER,
    .input = &execute_statement_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
