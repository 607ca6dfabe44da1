/* batch_execute_statement.c - BatchExecuteStatement: up to 25 PartiQL statements, all of them reads
 * of one item each or all of them writes.
 *
 * Each stands for itself: what is wrong with one is said in its place of the reply, and the others
 * go on. Writes are one job, reads one round. */
#include "base/log.h"
#include "json/member.h"
#include "model/capacity.h"
#include "ops/account/consumed.h"
#include "ops/item/write_call.h"
#include "ops/partiql/partiql_fields.h"
#include "ops/partiql/partiql_permission.h"
#include "ops/read/call_fetch.h"
#include "ops/throttle/read_throttle.h"

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
static const struct shape batch_execute_statement_shape = {
    "BatchExecuteStatementInput", sizeof(struct batch_execute_statement_request),
    batch_execute_statement_fields};

struct member {
    const struct batch_statement_request *input;
    struct partiql_call statement;
    struct error *error;      /* why it failed; NULL: so far nothing speaks against it */
    struct value key;         /* of a read */
    struct stored_item found; /* by a read; lives as long as its reader */
    struct item_write *write;
};

struct batch {
    struct member *members;
    size_t count;
    bool reads;
    struct call_fetch *fetch; /* of the reads; NULL: nothing is waited for */
    struct write_call call;
    struct item_write *writes; /* of the members without errors, in their order */
    struct slice *table_names; /* of the writes */
    size_t write_count;
};

/* ---- validation ---- */

static struct error *open_member(struct op_call *call, struct member *member) {
    TRY(partiql_call_open(call, member->input->statement, &member->input->parameters,
                          &member->statement));
    if (member->statement.partiql.statement->verb == VERB_EXISTS)
        return error_validation(call->arena, PARTIQL_EXISTS_ALONE);
    return NULL;
}

static struct error *check_mixing(struct op_call *call, struct batch *batch) {
    bool writes = false;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->members[i].error != NULL)
            continue;
        bool reads = partiql_reads(&batch->members[i].statement.partiql);
        batch->reads = batch->reads || reads;
        writes = writes || !reads;
    }
    if (batch->reads && writes)
        return error_validation(
            call->arena, "Read and write requests together in the same batch is not supported.");
    return NULL;
}

static struct error *validate(struct op_call *call) {
    const struct batch_execute_statement_request *request = call->request;
    const struct batch_statement_request *inputs = request->statements.items;
    struct batch *batch = ARENA_NEW(call->arena, struct batch);
    call->work = batch;
    batch->members = ARENA_ARRAY(call->arena, struct member, request->statements.count);
    batch->writes = ARENA_ARRAY(call->arena, struct item_write, request->statements.count);
    batch->table_names = ARENA_ARRAY(call->arena, struct slice, request->statements.count);
    batch->count = request->statements.count;
    /* A value that is none is the request's mistake, not a statement's. */
    for (size_t i = 0; i < batch->count; i++)
        TRY(partiql_parameters_check(&inputs[i].parameters));
    for (size_t i = 0; i < batch->count; i++) {
        batch->members[i].input = &inputs[i];
        batch->members[i].error = open_member(call, &batch->members[i]);
    }
    return check_mixing(call, batch);
}

/* A statement that is not allowed fails alone. */
static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    struct batch *batch = call->work;
    for (size_t i = 0; i < batch->count; i++) {
        struct member *member = &batch->members[i];
        if (member->error == NULL)
            member->error = partiql_permission_ask(
                call, check, &member->statement,
                member->input->return_values_on_condition_check_failure, false);
    }
    return NULL;
}

/* ---- items and their keys ---- */

static struct error *no_key(struct op_call *call) {
    return error_validation(call->arena, "Select statements within BatchExecuteStatement must "
                                         "specify the primary key in the where clause.");
}

static struct error *prepare_read(struct op_call *call, struct member *member) {
    struct partiql_call *statement = &member->statement;
    enum partiql_key_fit fit;
    TRY(partiql_call_find(call, statement));
    TRY(partiql_call_check_index(call->arena, statement));
    if (slice_present(statement->partiql.index_name))
        return no_key(call);
    TRY(partiql_call_get(call, statement, &member->key, &fit));
    if (fit == PARTIQL_KEY_ONLY)
        return NULL;
    struct partiql_ranges *ignored = ARENA_NEW(call->arena, struct partiql_ranges);
    TRY(partiql_ranges(call->arena, &statement->partiql, &statement->table->definition.keys,
                       ignored));
    return no_key(call);
}

