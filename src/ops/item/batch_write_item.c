/* batch_write_item.c - BatchWriteItem: up to 25 puts and deletes over several tables, each on its
 * own. */
#include "engine/throttled.h"
#include "json/member.h"
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/item/collection_metrics.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/item/write_call.h"
#include "ops/permission/permission.h"
#include "ops/throttle/throttled_call.h"

struct put_request {
    struct field_item item;
};

struct delete_request {
    struct field_item key;
};

struct write_request {
    struct put_request *put_request;       /* NULL: absent */
    struct delete_request *delete_request; /* NULL: absent */
};

struct batch_write_item_request {
    struct field_list request_items; /* struct field_named_list: table name or ARN, lists of struct
                                        write_request */
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
};

static const struct field put_request_fields[] = {
    {NAMED("Item"), AT(struct put_request, item), .type = FIELD_ITEM, .flags = FIELD_REQUIRED},
    {NAMED("WorkloadProfileName"), .type = FIELD_PRINTED_ONLY},
    FIELDS_END,
};
static const struct shape put_request_shape = {"PutRequest", sizeof(struct put_request),
                                               put_request_fields};

static const struct field delete_request_fields[] = {
    KEY_FIELD(delete_request),
    {NAMED("WorkloadProfileName"), .type = FIELD_PRINTED_ONLY},
    FIELDS_END,
};
static const struct shape delete_request_shape = {"DeleteRequest", sizeof(struct delete_request),
                                                  delete_request_fields};

static const struct field write_request_fields[] = {
    {NAMED("PutRequest"), AT(struct write_request, put_request), .type = FIELD_STRUCT,
     .shape = &put_request_shape},
    {NAMED("DeleteRequest"), AT(struct write_request, delete_request), .type = FIELD_STRUCT,
     .shape = &delete_request_shape},
    FIELDS_END,
};
static const struct shape write_request_shape = {"WriteRequest", sizeof(struct write_request),
                                                 write_request_fields};

/* An empty RequestItems passes: validate has a text of its own for it. */
static const struct field batch_write_item_fields[] = {
    {NAMED("RequestItems"), AT(struct batch_write_item_request, request_items),
     .type = FIELD_STRUCT_LIST_MAP, .flags = FIELD_REQUIRED | FIELD_TABLE_NAME_KEYS, AT_MOST(25),
     .resource = RESOURCE_TABLE, ELEMENT_LENGTH(1, 25), .shape = &write_request_shape},
    {NAMED("ReturnConsumedCapacity"), AT(struct batch_write_item_request, return_consumed_capacity),
     .type = FIELD_STRING, .flags = FIELD_FIRST, .enum_text = "[INDEXES, TOTAL, NONE]"},
    {NAMED("ReturnItemCollectionMetrics"),
     AT(struct batch_write_item_request, return_item_collection_metrics), .type = FIELD_STRING,
     .flags = FIELD_FIRST, .enum_text = "[SIZE, NONE]"},
    FIELDS_END,
};
static const struct shape batch_write_item_shape = {
    "BatchWriteItemInput", sizeof(struct batch_write_item_request), batch_write_item_fields};

struct batch_write {
    struct write_call call;
    struct item_write *writes; /* in the order of the request */
    struct slice *table_names; /* of the writes, as the request gives them */
    size_t count;
};

/* ---- validation ---- */

static struct error *check_write(struct arena *arena, const struct write_request *request) {
    if ((request->put_request == NULL) == (request->delete_request == NULL))
        return error_validation(arena, "Supplied AttributeValue has more than one datatypes set, "
                                       "must contain exactly one of the supported datatypes");
    if (request->delete_request != NULL)
        return request->delete_request->key.fault;
    if (request->put_request->item.fault != NULL)
        return request->put_request->item.fault;
    if (item_size(request->put_request->item.value) > LIMIT_ITEM_BYTES)
        return item_error_too_large(arena);
    return NULL;
}

static struct error *validate(struct op_call *call) {
    const struct batch_write_item_request *request = call->request;
    const struct field_named_list *tables = request->request_items.items;
    struct batch_write *batch = ARENA_NEW(call->arena, struct batch_write);
    call->work = batch;
    if (request->request_items.count == 0)
        return error_validation(call->arena,
                                "The requestItems parameter is required for BatchWriteItem");
    size_t count = 0;
    for (size_t i = 0; i < request->request_items.count; i++)
        count += tables[i].list.count;
    if (count > LIMIT_BATCH_WRITE_REQUESTS)
        return error_validation(call->arena,
                                "Too many items requested for the BatchWriteItem call");
    for (size_t i = 0; i < request->request_items.count; i++) {
        const struct write_request *writes = tables[i].list.items;
        for (size_t k = 0; k < tables[i].list.count; k++)
            TRY(check_write(call->arena, &writes[k]));
    }
    batch->writes = ARENA_ARRAY(call->arena, struct item_write, count);
    batch->table_names = ARENA_ARRAY(call->arena, struct slice, count);
    return NULL;
}

static struct error *ask_table(struct op_call *call, const struct permission_check *check,
                               const struct field_named_list *table) {
    const struct write_request *writes = table->list.items;
    struct permission permission;
    permission_init(&permission, call, call->op->action, table->key, SLICE_NONE);
    permission_add_parameters(check, &permission);
    for (size_t i = 0; i < table->list.count; i++) {
        struct value attributes = writes[i].put_request != NULL
                                      ? writes[i].put_request->item.value
                                      : writes[i].delete_request->key.value;
        permission_add_key(check, &permission, attributes);
        permission_add_item(check, &permission, attributes);
    }
    return check->ask(check, &permission);
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct batch_write_item_request *request = call->request;
    const struct field_named_list *tables = request->request_items.items;
    for (size_t i = 0; i < request->request_items.count; i++)
        TRY(ask_table(call, check, &tables[i]));
    return NULL;
}

