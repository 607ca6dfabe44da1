/* execute_transaction.c - ExecuteTransaction: up to 100 PartiQL statements, all of them reads of
 * one item each, or all of them writes, which happen all or not at all. EXISTS is a condition among
 * the writes.
 *
 * Statements are opened one after another, then each gets its table and its key; what is wrong up
 * to here is told with the number of the statement, and the first problem is the answer. From then
 * on it goes as in TransactWriteItems and TransactGetItems: what is wrong between an item and its
 * table, and a table that is not there, cancels the transaction, unless it is of the kind that is
 * an error at once. */
#include "json/member.h"
#include "model/key.h"
#include "ops/account/consumed.h"
#include "ops/partiql/partiql_fields.h"
#include "ops/partiql/partiql_permission.h"
#include "ops/transact/cancellation.h"
#include "ops/transact/transact_call.h"
#include "ops/transact/transact_fingerprint.h"
#include "ops/transact/transact_reads.h"

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
static const struct shape execute_transaction_shape = {"ExecuteTransactionInput",
                                                       sizeof(struct execute_transaction_request),
                                                       execute_transaction_fields};

struct execution {
    size_t count;
    struct partiql_call *statements;
    bool reading;
    struct transact_reads reads;   /* of SELECTs */
    struct transact_call transact; /* of the others */
};

/* ---- validation ---- */

/* An error about a statement, with its number. */
static struct error *numbered(struct op_call *call, size_t i, const struct error *error) {
    return error_request(call->arena, "Validation failed in TransactStatements[%zu]: %.*s", i,
                         SLICE_ARGS(error->message));
}

/* What the service says without the number: faults of parameters, and columns that are no paths. */
static bool stands_alone(const struct field_list *parameters, const struct error *error) {
    const struct field_item *items = parameters->items;
    for (size_t i = 0; i < parameters->count; i++)
        if (items[i].fault == error)
            return true;
    return error->code == ERROR_PATH_COMPONENT;
}

static struct error *check_clauses(struct arena *arena, const struct partiql *partiql) {
    if (partiql->statement->returning != RETURNING_NOTHING)
        return error_request(arena, "RETURNING clause is not supported in ExecuteTransaction.");
    if (partiql_reads(partiql) && slice_present(partiql->index_name))
        return error_request(arena, "Reads on indices are not supported within transactions.");
    return NULL;
}

static struct error *open_statement(struct op_call *call, size_t i,
                                    const struct transact_statement_request *input,
                                    struct partiql_call *statement) {
    struct error *error = partiql_call_open(call, input->statement, &input->parameters, statement);
    if (error != NULL && stands_alone(&input->parameters, error))
        return error;
    statement->in_transaction = true;
    return error == NULL ? NULL : numbered(call, i, error);
}

static struct error *check_mixing(struct op_call *call, struct execution *execution) {
    size_t selects = 0;
    for (size_t i = 0; i < execution->count; i++)
        selects += execution->statements[i].partiql.statement->verb == VERB_SELECT;
    execution->reading = selects > 0;
    if (selects > 0 && selects < execution->count)
        return error_request(call->arena, "ExecuteTransaction API does not support both read and "
                                          "write operations in the same request.");
    return NULL;
}

static struct error *validate(struct op_call *call) {
    const struct execute_transaction_request *request = call->request;
    const struct transact_statement_request *inputs = request->transact_statements.items;
    struct execution *execution = ARENA_NEW(call->arena, struct execution);
    call->work = execution;
    execution->count = request->transact_statements.count;
    execution->statements = ARENA_ARRAY(call->arena, struct partiql_call, execution->count);
    for (size_t i = 0; i < execution->count; i++)
        TRY(open_statement(call, i, &inputs[i], &execution->statements[i]));
    return check_mixing(call, execution);
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct execute_transaction_request *request = call->request;
    const struct transact_statement_request *inputs = request->transact_statements.items;
    const struct execution *execution = call->work;
    for (size_t i = 0; i < execution->count; i++)
        TRY(partiql_permission_ask(call, check, &execution->statements[i],
                                   inputs[i].return_values_on_condition_check_failure, true));
    return NULL;
}