static struct error *prepare_write(struct op_call *call, struct batch *batch,
                                   struct member *member) {
    struct item_write *write = &batch->writes[batch->write_count];
    TRY(partiql_call_find(call, &member->statement));
    TRY(partiql_call_write(call, &member->statement, write));
    item_write_prepare(call->context->engine, call->arena, write);
    member->write = write;
    batch->table_names[batch->write_count++] = member->statement.partiql.table_name;
    return NULL;
}

static bool same_item(const struct batch *batch, const struct member *a, const struct member *b) {
    if (!batch->reads)
        return slice_equal(a->write->store_key, b->write->store_key);
    return a->statement.table->definition.id == b->statement.table->definition.id &&
           value_equal(a->key, b->key);
}

static struct error *check_duplicates(struct op_call *call, const struct batch *batch) {
    for (size_t i = 0; i < batch->count; i++)
        for (size_t before = 0; before < i; before++)
            if (batch->members[i].error == NULL && batch->members[before].error == NULL &&
                same_item(batch, &batch->members[before], &batch->members[i]))
                return error_validation(call->arena,
                                        "Provided list of item keys contains duplicates");
    return NULL;
}

static struct error *prepare(struct op_call *call, struct batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        struct member *member = &batch->members[i];
        if (member->error == NULL)
            member->error =
                batch->reads ? prepare_read(call, member) : prepare_write(call, batch, member);
    }
    return check_duplicates(call, batch);
}

/* ---- the reply ---- */

static const char *code_of(const struct error *error) {
    switch ((int)error->code) {
    case ERROR_CONDITIONAL_CHECK_FAILED:
        return "ConditionalCheckFailed";
    case ERROR_DUPLICATE_ITEM:
        return "DuplicateItem";
    case ERROR_RESOURCE_NOT_FOUND:
        return "ResourceNotFound";
    case ERROR_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED:
        return "ItemCollectionSizeLimitExceeded";
    case ERROR_TRANSACTION_CONFLICT:
        return "TransactionConflict";
    case ERROR_PROVISIONED_THROUGHPUT_EXCEEDED:
        return "ProvisionedThroughputExceeded";
    case ERROR_THROTTLING:
        return "ThrottlingError";
    case ERROR_ACCESS_DENIED:
        return "AccessDenied";
    case ERROR_INTERNAL_SERVER_ERROR:
        return "InternalServerError";
    default:
        return "ValidationError";
    }
}

/* The service names the table of a failed statement only when it came to its item. */
static bool shows_table(const struct member *member) {
    return member->error == NULL || member->write != NULL;
}

static struct value item_of(struct op_call *call, const struct batch *batch,
                            const struct member *member) {
    if (member->error != NULL)
        return VALUE_ABSENT;
    if (!batch->reads)
        return partiql_call_returned(call, &member->statement, member->write);
    if (!value_present(member->found.item))
        return VALUE_ABSENT;
    return partiql_call_selected(call->arena, &member->statement.partiql, member->found.item);
}

static void write_error(struct op_call *call, struct json_writer *json, struct error *error) {
    if (error->code == ERROR_LOCAL)
        log_repeated_error("%s: %.*s", call->op->name, SLICE_ARGS(error->message));
    error = error_for_client(call->arena, error);
    member_object(json, "Error");
    member_text(json, "Code", slice_text(code_of(error)));
    member_text(json, "Message", error->message);
    json_object_end(json);
}

static void write_response(struct op_call *call, const struct batch *batch,
                           const struct member *member, struct json_writer *json) {
    struct value item = item_of(call, batch, member);
    json_object_begin(json);
    if (member->error != NULL)
        write_error(call, json, member->error);
    if (shows_table(member))
        member_text(json, "TableName", member->statement.partiql.table_name);
    if (value_present(item) && value_count(item) > 0) {
        JSON_NAME_LITERAL(json, "Item");
        item_write_json(json, item);
    }
    json_object_end(json);
}

static void write_reply(struct op_call *call, const struct batch *batch) {
    const struct batch_execute_statement_request *request = call->request;
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "Responses");
    for (size_t i = 0; i < batch->count; i++)
        write_response(call, batch, &batch->members[i], &json);
    json_array_end(&json);
    consumed_write_list(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
}

