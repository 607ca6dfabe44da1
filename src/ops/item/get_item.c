/* get_item.c - GetItem: one item by its key, on the I/O thread, which does not wait for it where
 * that takes a round trip. */
#include "engine/read.h"
#include "model/capacity.h"
#include "model/key.h"
#include "ops/account/consumed.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/permission/permission.h"
#include "ops/read/call_fetch.h"
#include "ops/read/projection.h"
#include "ops/request/expressions.h"
#include "ops/throttle/read_throttle.h"

struct get_item_request {
    struct slice table_name;
    struct field_item key;
    struct field_list attributes_to_get; /* struct slice */
    struct field_bool consistent_read;
    struct slice return_consumed_capacity;
    struct slice projection_expression;
    struct field_list expression_attribute_names; /* struct field_pair */
};

static const struct field get_item_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(get_item_request),
    TABLE_NAME_FIELD(get_item_request),
    KEY_FIELD(get_item_request),
    ATTRIBUTES_TO_GET_FIELD(get_item_request),
    CONSISTENT_READ_FIELD(get_item_request),
    EXPRESSION_FIELD(get_item_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(get_item_request),
    FIELDS_END,
};
static const struct shape get_item_shape = {"GetItemInput", sizeof(struct get_item_request),
                                            get_item_fields};

/* What is kept while the item is on its way. */
struct waiting {
    struct table *table; /* referenced */
    struct read_key key;
    struct read_ticket ticket; /* where reads are throttled */
    struct call_fetch *fetch;
};

struct get_item {
    struct expressions expressions;
    struct waiting *waiting; /* NULL: it does not wait */
};

static struct error *validate(struct op_call *call) {
    const struct get_item_request *request = call->request;
    struct get_item *work = ARENA_NEW(call->arena, struct get_item);
    struct expressions *expressions = &work->expressions;
    call->work = work;
    expressions->names = &request->expression_attribute_names;
    expressions_add(expressions, EXPR_PROJECTION, "ProjectionExpression",
                    request->projection_expression);
    const struct legacy_parameter legacy[] = {
        {"AttributesToGet", request->attributes_to_get.present},
    };
    TRY(expressions_check_mixing(call->arena, expressions, 1, legacy));
    TRY(expressions_check_presence(call->arena, expressions));
    if (request->key.fault != NULL)
        return request->key.fault;
    TRY(projection_check_names(call->arena, &request->attributes_to_get));
    return expressions_bind(call, expressions);
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct get_item_request *request = call->request;
    struct permission permission;
    permission_init(&permission, call, call->op->action, request->table_name, SLICE_NONE);
    permission_add_parameters(check, &permission);
    permission_add_select(
        &permission, SLICE_NONE,
        slice_present(request->projection_expression) || request->attributes_to_get.present, false);
    permission_add_key(check, &permission, request->key.value);
    permission_add_item(check, &permission, request->key.value);
    permission_add_expressions(check, &permission, call->work);
    permission_add_names(check, &permission, &request->attributes_to_get);
    return check->ask(check, &permission);
}

/* False when the item is damaged. */
static bool write_reply(struct op_call *call, const struct projection *projection,
                        const struct stored_item *item) {
    const struct get_item_request *request = call->request;
    struct json_writer json;
    bool sound = true;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    if (value_present(item->item)) {
        JSON_NAME_LITERAL(&json, "Item");
        sound = projection_write(projection, call->arena, &json, item->item);
    }
    consumed_write(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
    return sound;
}

static struct projection projection_of(const struct op_call *call) {
    const struct get_item_request *request = call->request;
    return (struct projection){expressions_get(call->work, EXPR_PROJECTION),
                               &request->attributes_to_get};
}

static struct error *reply_with(struct op_call *call, const struct read_key *key,
                                struct reader *reader, const struct read_ticket *ticket,
                                const struct stored_item *item) {
    const struct get_item_request *request = call->request;
    const struct projection projection = projection_of(call);
    uint64_t halves = account_get(account_table(call, request->table_name, key->table), item,
                                  request->consistent_read.value);
    if (reads_are_throttled(call))
        read_throttle_take(call, ticket, halves);
    return write_reply(call, &projection, item) ? NULL : reader_damaged(reader, key);
}

static struct error *read_and_reply(struct op_call *call, const struct read_key *key,
                                    struct reader *reader, const struct read_ticket *ticket) {
    const struct projection projection = projection_of(call);
    struct stored_item item;
    reader->unread = projection_is_whole(&projection);
    TRY(reader_get_many(reader, 1, key, &item));
    return reply_with(call, key, reader, ticket, &item);
}

/* ---- where it takes a round trip ---- */

static struct error *wait_for_item(struct op_call *call, struct table *table,
                                   const struct read_ticket *ticket, enum op_state *ret_state) {
    const struct get_item_request *request = call->request;
    struct waiting *waiting = ARENA_NEW(call->arena, struct waiting);
    ((struct get_item *)call->work)->waiting = waiting;
    waiting->table = table_ref(table);
    waiting->key = (struct read_key){table, request->key.value};
    if (reads_are_throttled(call))
        waiting->ticket = *ticket;
    *ret_state = OP_WAITING;
    return call_fetch_start(call, (struct call_read){READ_ONCE, request->consistent_read.value}, 1,
                            &waiting->key, &waiting->fetch);
}

static struct error *finish(struct op_call *call) {
    struct waiting *waiting = ((struct get_item *)call->work)->waiting;
    const struct projection projection = projection_of(call);
    struct reader *reader = &waiting->fetch->reader;
    struct stored_item item;
    reader->unread = projection_is_whole(&projection);
    TRY(call_fetch_take(waiting->fetch, 0, &item));
    return reply_with(call, &waiting->key, reader, &waiting->ticket, &item);
}

/* ---- the call ---- */

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct get_item_request *request = call->request;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    TRY(key_check(call->arena, &table->definition.keys, request->key.value));
    TRY(expressions_check_key_paths(call->arena, call->work, &table->definition));
    struct read_ticket ticket;
    if (reads_are_throttled(call)) {
        ticket = read_ticket_of_item(call, table, request->key.value);
        TRY(read_throttle_check(call, &ticket, capacity_read(0, request->consistent_read.value)));
    }
    if (call_fetches(call))
        return wait_for_item(call, table, &ticket, ret_state);
    const struct read_key key = {table, request->key.value};
    struct reader reader;
    TRY(call_reader_begin(call, (struct call_read){READ_ONCE, request->consistent_read.value},
                          &reader));
    struct error *error = read_and_reply(call, &key, &reader, &ticket);
    reader_end(&reader);
    *ret_state = OP_DONE;
    return error;
}

static void release(struct op_call *call) {
    struct get_item *work = call->work;
    if (work->waiting != NULL) {
        call_fetch_release(work->waiting->fetch);
        table_unref(work->waiting->table);
    }
    expressions_release(&work->expressions);
}

const struct op op_get_item = {
    .name = "GetItem",
    .action = "dynamodb:GetItem",
    .flags = OP_READS,
    .input = &get_item_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
