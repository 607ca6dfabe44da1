/* batch_get_item.c - BatchGetItem: up to 100 items of several tables; what does not fit into 16 MB,
 * or finds no capacity, is left to the caller.
 *
 * Items are read in rounds, so that what is held at once is bounded whatever the keys name. Where a
 * read takes a round trip, all items of a call that has few are one fetch. */
#include "engine/read.h"
#include "engine/throttled.h"
#include "json/member.h"
#include "model/capacity.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/permission/permission.h"
#include "ops/read/call_fetch.h"
#include "ops/read/projection.h"
#include "ops/request/expressions.h"
#include "ops/throttle/read_throttle.h"
#include "ops/throttle/throttled_call.h"

/* An entry of RequestItems. */
struct keys_and_attributes {
    struct slice table_name;             /* the map's key: a name or an ARN */
    struct field_list keys;              /* struct field_item */
    struct field_list attributes_to_get; /* struct slice */
    struct field_bool consistent_read;
    struct slice projection_expression;
    struct field_list expression_attribute_names; /* struct field_pair */
};

struct batch_get_item_request {
    struct field_list request_items; /* struct keys_and_attributes */
    struct slice return_consumed_capacity;
};

static const struct field keys_and_attributes_fields[] = {
    {NAMED("Keys"), AT(struct keys_and_attributes, keys), .type = FIELD_ITEM_LIST,
     .flags = FIELD_REQUIRED | FIELD_NEW_FORM, LENGTH(1, 100)},
    ATTRIBUTES_TO_GET_FIELD(keys_and_attributes),
    CONSISTENT_READ_FIELD(keys_and_attributes),
    EXPRESSION_FIELD(keys_and_attributes, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(keys_and_attributes),
    FIELDS_END,
};
static const struct shape keys_and_attributes_shape = {
    "KeysAndAttributes", sizeof(struct keys_and_attributes), keys_and_attributes_fields};

static const struct field batch_get_item_fields[] = {
    {NAMED("RequestItems"), AT(struct batch_get_item_request, request_items),
     .type = FIELD_STRUCT_MAP,
     .flags = FIELD_REQUIRED | FIELD_NEW_FORM | FIELD_TABLE_NAME_KEYS | FIELD_ECHO_JSON,
     .resource = RESOURCE_TABLE, LENGTH(1, 100), .shape = &keys_and_attributes_shape},
    RETURN_CONSUMED_CAPACITY_FIELD(batch_get_item_request),
    FIELDS_END,
};
static const struct shape batch_get_item_shape = {
    "BatchGetItemInput", sizeof(struct batch_get_item_request), batch_get_item_fields};

/* Keys read at once, and the most that is read on the I/O thread. */
enum { ROUND_KEYS = 25 };
/* Where a reply ends early: twice what 16 MB of ordinary items take. */
enum { REPLY_BYTES_ENOUGH = 32 * 1024 * 1024 };

struct batch_table {
    const struct keys_and_attributes *input;
    const struct field_item *keys;
    size_t key_count;
    size_t processed; /* keys that were read; the rest is unprocessed */
    struct expressions expressions;
    struct table *table; /* referenced once found */
    struct account_table *account;
};

struct batch_get {
    struct batch_table *tables;
    size_t table_count;
    size_t key_count;
    size_t processed; /* of all tables */
    uint64_t bytes;
    struct error *throttled;  /* why something is left to the caller; NULL: it was not throttled */
    struct call_fetch *fetch; /* of all keys, one table after another; NULL: they are read here */
};

/* ---- validation ---- */

/* The service looks at all tables together here. */
static struct error *check_mixing(struct op_call *call, const struct batch_get *batch) {
    bool attributes_to_get = false;
    struct expressions all = {0};
    struct slice projection = SLICE_NONE;
    for (size_t i = 0; i < batch->table_count; i++) {
        const struct keys_and_attributes *input = batch->tables[i].input;
        attributes_to_get = attributes_to_get || input->attributes_to_get.present;
        if (slice_present(input->projection_expression))
            projection = input->projection_expression;
    }
    expressions_add(&all, EXPR_PROJECTION, "ProjectionExpression", projection);
    const struct legacy_parameter legacy[] = {{"AttributesToGet", attributes_to_get}};
    return expressions_check_mixing(call->arena, &all, 1, legacy);
}

static struct error *check_keys(struct arena *arena, const struct batch_table *table) {
    for (size_t i = 0; i < table->key_count; i++)
        if (table->keys[i].fault != NULL)
            return table->keys[i].fault;
    for (size_t i = 0; i < table->key_count; i++)
        for (size_t before = 0; before < i; before++)
            if (value_equal(table->keys[before].value, table->keys[i].value))
                return error_validation(arena, "Provided list of item keys contains duplicates");
    return NULL;
}

static struct error *validate_table(struct op_call *call, struct batch_table *table) {
    const struct keys_and_attributes *input = table->input;
    struct expressions *expressions = &table->expressions;
    expressions->names = &input->expression_attribute_names;
    expressions_add(expressions, EXPR_PROJECTION, "ProjectionExpression",
                    input->projection_expression);
    TRY(expressions_check_presence(call->arena, expressions));
    TRY(projection_check_names(call->arena, &input->attributes_to_get));
    TRY(expressions_bind(call, expressions));
    return check_keys(call->arena, table);
}

static struct batch_get *batch_new(struct op_call *call) {
    const struct batch_get_item_request *request = call->request;
    const struct keys_and_attributes *inputs = request->request_items.items;
    struct batch_get *batch = ARENA_NEW(call->arena, struct batch_get);
    batch->table_count = request->request_items.count;
    batch->tables = ARENA_ARRAY(call->arena, struct batch_table, batch->table_count);
    for (size_t i = 0; i < batch->table_count; i++) {
        batch->tables[i].input = &inputs[i];
        batch->tables[i].keys = inputs[i].keys.items;
        batch->tables[i].key_count = inputs[i].keys.count;
        batch->key_count += inputs[i].keys.count;
    }
    call->work = batch;
    return batch;
}

static struct error *validate(struct op_call *call) {
    struct batch_get *batch = batch_new(call);
    TRY(check_mixing(call, batch));
    for (size_t i = 0; i < batch->table_count; i++)
        TRY(validate_table(call, &batch->tables[i]));
    if (batch->key_count > LIMIT_BATCH_GET_KEYS)
        return error_validation(call->arena, "Too many items requested for the BatchGetItem call");
    return NULL;
}

static struct error *ask_table(struct op_call *call, const struct permission_check *check,
                               const struct batch_table *table) {
    const struct keys_and_attributes *input = table->input;
    struct permission permission;
    permission_init(&permission, call, call->op->action, input->table_name, SLICE_NONE);
    permission_add_parameters(check, &permission);
    permission_add_select(
        &permission, SLICE_NONE,
        slice_present(input->projection_expression) || input->attributes_to_get.present, false);
    for (size_t i = 0; i < table->key_count; i++) {
        permission_add_key(check, &permission, table->keys[i].value);
        permission_add_item(check, &permission, table->keys[i].value);
    }
    permission_add_expressions(check, &permission, &table->expressions);
    permission_add_names(check, &permission, &input->attributes_to_get);
    return check->ask(check, &permission);
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct batch_get *batch = call->work;
    for (size_t i = 0; i < batch->table_count; i++)
        TRY(ask_table(call, check, &batch->tables[i]));
    return NULL;
}

/* ---- reading ---- */

static struct error *find_tables(struct op_call *call, struct batch_get *batch) {
    for (size_t i = 0; i < batch->table_count; i++) {
        struct table *table;
        TRY(table_lookup(call, batch->tables[i].input->table_name, &table));
        batch->tables[i].table = table_ref(table);
        batch->tables[i].account = account_table(call, batch->tables[i].input->table_name, table);
    }
    for (size_t i = 0; i < batch->table_count; i++) {
        struct batch_table *table = &batch->tables[i];
        const struct key_schema *keys = &table->table->definition.keys;
        for (size_t k = 0; k < table->key_count; k++)
            TRY(key_check(call->arena, keys, table->keys[k].value));
        TRY(expressions_check_key_paths(call->arena, &table->expressions,
                                        &table->table->definition));
    }
    return NULL;
}

/* Why the next key of the table cannot be read now; NULL: it can. The last ones of the batch are
 * left when a test wishes so. */
static struct error *refusal(struct op_call *call, const struct batch_get *batch,
                             const struct batch_table *table, struct read_ticket *ticket) {
    if (call->unprocessed > 0 && batch->processed + call->unprocessed >= batch->key_count)
        return throttled_call_part(call, table->table);
    if (!reads_are_throttled(call))
        return NULL;
    *ticket = read_ticket_of_item(call, table->table, table->keys[table->processed].value);
    return read_throttle_check(call, ticket, capacity_read(0, table->input->consistent_read.value));
}

/* Then the rest of the table's keys is left to the caller. */
static bool is_throttled(struct op_call *call, struct batch_get *batch,
                         const struct batch_table *table, struct read_ticket *ticket) {
    struct error *error = refusal(call, batch, table, ticket);
    if (error != NULL)
        batch->throttled = throttled_join(call->arena, batch->throttled, error);
    return error != NULL;
}

static struct projection projection_of(const struct batch_table *table) {
    return (struct projection){expressions_get(&table->expressions, EXPR_PROJECTION),
                               &table->input->attributes_to_get};
}

/* Writes the items of one round; stops where the reply is full, and at an item that is damaged,
 * whose place is returned. */
static size_t take_round(struct op_call *call, struct batch_get *batch, struct batch_table *table,
                         size_t count, const struct stored_item *items, struct json_writer *json) {
    const struct projection projection = projection_of(table);
    for (size_t i = 0; i < count; i++) {
        /* A number of two bytes may print a hundred digits, so what is written counts as well. */
        if (batch->bytes > 0 && (batch->bytes + items[i].size > LIMIT_BATCH_GET_BYTES ||
                                 call->reply->len > REPLY_BYTES_ENOUGH))
            return count;
        struct read_ticket ticket;
        if (is_throttled(call, batch, table, &ticket))
            return count;
        batch->bytes += items[i].size;
        batch->processed++;
        table->processed++;
        uint64_t halves =
            account_get(table->account, &items[i], table->input->consistent_read.value);
        if (reads_are_throttled(call))
            read_throttle_take(call, &ticket, halves);
        if (value_present(items[i].item) &&
            !projection_write(&projection, call->arena, json, items[i].item))
            return i;
    }
    return count;
}

/* The keys of this table come behind those of the others before it. */
static struct error *take_fetched(struct op_call *call, struct batch_get *batch,
                                  struct batch_table *table, size_t first,
                                  struct json_writer *json) {
    const struct projection projection = projection_of(table);
    struct reader *reader = &batch->fetch->reader;
    struct stored_item items[ROUND_KEYS];
    reader->unread = projection_is_whole(&projection);
    for (size_t i = 0; i < table->key_count; i++)
        TRY(call_fetch_take(batch->fetch, first + i, &items[i]));
    size_t damaged = take_round(call, batch, table, table->key_count, items, json);
    if (damaged == table->key_count)
        return NULL;
    return reader_damaged(reader, &batch->fetch->items.keys[first + damaged]);
}

static struct error *read_round(struct op_call *call, struct batch_get *batch,
                                struct batch_table *table, struct json_writer *json) {
    size_t left = table->key_count - table->processed;
    size_t count = left < ROUND_KEYS ? left : ROUND_KEYS;
    struct read_key keys[ROUND_KEYS];
    struct stored_item items[ROUND_KEYS];
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct read_key){table->table, table->keys[table->processed + i].value};
    struct reader reader;
    TRY(call_reader_begin(call, (struct call_read){READ_ONCE, table->input->consistent_read.value},
                          &reader));
    const struct projection projection = projection_of(table);
    reader.unread = projection_is_whole(&projection);
    struct error *error = reader_get_many(&reader, count, keys, items);
    size_t damaged = error == NULL ? take_round(call, batch, table, count, items, json) : count;
    if (damaged < count)
        error = reader_damaged(&reader, &keys[damaged]);
    reader_end(&reader);
    return error;
}

