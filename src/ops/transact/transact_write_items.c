/* transact_write_items.c - TransactWriteItems: up to 100 puts, updates, deletes and condition
 * checks, which happen all or not at all.
 *
 * Actions are looked at one after another, and the first problem is the answer: with the request,
 * and with keys that are empty, for which their tables are looked up already. Then come tables that
 * are not there and items that are named twice. Whatever else is wrong between an action and its
 * table is found before the engine is asked, but cancels the transaction as a failed condition
 * does, unless its token is known: such a write is handed on as refused. The service stops there,
 * so only the first of them has a reason, and no condition has one. */
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/item/collection_metrics.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/item/update_check.h"
#include "ops/permission/permission.h"
#include "ops/request/expressions.h"
#include "ops/transact/cancellation.h"
#include "ops/transact/transact_call.h"
#include "ops/transact/transact_fingerprint.h"

/* ---- the request ---- */

/* One action of any kind; each kind has some of the members. */
struct transact_action_input {
    struct field_item attributes; /* the Item of a Put, the Key of the others */
    struct slice table_name;
    struct slice update_expression;
    struct slice condition_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
    struct slice return_values_on_condition_check_failure;
};

/* NULL: absent. Exactly one should be there. */
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

#define ATTRIBUTES_FIELD(text)                                                             \
    {                                                                                      \
        NAMED(text), AT(struct transact_action_input, attributes), .type = FIELD_ITEM,     \
                                                                   .flags = FIELD_REQUIRED \
    }
#define REQUIRED_EXPRESSION_FIELD(member, text)                                        \
    {                                                                                  \
        NAMED(text), AT(struct transact_action_input, member), .type = FIELD_STRING,   \
                                                               .flags = FIELD_REQUIRED \
    }
#define CONDITION_FIELD \
    EXPRESSION_FIELD(transact_action_input, condition_expression, "ConditionExpression")
/* What the four kinds of writes end with. */
#define PLACEHOLDER_FIELDS                                        \
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(transact_action_input),      \
        EXPRESSION_ATTRIBUTE_VALUES_FIELD(transact_action_input), \
        RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(transact_action_input)
#define ACTION_SHAPE(name, fields) \
    { name, sizeof(struct transact_action_input), fields }

