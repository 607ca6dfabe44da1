/* transact_get_items.c - TransactGetItems: up to 100 items as they were at one moment.
 *
 * The reply is written when all of them are there. */
#include "json/member.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/permission/permission.h"
#include "ops/read/projection.h"
#include "ops/request/expressions.h"
#include "ops/transact/cancellation.h"
#include "ops/transact/transact_reads.h"

struct get_input {
    struct field_item key;
    struct slice table_name;
    struct slice projection_expression;
    struct field_list expression_attribute_names; /* struct field_pair */
};

struct transact_get_item {
    struct get_input *get;
};

struct transact_get_items_request {
    struct slice return_consumed_capacity;
    struct field_list transact_items; /* struct transact_get_item */
};

static const struct field get_fields[] = {
    KEY_FIELD(get_input),
    TABLE_NAME_FIELD_OLDER(get_input),
    EXPRESSION_FIELD(get_input, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(get_input),
    FIELDS_END,
};
static const struct shape get_shape = {"Get", sizeof(struct get_input), get_fields};

static const struct field get_item_fields[] = {
    {NAMED("Get"), AT(struct transact_get_item, get), .type = FIELD_STRUCT, .flags = FIELD_REQUIRED,
     .shape = &get_shape},
    FIELDS_END,
};
static const struct shape transact_get_item_shape = {
    "TransactGetItem", sizeof(struct transact_get_item), get_item_fields};

static const struct field transact_get_items_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(transact_get_items_request),
    {NAMED("TransactItems"), AT(struct transact_get_items_request, transact_items),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_TRANSACTION_ACTIONS),
     .shape = &transact_get_item_shape},
    FIELDS_END,
};
static const struct shape transact_get_items_shape = {
    "TransactGetItemsInput", sizeof(struct transact_get_items_request), transact_get_items_fields};

struct get {
    const struct get_input *input;
    struct expressions expressions;
    struct table *table;       /* referenced once found */
    struct error *table_error; /* its table is not there */
};

struct transact_get {
    struct transact_reads reads;
    struct get *gets;
};

/* ---- validation ---- */

static struct error *check_request(struct op_call *call, struct get *get) {
    const struct get_input *input = get->input;
    struct expressions *expressions = &get->expressions;
    expressions->names = &input->expression_attribute_names;
    expressions_add(expressions, EXPR_PROJECTION, "ProjectionExpression",
                    input->projection_expression);
    if (input->key.fault_kind == VALUE_FAULT_ITEM_NAME)
        return input->key.fault;
    TRY(expressions_check_presence(call->arena, expressions));
    TRY(expressions_bind(call, expressions));
    return input->key.fault;
}

/* A key that is empty is an error at once; one that does not fit its table cancels later. */
static struct error *check_table(struct op_call *call, struct get *get,
                                 struct error **ret_refused) {
    struct table *table;
    if (call->context->catalog == NULL)
        return NULL; /* nobody will run this request */
    get->table_error = table_lookup(call, get->input->table_name, &table);
    if (get->table_error != NULL)
        return NULL;
    get->table = table_ref(table);
    TRY(expressions_check_key_paths(call->arena, &get->expressions, &table->definition));
    *ret_refused = key_check(call->arena, &table->definition.keys, get->input->key.value);
    return *ret_refused != NULL && cancellation_unfit(*ret_refused) ? *ret_refused : NULL;
}

static struct error *validate(struct op_call *call) {
    const struct transact_get_items_request *request = call->request;
    const struct transact_get_item *items = request->transact_items.items;
    struct transact_get *work = ARENA_NEW(call->arena, struct transact_get);
    struct transact_reads *reads = &work->reads;
    transact_reads_init(reads, call->arena, request->transact_items.count);
    work->gets = ARENA_ARRAY(call->arena, struct get, reads->count);
    call->work = work;
    for (size_t i = 0; i < reads->count; i++) {
        struct get *get = &work->gets[i];
        get->input = items[i].get;
        TRY(check_request(call, get));
        TRY(check_table(call, get, &reads->refused[i]));
        reads->keys[i] = (struct read_key){get->table, get->input->key.value};
        reads->table_names[i] = get->input->table_name;
    }
    return NULL;
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct transact_get *work = call->work;
    for (size_t i = 0; i < work->reads.count; i++) {
        const struct get_input *input = work->gets[i].input;
        struct permission permission;
        permission_init(&permission, call, "dynamodb:GetItem", input->table_name, SLICE_NONE);
        permission_add_select(&permission, SLICE_NONE, slice_present(input->projection_expression),
                              false);
        permission_add_action(check, &permission, input->key.value, &work->gets[i].expressions);
        TRY(check->ask(check, &permission));
    }
    return NULL;
}

/* ---- answering ---- */

static void write_responses(struct op_call *call, const struct transact_get *work,
                            struct json_writer *json) {
    member_array(json, "Responses");
    for (size_t i = 0; i < work->reads.count; i++) {
        struct value item = work->reads.items[i].item;
        struct projection projection = {
            expressions_get(&work->gets[i].expressions, EXPR_PROJECTION), NULL};
        json_object_begin(json);
        if (value_present(item))
            projection_write_member(&projection, call->arena, json, item);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_reply(struct op_call *call, const struct transact_get *work) {
    const struct transact_get_items_request *request = call->request;
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    write_responses(call, work, &json);
    consumed_write_list(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct transact_get *work = call->work;
    if (!call->elsewhere) {
        for (size_t i = 0; i < work->reads.count; i++)
            TRY(work->gets[i].table_error);
        TRY(transact_reads_check(call->arena, &work->reads));
        if (!transact_reads_few(&work->reads)) {
            *ret_state = OP_ELSEWHERE;
            return NULL;
        }
        if (call_fetches(call)) {
            *ret_state = OP_WAITING;
            return transact_reads_start(call, &work->reads);
        }
    }
    struct reader reader;
    TRY(reader_begin(call->context->engine, call->arena, READ_SNAPSHOT, &reader));
    struct error *error = transact_reads_get(call, &reader, &work->reads);
    if (error == NULL)
        write_reply(call, work);
    reader_end(&reader);
    *ret_state = OP_DONE;
    return error;
}

static struct error *finish(struct op_call *call) {
    struct transact_get *work = call->work;
    TRY(transact_reads_finish(call, &work->reads));
    write_reply(call, work);
    return NULL;
}

static void release(struct op_call *call) {
    struct transact_get *work = call->work;
    transact_reads_release(&work->reads);
    for (size_t i = 0; i < work->reads.count; i++) {
        expressions_release(&work->gets[i].expressions);
        table_unref(work->gets[i].table);
    }
}

const struct op op_transact_get_items = {
    .name = "TransactGetItems",
    .flags = OP_READS | OP_OLDER_LAYER,
    .input = &transact_get_items_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