/* ---- tables and keys ---- */

/* WHERE says the whole key: no more to SELECT, and more to EXISTS. */
static struct error *check_where(struct arena *arena, const struct partiql_call *statement,
                                 struct value *ret_key) {
    enum partiql_key_fit fit;
    const struct partiql *partiql = &statement->partiql;
    const struct key_schema *keys = &statement->table->definition.keys;
    enum verb verb = partiql->statement->verb;
    if (!partiql_reads(partiql))
        return NULL;
    TRY(partiql_key(arena, partiql, keys, ret_key, &fit));
    if (verb == VERB_SELECT && fit != PARTIQL_KEY_ONLY) {
        struct partiql_ranges *ignored = ARENA_NEW(arena, struct partiql_ranges);
        TRY(partiql_ranges(arena, partiql, keys, ignored));
        return error_request(arena, "Select statements within ExecuteTransaction must specify the "
                                    "primary key in the where clause.");
    }
    if (verb == VERB_EXISTS && fit != PARTIQL_KEY_AND_MORE)
        return error_request(arena,
                             "EXISTS() must contain a single item read with additional condition");
    return NULL;
}

/* The table, and the key of what reads. `*ret_missing`: the table is not there. */
static struct error *find_item(struct op_call *call, struct partiql_call *statement, size_t i,
                               struct value *ret_key, struct error **ret_missing) {
    *ret_missing = partiql_call_find(call, statement);
    if (*ret_missing != NULL)
        return (*ret_missing)->code == ERROR_RESOURCE_NOT_FOUND ? NULL : *ret_missing;
    struct error *error = check_clauses(call->arena, &statement->partiql);
    if (error == NULL)
        error = check_where(call->arena, statement, ret_key);
    return error == NULL ? NULL : numbered(call, i, error);
}

static struct error *prepare_read(struct op_call *call, struct execution *execution, size_t i) {
    struct partiql_call *statement = &execution->statements[i];
    struct transact_reads *reads = &execution->reads;
    struct value key = VALUE_ABSENT;
    struct error *refused;
    TRY(find_item(call, statement, i, &key, &refused));
    reads->keys[i] = (struct read_key){statement->table, key};
    reads->table_names[i] = statement->partiql.table_name;
    if (refused == NULL)
        refused = key_check(call->arena, &statement->table->definition.keys, key);
    if (refused != NULL && cancellation_unfit(refused))
        return refused;
    reads->refused[i] = refused;
    return NULL;
}

static struct error *prepare_write(struct op_call *call, struct execution *execution, size_t i) {
    const struct execute_transaction_request *request = call->request;
    const struct transact_statement_request *inputs = request->transact_statements.items;
    struct partiql_call *statement = &execution->statements[i];
    struct item_write *write = &execution->transact.writes[i];
    struct value key = VALUE_ABSENT;
    struct error *refused;
    TRY(find_item(call, statement, i, &key, &refused));
    if (refused == NULL)
        refused = partiql_call_write(call, statement, write);
    if (refused != NULL && cancellation_unfit(refused))
        return refused;
    write->refused = refused;
    write->table = statement->table == NULL ? NULL : table_ref(statement->table);
    write->old_on_failure = slice_is(inputs[i].return_values_on_condition_check_failure, "ALL_OLD");
    execution->transact.table_names[i] = statement->partiql.table_name;
    return NULL;
}

/* ---- reads ---- */

static void write_read_reply(struct op_call *call, const struct execution *execution) {
    const struct execute_transaction_request *request = call->request;
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "Responses");
    for (size_t i = 0; i < execution->count; i++) {
        struct value item = execution->reads.items[i].item;
        if (value_present(item))
            item = partiql_call_selected(call->arena, &execution->statements[i].partiql, item);
        json_object_begin(&json);
        if (value_present(item) && value_count(item) > 0) {
            JSON_NAME_LITERAL(&json, "Item");
            item_write_json(&json, item);
        }
        json_object_end(&json);
    }
    json_array_end(&json);
    consumed_write_list(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
}