static const struct field condition_check_fields[] = {
    ATTRIBUTES_FIELD("Key"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    REQUIRED_EXPRESSION_FIELD(condition_expression, "ConditionExpression"),
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape condition_check_shape =
    ACTION_SHAPE("ConditionCheck", condition_check_fields);

static const struct field put_fields[] = {
    ATTRIBUTES_FIELD("Item"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    CONDITION_FIELD,
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape put_shape = ACTION_SHAPE("Put", put_fields);

static const struct field delete_fields[] = {
    ATTRIBUTES_FIELD("Key"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    CONDITION_FIELD,
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape delete_shape = ACTION_SHAPE("Delete", delete_fields);

static const struct field update_fields[] = {
    ATTRIBUTES_FIELD("Key"),
    REQUIRED_EXPRESSION_FIELD(update_expression, "UpdateExpression"),
    TABLE_NAME_FIELD_OLDER(transact_action_input),
    CONDITION_FIELD,
    PLACEHOLDER_FIELDS,
    FIELDS_END,
};
static const struct shape update_shape = ACTION_SHAPE("Update", update_fields);

#define ACTION_FIELD(request, member, text, of) \
    { NAMED(text), AT(struct request, member), .type = FIELD_STRUCT, .shape = &(of) }

static const struct field write_item_fields[] = {
    ACTION_FIELD(transact_write_item, condition_check, "ConditionCheck", condition_check_shape),
    ACTION_FIELD(transact_write_item, put, "Put", put_shape),
    ACTION_FIELD(transact_write_item, delete, "Delete", delete_shape),
    ACTION_FIELD(transact_write_item, update, "Update", update_shape),
    FIELDS_END,
};
static const struct shape write_item_shape = {
    "TransactWriteItem", sizeof(struct transact_write_item), write_item_fields};

static const struct field transact_write_items_fields[] = {
    {NAMED("ClientRequestToken"), AT(struct transact_write_items_request, client_request_token),
     .type = FIELD_STRING, LENGTH(1, LIMIT_REQUEST_TOKEN_CHARS)},
    RETURN_CONSUMED_CAPACITY_FIELD(transact_write_items_request),
    RETURN_ITEM_COLLECTION_METRICS_FIELD(transact_write_items_request),
    {NAMED("TransactItems"), AT(struct transact_write_items_request, transact_items),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_TRANSACTION_ACTIONS),
     .shape = &write_item_shape},
    FIELDS_END,
};
static const struct shape transact_write_items_shape = {"TransactWriteItemsInput",
                                                        sizeof(struct transact_write_items_request),
                                                        transact_write_items_fields};

/* ---- its state ---- */

struct transact_action {
    const struct transact_action_input *input;
    struct expressions expressions;
    struct error *table_error; /* its table is not there */
};

struct transact_write {
    struct transact_call transact;
    struct transact_action *actions;
};

/* ---- its size ---- */

static size_t action_bytes(const struct transact_action_input *input) {
    if (input == NULL)
        return 0;
    const struct field_pair *names = input->expression_attribute_names.items;
    const struct field_value *values = input->expression_attribute_values.items;
    size_t bytes = item_size(input->attributes.value) + input->update_expression.len +
                   input->condition_expression.len;
    for (size_t i = 0; i < input->expression_attribute_names.count; i++)
        bytes += names[i].value.len;
    for (size_t i = 0; i < input->expression_attribute_values.count; i++)
        bytes += value_size(values[i].value);
    return bytes;
}

/* What is counted is never more than its JSON, so most requests need no counting. */
static struct error *check_payload(struct arena *arena, const struct field_list *actions) {
    const struct transact_write_item *items = actions->items;
    uint64_t bytes = 0;
    if (actions->json.len <= LIMIT_TRANSACTION_BYTES)
        return NULL;
    for (size_t i = 0; i < actions->count; i++) {
        bytes += action_bytes(items[i].condition_check) + action_bytes(items[i].put) +
                 action_bytes(items[i].delete) + action_bytes(items[i].update);
        TRY(transaction_check_bytes(arena, bytes));
    }
    return NULL;
}

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
    if (input->attributes.fault_kind == VALUE_FAULT_ITEM_NAME)
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
    *(write->kind == WRITE_PUT ? &write->item : &write->key) = attributes;
    write->condition = expressions_get(&action->expressions, EXPR_CONDITION);
    write->update = expressions_get(&action->expressions, EXPR_UPDATE);
    find_table(call, action, write);
    struct error *refused = write->table == NULL ? NULL : check_table(call->arena, action, write);
    if (refused != NULL && cancellation_unfit(refused))
        return refused;
    if (write->kind == WRITE_PUT && item_size(attributes) > LIMIT_ITEM_BYTES)
        return item_error_too_large(call->arena);
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
    transact->refusal_alone = true;
    work->actions = ARENA_ARRAY(call->arena, struct transact_action, transact->count);
    call->work = work;
    TRY(check_payload(call->arena, &request->transact_items));
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
        permission_add(&permission, POLICY_KEY_RETURN_VALUES, SLICE_LITERAL("NONE"));
        permission_add_action(check, &permission, action->input->attributes.value,
                              &action->expressions);
        TRY(permission_ask_write(check, &permission,
                                 action->input->return_values_on_condition_check_failure));
    }
    return NULL;
}

static void add_action(struct transact_fingerprint *fingerprint, uint8_t kind,
                       const struct transact_action_input *input) {
    if (input == NULL)
        return;
    transact_fingerprint_add_byte(fingerprint, kind);
    transact_fingerprint_add(fingerprint, input->table_name);
    transact_fingerprint_add(fingerprint, value_slice(input->attributes.value));
    transact_fingerprint_add(fingerprint, input->update_expression);
    transact_fingerprint_add(fingerprint, input->condition_expression);
    transact_fingerprint_add(fingerprint, input->return_values_on_condition_check_failure);
    transact_fingerprint_add_names(fingerprint, &input->expression_attribute_names);
    transact_fingerprint_add_values(fingerprint, &input->expression_attribute_values);
}

static void take_fingerprint(struct op_call *call, uint8_t ret_fingerprint[16]) {
    const struct transact_write_items_request *request = call->request;
    const struct transact_write_item *items = request->transact_items.items;
    struct transact_fingerprint fingerprint;
    transact_fingerprint_begin(&fingerprint, call);
    transact_fingerprint_add(&fingerprint, request->return_item_collection_metrics);
    for (size_t i = 0; i < request->transact_items.count; i++) {
        add_action(&fingerprint, 'C', items[i].condition_check);
        add_action(&fingerprint, 'P', items[i].put);
        add_action(&fingerprint, 'D', items[i].delete);
        add_action(&fingerprint, 'U', items[i].update);
    }
    transact_fingerprint_end(&fingerprint, ret_fingerprint);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct transact_write_items_request *request = call->request;
    struct transact_write *work = call->work;
    for (size_t i = 0; i < work->transact.count; i++)
        TRY(work->actions[i].table_error);
    struct write_transaction *transaction = &work->transact.transaction;
    transaction->token = request->client_request_token;
    if (slice_present(transaction->token))
        take_fingerprint(call, transaction->fingerprint);
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
    .flags = OP_WRITES | OP_OLDER_LAYER | OP_TOKEN,
    .input = &transact_write_items_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