static struct error *read_rounds(struct op_call *call, struct batch_get *batch,
                                 struct batch_table *table, struct json_writer *json) {
    size_t before;
    do {
        before = table->processed;
        TRY(read_round(call, batch, table, json));
    } while (table->processed > before && table->processed < table->key_count);
    return NULL;
}

static struct error *write_tables(struct op_call *call, struct batch_get *batch,
                                  struct json_writer *json) {
    size_t first = 0;
    for (size_t i = 0; i < batch->table_count; i++) {
        struct batch_table *table = &batch->tables[i];
        json_name(json, table->input->table_name);
        json_array_begin(json);
        if (batch->fetch != NULL)
            TRY(take_fetched(call, batch, table, first, json));
        else
            TRY(read_rounds(call, batch, table, json));
        json_array_end(json);
        first += table->key_count;
    }
    return NULL;
}

/* ---- what is left to the caller ---- */

static void write_names(const struct field_list *names, struct json_writer *json) {
    const struct field_pair *pairs = names->items;
    member_object(json, "ExpressionAttributeNames");
    for (size_t i = 0; i < names->count; i++) {
        json_name(json, pairs[i].key);
        json_string(json, pairs[i].value);
    }
    json_object_end(json);
}

static void write_attributes_to_get(const struct field_list *names, struct json_writer *json) {
    const struct slice *list = names->items;
    member_array(json, "AttributesToGet");
    for (size_t i = 0; i < names->count; i++)
        json_string(json, list[i]);
    json_array_end(json);
}