static struct error *run_reads(struct op_call *call, enum op_state *ret_state) {
    struct execution *execution = call->work;
    struct transact_reads *reads = &execution->reads;
    if (!call->elsewhere) {
        transact_reads_init(reads, call->arena, execution->count);
        for (size_t i = 0; i < execution->count; i++)
            TRY(prepare_read(call, execution, i));
        TRY(transact_reads_refusal(call->arena, reads));
        TRY(transact_reads_check(call->arena, reads));
        if (!transact_reads_few(reads)) {
            *ret_state = OP_ELSEWHERE;
            return NULL;
        }
        if (call_fetches(call)) {
            *ret_state = OP_WAITING;
            return transact_reads_start(call, reads);
        }
    }
    struct reader reader;
    TRY(reader_begin(call->context->engine, call->arena, READ_SNAPSHOT, &reader));
    struct error *error = transact_reads_get(call, &reader, reads);
    if (error == NULL)
        write_read_reply(call, execution);
    reader_end(&reader);
    *ret_state = OP_DONE;
    return error;
}

static struct error *finish_reads(struct op_call *call, struct execution *execution) {
    TRY(transact_reads_finish(call, &execution->reads));
    write_read_reply(call, execution);
    return NULL;
}

/* ---- writes ---- */

/* Statements count as they are written. */
static void take_fingerprint(struct op_call *call, uint8_t ret_fingerprint[16]) {
    const struct execute_transaction_request *request = call->request;
    const struct transact_statement_request *statements = request->transact_statements.items;
    struct transact_fingerprint fingerprint;
    transact_fingerprint_begin(&fingerprint, call);
    for (size_t i = 0; i < request->transact_statements.count; i++) {
        transact_fingerprint_add(&fingerprint, statements[i].statement);
        transact_fingerprint_add_parameters(&fingerprint, &statements[i].parameters);
        transact_fingerprint_add(&fingerprint,
                                 statements[i].return_values_on_condition_check_failure);
    }
    transact_fingerprint_end(&fingerprint, ret_fingerprint);
}

static struct error *run_writes(struct op_call *call, enum op_state *ret_state) {
    const struct execute_transaction_request *request = call->request;
    struct execution *execution = call->work;
    struct transact_call *transact = &execution->transact;
    transact_call_init(transact, call->arena, execution->count);
    for (size_t i = 0; i < execution->count; i++)
        TRY(prepare_write(call, execution, i));
    transact->transaction.token = request->client_request_token;
    if (slice_present(request->client_request_token))
        take_fingerprint(call, transact->transaction.fingerprint);
    TRY(transact_call_submit(call, transact));
    *ret_state = OP_WAITING;
    return NULL;
}

static struct error *finish_writes(struct op_call *call, struct execution *execution) {
    const struct execute_transaction_request *request = call->request;
    struct transact_call *transact = &execution->transact;
    for (size_t i = 0; i < execution->count; i++)
        transact->writes[i].error =
            partiql_call_settle(call, &execution->statements[i], &transact->writes[i]);
    TRY(transact_call_finish(call, transact));
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "Responses");
    json_array_end(&json);
    consumed_write_list(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
    return NULL;
}

/* ---- the call ---- */

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct execution *execution = call->work;
    return execution->reading ? run_reads(call, ret_state) : run_writes(call, ret_state);
}

static struct error *finish(struct op_call *call) {
    struct execution *execution = call->work;
    return execution->reading ? finish_reads(call, execution) : finish_writes(call, execution);
}

static void release(struct op_call *call) {
    struct execution *execution = call->work;
    transact_reads_release(&execution->reads);
    transact_call_release(&execution->transact);
    for (size_t i = 0; i < execution->count; i++)
        partiql_call_release(&execution->statements[i]);
}

const struct op op_execute_transaction = {
    .name = "ExecuteTransaction",
    .flags = OP_READS | OP_WRITES | OP_OLDER_LAYER | OP_TOKEN,
    .input = &execute_transaction_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
