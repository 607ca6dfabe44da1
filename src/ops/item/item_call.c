/* item_call.c - submitting one write and answering it. */
#include "ops/item/item_call.h"

#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/item/collection_metrics.h"
#include "ops/permission/permission.h"

struct item_call *item_call_new(struct op_call *call, enum write_kind kind,
                                const struct item_call_input *input) {
    struct item_call *item = ARENA_NEW(call->arena, struct item_call);
    item->expressions.names = input->names;
    item->expressions.values = input->values;
    item->table_name = input->table_name;
    item->attributes = input->attributes;
    item->return_values = input->return_values;
    item->return_consumed_capacity = input->return_consumed_capacity;
    item->return_item_collection_metrics = input->return_item_collection_metrics;
    item->write.kind = kind;
    item->write.old_on_failure =
        slice_is(input->return_values_on_condition_check_failure, "ALL_OLD");
    item->write.keep_old =
        slice_is(input->return_values, "ALL_OLD") || slice_is(input->return_values, "UPDATED_OLD");
    item->write.keep_new =
        slice_is(input->return_values, "ALL_NEW") || slice_is(input->return_values, "UPDATED_NEW");
    call->work = item;
    return item;
}

static struct error *check_return_values(struct op_call *call, const struct item_call *item) {
    struct slice wanted = item->return_values;
    if (slice_present(wanted) && !slice_is(wanted, "ALL_OLD") && !slice_is(wanted, "NONE"))
        return error_request(call->arena, "ReturnValues can only be ALL_OLD or NONE");
    return NULL;
}

struct error *item_call_check(struct op_call *call, const struct field_item *attributes) {
    const struct item_call *item = call->work;
    if (call->layer == VALUE_LAYER_OLDER)
        TRY(check_return_values(call, item));
    if (attributes->fault != NULL)
        return attributes->fault;
    return check_return_values(call, item);
}

struct error *item_call_authorize(struct op_call *call, const struct permission_check *check) {
    const struct item_call *item = call->work;
    struct permission permission;
    permission_init(&permission, call, call->op->action, item->table_name, SLICE_NONE);
    permission_add_parameters(check, &permission);
    permission_add_key(check, &permission, item->attributes);
    permission_add_item(check, &permission, item->attributes);
    permission_add_expressions(check, &permission, &item->expressions);
    return check->ask(check, &permission);
}

void item_call_submit(struct op_call *call, struct table *table) {
    struct item_call *item = call->work;
    struct item_write *write = &item->write;
    write->table = table_ref(table);
    write->condition = expressions_get(&item->expressions, EXPR_CONDITION);
    write->update = expressions_get(&item->expressions, EXPR_UPDATE);
    item_write_prepare(call->context->engine, call->arena, write);
    item->writes.job.writes = write;
    item->writes.job.count = 1;
    item->writes.table_names = &item->table_name;
    write_call_submit(call, &item->writes);
}

/* "Attributes": the paths that the update touched. Omitted when there are none. */
static void write_touched(struct op_call *call, struct json_writer *json, struct value item) {
    const struct item_call *work = call->work;
    struct buffer bytes;
    buffer_init(&bytes, 2 * LIMIT_BODY_BYTES);
    struct value_builder builder;
    value_builder_init(&builder, &bytes, call->arena);
    expr_update_touched(work->write.update, item, &builder);
    struct value touched = value_from_slice(buffer_slice(&bytes));
    if (value_count(touched) > 0) {
        JSON_NAME_LITERAL(json, "Attributes");
        item_write_json(json, touched);
    }
    buffer_release(&bytes);
}

static void write_attributes(struct op_call *call, struct json_writer *json) {
    const struct item_call *item = call->work;
    struct value shown = item->write.keep_old ? item->write.old_item : item->write.new_item;
    if (!value_present(shown))
        return;
    if (slice_is(item->return_values, "ALL_OLD") || slice_is(item->return_values, "ALL_NEW")) {
        JSON_NAME_LITERAL(json, "Attributes");
        item_write_json(json, shown);
    } else if (item->write.update != NULL) {
        write_touched(call, json, shown);
    }
}

struct error *item_call_finish(struct op_call *call) {
    struct item_call *item = call->work;
    TRY(write_call_finish(call, &item->writes));
    TRY(item->write.error);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    write_attributes(call, &json);
    consumed_write(&json, &call->account, item->return_consumed_capacity);
    if (collection_metrics_wanted(item->return_item_collection_metrics, item->write.table)) {
        JSON_NAME_LITERAL(&json, "ItemCollectionMetrics");
        collection_metrics_write(&json, &item->write);
    }
    json_object_end(&json);
    return NULL;
}

void item_call_release(struct op_call *call) {
    struct item_call *item = call->work;
    expressions_release(&item->expressions);
    table_unref(item->write.table);
}