/* ---- running ---- */

static struct error *prepare_write(struct op_call *call, struct batch_write *batch,
                                   struct table *table, const struct write_request *request) {
    const struct key_schema *keys = &table->definition.keys;
    struct item_write *write = &batch->writes[batch->count++];
    write->table = table_ref(table);
    if (request->put_request != NULL) {
        write->kind = WRITE_PUT;
        write->item = request->put_request->item.value;
        TRY(key_check_batch_item(call->arena, keys, write->item));
        TRY(index_check_put(call->arena, &table->definition, write->item));
    } else {
        write->kind = WRITE_DELETE;
        write->key = request->delete_request->key.value;
        TRY(key_check(call->arena, keys, write->key));
    }
    item_write_prepare(call->context->engine, call->arena, write);
    return NULL;
}

static struct error *check_duplicates(struct arena *arena, const struct batch_write *batch) {
    for (size_t i = 0; i < batch->count; i++)
        for (size_t before = 0; before < i; before++)
            if (slice_equal(batch->writes[before].store_key, batch->writes[i].store_key))
                return error_validation(arena, "Provided list of item keys contains duplicates");
    return NULL;
}

/* All tables are looked up before any key is checked. */
static struct error *find_tables(struct op_call *call, struct table **tables) {
    const struct batch_write_item_request *request = call->request;
    const struct field_named_list *lists = request->request_items.items;
    for (size_t i = 0; i < request->request_items.count; i++)
        TRY(table_lookup(call, lists[i].key, &tables[i]));
    return NULL;
}

/* A write that found no capacity is left to the caller; all of them are an error. */
static struct error *check_outcome(struct op_call *call, const struct batch_write *batch) {
    struct error *throttled = NULL;
    bool all = true;
    for (size_t i = 0; i < batch->count; i++) {
        struct error *error = batch->writes[i].error;
        if (!error_is_throttled(error))
            TRY(error);
        if (error == NULL)
            all = false;
        else
            throttled = throttled_join(call->arena, throttled, error);
    }
    return all ? throttled : NULL;
}

/* The last ones, when a test wishes so. Returns how many are done. */
static size_t leave_unprocessed(struct op_call *call, struct batch_write *batch) {
    size_t count =
        batch->count - (call->unprocessed < batch->count ? call->unprocessed : batch->count);
    for (size_t i = count; i < batch->count; i++)
        batch->writes[i].error = throttled_call_part(call, batch->writes[i].table);
    return count;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct batch_write_item_request *request = call->request;
    const struct field_named_list *lists = request->request_items.items;
    struct batch_write *batch = call->work;
    struct table **tables = ARENA_ARRAY(call->arena, struct table *, request->request_items.count);
    TRY(find_tables(call, tables));
    for (size_t i = 0; i < request->request_items.count; i++) {
        const struct write_request *writes = lists[i].list.items;
        for (size_t k = 0; k < lists[i].list.count; k++) {
            batch->table_names[batch->count] = lists[i].key;
            TRY(prepare_write(call, batch, tables[i], &writes[k]));
        }
    }
    TRY(check_duplicates(call->arena, batch));
    size_t count = leave_unprocessed(call, batch);
    if (count == 0)
        return check_outcome(call, batch);
    batch->call = (struct write_call){
        .job = {.writes = batch->writes, .count = count, .batch = true},
        .table_names = batch->table_names,
    };
    write_call_submit(call, &batch->call);
    *ret_state = OP_WAITING;
    return NULL;
}

/* ---- answering ---- */

static void write_unprocessed(struct json_writer *json, const struct item_write *write) {
    bool put = write->kind == WRITE_PUT;
    json_object_begin(json);
    member_object(json, put ? "PutRequest" : "DeleteRequest");
    json_name(json, put ? SLICE_LITERAL("Item") : SLICE_LITERAL("Key"));
    item_write_json(json, put ? write->item : write->key);
    json_object_end(json);
    json_object_end(json);
}

/* The writes of a table stand together. */
static void write_all_unprocessed(struct json_writer *json, const struct batch_write *batch) {
    struct slice table = SLICE_NONE;
    member_object(json, "UnprocessedItems");
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->writes[i].error == NULL)
            continue;
        if (!slice_present(table) || !slice_equal(table, batch->table_names[i])) {
            if (slice_present(table))
                json_array_end(json);
            table = batch->table_names[i];
            json_name(json, table);
            json_array_begin(json);
        }
        write_unprocessed(json, &batch->writes[i]);
    }
    if (slice_present(table))
        json_array_end(json);
    json_object_end(json);
}

static struct error *finish(struct op_call *call) {
    const struct batch_write_item_request *request = call->request;
    const struct batch_write *batch = call->work;
    TRY(write_call_finish(call, &batch->call));
    TRY(check_outcome(call, batch));
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    write_all_unprocessed(&json, batch);
    collection_metrics_write_member(&json, request->return_item_collection_metrics, batch->count,
                                    batch->writes, batch->table_names);
    consumed_write_list(&json, &call->account, request->return_consumed_capacity);
    json_object_end(&json);
    return NULL;
}

static void release(struct op_call *call) {
    const struct batch_write *batch = call->work;
    for (size_t i = 0; i < batch->count; i++)
        table_unref(batch->writes[i].table);
}

const struct op op_batch_write_item = {
    .name = "BatchWriteItem",
    .action = "dynamodb:BatchWriteItem",
    .flags = OP_WRITES | OP_OLDER_LAYER | OP_SHARED,
    .input = &batch_write_item_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = release,
};
