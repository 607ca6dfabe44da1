/* transact_write_items.c - TransactWriteItems: up to 100 puts, updates, deletes and condition
 * checks, which happen all or not at all.
 *
 * Actions are looked at one after another, and the first problem is the answer: with the request,
 * and with keys that are empty, for which their tables are looked up already. Then come tables that
 * are not there and items that are named twice. Whatever else is wrong between an action and its
 * table is found before the engine is asked, but cancels the transaction as a failed condition
 * does, with one reason for each action: such a write is handed on as refused. */
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/item/collection_metrics.h"
#include "ops/item/table_lookup.h"
#include "ops/item/update_check.h"
#include "ops/permission/permission.h"
#include "ops/request/expressions.h"
#include "ops/transact/cancellation.h"
#include "ops/transact/transact_call.h"
#include "ops/transact/transact_fingerprint.h"

struct transact_action {
    const struct transact_action_input *input;
    struct expressions expressions;
    struct error *table_error; /* its table is not there */
};

struct transact_write {
    struct transact_call transact;
    struct transact_action *actions;
};

/* ---- one action ---- */

/* Which of the four it is. */
static struct error *find_kind(struct arena *arena, const struct transact_write_item *item,
                               const struct transact_action_input **ret_input,
                               enum write_kind *ret_kind) {
    const struct {
        const struct transact_action_input *input;
        enum write_kind kind;
    } members[] = {{item->condition_check, WRITE_CHECK},
                   {item->put, WRITE_PUT},
                   {item->delete, WRITE_DELETE},
                   {item->update, WRITE_UPDATE}};
    *ret_input = NULL;
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
        if (members[i].input == NULL)
            continue;
        if (*ret_input != NULL)
            return error_validation(
                arena, "TransactItems can only contain one of Check, Put, Update or Delete");
        *ret_input = members[i].input;
        *ret_kind = members[i].kind;
    }
    if (*ret_input == NULL)
        return error_validation(arena, "Invalid Request: TransactWriteRequest should contain "
                                       "Delete or Put or Update request");
    return NULL;
}

/* What is wrong with the action whatever its table looks like. */
static struct error *check_request(struct op_call *call, struct transact_action *action) {
    const struct transact_action_input *input = action->input;
    struct expressions *expressions = &action->expressions;
    expressions->names = &input->expression_attribute_names;
    expressions->values = &input->expression_attribute_values;
    expressions->values_alone_suffix = ": ConditionExpression is null";
    expressions->values_last = true;
    expressions_add(expressions, EXPR_UPDATE, "UpdateExpression", input->update_expression);
    expressions_add(expressions, EXPR_CONDITION, "ConditionExpression",
                    input->condition_expression);
    if (input->attributes.fault_kind == VALUE_FAULT_NAME)
        return input->attributes.fault;
    TRY(expressions_check_presence(call->arena, expressions));
    TRY(expressions_bind(call, expressions));
    return input->attributes.fault;
}

/* What is wrong between the action and its table. */
static struct error *check_table(struct arena *arena, const struct transact_action *action,
                                 const struct item_write *write) {
    const struct table_definition *table = &write->table->definition;
    if (write->kind == WRITE_PUT) {
        TRY(key_check_item(arena, &table->keys, write->item));
        TRY(index_check_put(arena, table, write->item));
    } else {
        TRY(key_check(arena, &table->keys, write->key));
        TRY(update_check(arena, write->update, table));
    }
    return expressions_check_key_paths(arena, &action->expressions, table);
}

/* A :value that is too deep for an item: an update that has it is refused as its result would be;
 * elsewhere it is an error of the request. */
static struct error *check_depth(struct op_call *call, const struct transact_action *action,
                                 struct item_write *write) {
    const struct field_value *deep = expressions_deep_value(&action->expressions);
    if (deep == NULL)
        return NULL;
    if (write->kind != WRITE_UPDATE)
        return expressions_value_error(call, deep);
    write->refused = deep->fault;
    return NULL;
}

static void find_table(struct op_call *call, struct transact_action *action,
                       struct item_write *write) {
    struct table *table;
    if (call->context->catalog == NULL)
        return; /* nobody will run this request */
    action->table_error = table_lookup(call, action->input->table_name, &table);
    if (action->table_error == NULL)
        write->table = table_ref(table);
}