static void write_unprocessed_table(const struct batch_table *table, struct json_writer *json) {
    const struct keys_and_attributes *input = table->input;
    json_name(json, input->table_name);
    json_object_begin(json);
    member_array(json, "Keys");
    for (size_t i = table->processed; i < table->key_count; i++)
        item_write_json(json, table->keys[i].value);
    json_array_end(json);
    if (input->consistent_read.present)
        member_bool(json, "ConsistentRead", input->consistent_read.value);
    if (slice_present(input->projection_expression)) {
        member_text(json, "ProjectionExpression", input->projection_expression);
    }
    if (input->expression_attribute_names.present)
        write_names(&input->expression_attribute_names, json);
    if (input->attributes_to_get.present)
        write_attributes_to_get(&input->attributes_to_get, json);
    json_object_end(json);
}

static void write_rest(struct op_call *call, const struct batch_get *batch,
                       struct json_writer *json) {
    const struct batch_get_item_request *request = call->request;
    member_object(json, "UnprocessedKeys");
    for (size_t i = 0; i < batch->table_count; i++)
        if (batch->tables[i].processed < batch->tables[i].key_count)
            write_unprocessed_table(&batch->tables[i], json);
    json_object_end(json);
    consumed_write_list(json, &call->account, request->return_consumed_capacity);
}