/* ---- running ---- */

/* Asks for the units of a read, and takes them. */
static struct error *account_for(struct op_call *call, const struct member *member) {
    const struct partiql_call *statement = &member->statement;
    bool consistent = member->input->consistent_read.value;
    struct read_ticket ticket;
    if (reads_are_throttled(call)) {
        ticket = read_ticket_of_item(call, statement->table, member->key);
        TRY(read_throttle_check(call, &ticket, capacity_read(0, consistent)));
    }
    struct account_table *table =
        account_table(call, statement->partiql.table_name, statement->table);
    uint64_t halves = account_get(table, &member->found, consistent);
    if (reads_are_throttled(call))
        read_throttle_take(call, &ticket, halves);
    return NULL;
}

static size_t wanted_keys(const struct batch *batch,
                          struct read_key ret_keys[LIMIT_BATCH_STATEMENTS]) {
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->members[i].error == NULL)
            ret_keys[count++] =
                (struct read_key){batch->members[i].statement.table, batch->members[i].key};
    return count;
}

static void reply_with(struct op_call *call, struct batch *batch, const struct stored_item *items) {
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct member *member = &batch->members[i];
        if (member->error != NULL)
            continue;
        member->found = items[count++];
        member->error = account_for(call, member);
    }
    write_reply(call, batch);
}

static struct error *read_items(struct op_call *call, struct batch *batch, struct reader *reader) {
    struct read_key keys[LIMIT_BATCH_STATEMENTS];
    struct stored_item items[LIMIT_BATCH_STATEMENTS];
    TRY(reader_get_many(reader, wanted_keys(batch, keys), keys, items));
    reply_with(call, batch, items);
    return NULL;
}

static struct error *wait_for_items(struct op_call *call, struct batch *batch,
                                    enum op_state *ret_state) {
    struct read_key *keys = ARENA_ARRAY(call->arena, struct read_key, LIMIT_BATCH_STATEMENTS);
    size_t count = wanted_keys(batch, keys);
    if (count == 0) {
        write_reply(call, batch);
        return NULL;
    }
    *ret_state = OP_WAITING;
    return call_fetch_start(call, (struct call_read){READ_ONCE, true}, count, keys, &batch->fetch);
}

static struct error *finish_reads(struct op_call *call, struct batch *batch) {
    struct stored_item items[LIMIT_BATCH_STATEMENTS];
    for (size_t i = 0; i < batch->fetch->items.count; i++)
        TRY(call_fetch_take(batch->fetch, i, &items[i]));
    reply_with(call, batch, items);
    return NULL;
}

static struct error *run_reads(struct op_call *call, struct batch *batch) {
    struct reader reader;
    TRY(reader_begin(call->context->engine, call->arena, READ_ONCE, &reader));
    struct error *error = read_items(call, batch, &reader);
    reader_end(&reader);
    return error;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct batch *batch = call->work;
    *ret_state = OP_DONE;
    TRY(prepare(call, batch));
    if (batch->reads)
        return call_fetches(call) ? wait_for_items(call, batch, ret_state) : run_reads(call, batch);
    if (batch->write_count == 0) {
        write_reply(call, batch);
        return NULL;
    }
    batch->call = (struct write_call){
        .job = {.batch = true, .writes = batch->writes, .count = batch->write_count},
        .table_names = batch->table_names,
    };
    write_call_submit(call, &batch->call);
    *ret_state = OP_WAITING;
    return NULL;
}

static struct error *finish(struct op_call *call) {
    struct batch *batch = call->work;
    if (batch->reads)
        return finish_reads(call, batch);
    TRY(write_call_finish(call, &batch->call));
    for (size_t i = 0; i < batch->count; i++) {
        struct member *member = &batch->members[i];
        if (member->error != NULL)
            continue;
        member->error = partiql_call_settle(call, &member->statement, member->write);
    }
    write_reply(call, batch);
    return NULL;
}

static void release(struct op_call *call) {
    struct batch *batch = call->work;
    call_fetch_release(batch->fetch);
    for (size_t i = 0; i < batch->count; i++)
        partiql_call_release(&batch->members[i].statement);
}

const struct op op_batch_execute_statement = {
    .name = "BatchExecuteStatement",
    .action = NULL,
    .flags = OP_READS | OP_WRITES | OP_OLDER_LAYER,
    .input = &batch_execute_statement_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