static struct error *check_action(struct op_call *call, struct transact_action *action,
                                  struct item_write *write) {
    struct value attributes = action->input->attributes.value;
    TRY(check_request(call, action));
    TRY(check_depth(call, action, write));
    *(write->kind == WRITE_PUT ? &write->item : &write->key) = attributes;
    write->condition = expressions_get(&action->expressions, EXPR_CONDITION);
    write->update = expressions_get(&action->expressions, EXPR_UPDATE);
    find_table(call, action, write);
    struct error *refused = write->table == NULL ? NULL : check_table(call->arena, action, write);
    if (refused != NULL && cancellation_unfit(refused))
        return refused;
    if (write->kind == WRITE_PUT && item_size(attributes) > LIMIT_ITEM_BYTES)
        return error_validation(call->arena, "Item size has exceeded the maximum allowed size");
    if (refused != NULL)
        write->refused = refused;
    return NULL;
}

/* ---- the call ---- */

static struct error *validate(struct op_call *call) {
    const struct transact_write_items_request *request = call->request;
    const struct transact_write_item *items = request->transact_items.items;
    struct transact_write *work = ARENA_NEW(call->arena, struct transact_write);
    struct transact_call *transact = &work->transact;
    transact_call_init(transact, call->arena, request->transact_items.count);
    work->actions = ARENA_ARRAY(call->arena, struct transact_action, transact->count);
    call->work = work;
    for (size_t i = 0; i < transact->count; i++) {
        struct transact_action *action = &work->actions[i];
        struct item_write *write = &transact->writes[i];
        TRY(find_kind(call->arena, &items[i], &action->input, &write->kind));
        transact->table_names[i] = action->input->table_name;
        write->old_on_failure =
            slice_is(action->input->return_values_on_condition_check_failure, "ALL_OLD");
        TRY(check_action(call, action, write));
    }
    return NULL;
}

static const char *action_of(enum write_kind kind) {
    return kind == WRITE_PUT      ? "dynamodb:PutItem"
           : kind == WRITE_UPDATE ? "dynamodb:UpdateItem"
           : kind == WRITE_DELETE ? "dynamodb:DeleteItem"
                                  : "dynamodb:ConditionCheckItem";
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct transact_write *work = call->work;
    for (size_t i = 0; i < work->transact.count; i++) {
        const struct transact_action *action = &work->actions[i];
        struct permission permission;
        permission_init(&permission, call, action_of(work->transact.writes[i].kind),
                        action->input->table_name, SLICE_NONE);
        permission_add(&permission, PERMISSION_RETURN_VALUES, SLICE_LITERAL("NONE"));
        TRY(permission_ask_action(check, &permission, action->input, &action->expressions));
    }
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct transact_write_items_request *request = call->request;
    struct transact_write *work = call->work;
    for (size_t i = 0; i < work->transact.count; i++)
        TRY(work->actions[i].table_error);
    struct write_transaction *transaction = &work->transact.transaction;
    transaction->token = request->client_request_token;
    if (slice_present(transaction->token))
        transact_fingerprint(call, request, transaction->fingerprint);
    TRY(transact_call_submit(call, &work->transact));
    *ret_state = OP_WAITING;
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct transact_write_items_request *request = call->request;
    const struct transact_call *transact = &((const struct transact_write *)call->work)->transact;
    TRY(transact_call_finish(call, transact));
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    if (!transact->transaction.replayed)
        collection_metrics_write_member(&json, request->return_item_collection_metrics,
                                        transact->count, transact->writes, transact->table_names);
    consumed_write_list(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
    return NULL;
}

static void release(struct op_call *call) {
    struct transact_write *work = call->work;
    for (size_t i = 0; i < work->transact.count; i++)
        expressions_release(&work->actions[i].expressions);
    transact_call_release(&work->transact);
}

const struct op op_transact_write_items = {
    .name = "TransactWriteItems",
    .flags = OP_WRITES | OP_OLDER_LAYER,
    .input = &transact_write_items_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