static struct error *read_and_reply(struct op_call *call) {
    struct batch_get *batch = call->work;
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_object(&json, "Responses");
    TRY(write_tables(call, batch, &json));
    json_object_end(&json);
    if (batch->processed == 0 && batch->throttled != NULL)
        return batch->throttled;
    write_rest(call, batch, &json);
    json_object_end(&json);
    return NULL;
}

static struct error *wait_for_items(struct op_call *call, struct batch_get *batch) {
    struct read_key *keys = ARENA_ARRAY(call->arena, struct read_key, batch->key_count);
    struct call_read read = {READ_ONCE, false};
    size_t count = 0;
    for (size_t i = 0; i < batch->table_count; i++) {
        read.consistent |= batch->tables[i].input->consistent_read.value; /* they go together */
        for (size_t k = 0; k < batch->tables[i].key_count; k++)
            keys[count++] =
                (struct read_key){batch->tables[i].table, batch->tables[i].keys[k].value};
    }
    return call_fetch_start(call, read, count, keys, &batch->fetch);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct batch_get *batch = call->work;
    if (!call->elsewhere) {
        TRY(find_tables(call, batch));
        if (batch->key_count > ROUND_KEYS) {
            *ret_state = OP_ELSEWHERE;
            return NULL;
        }
    }
    *ret_state = call_fetches(call) ? OP_WAITING : OP_DONE;
    return call_fetches(call) ? wait_for_items(call, batch) : read_and_reply(call);
}

static void release(struct op_call *call) {
    struct batch_get *batch = call->work;
    call_fetch_release(batch->fetch);
    for (size_t i = 0; i < batch->table_count; i++) {
        expressions_release(&batch->tables[i].expressions);
        table_unref(batch->tables[i].table);
    }
}

const struct op op_batch_get_item = {
    .name = "BatchGetItem",
    .action = "dynamodb:BatchGetItem",
    .flags = OP_READS,
    .input = &batch_get_item_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = read_and_reply,
    .release = release,
};
