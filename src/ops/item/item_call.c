/* item_call.c - submitting one write and answering it. */
#include "ops/item/item_call.h"

#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/item/collection_metrics.h"
#include "ops/legacy/legacy.h"
#include "ops/permission/permission.h"

static struct error *check_members(struct op_call *call, const struct item_call *item,
                                   const struct item_call_update *update) {
    const struct item_request *request = item->request;
    const struct legacy_parameter legacy[] = {
        {"AttributeUpdates", update != NULL && update->attribute_updates},
        {"Expected", request->expected.present},
        {"ConditionalOperator", slice_present(request->conditional_operator)},
    };
    TRY(expressions_check_mixing(call->arena, &item->expressions, 3, legacy));
    return expressions_check_presence(call->arena, &item->expressions);
}

struct error *item_call_new(struct op_call *call, enum write_kind kind,
                            const struct item_call_update *update) {
    const struct item_request *request = call->request;
    struct item_call *item = ARENA_NEW(call->arena, struct item_call);
    struct slice shown = request->return_values;
    call->work = item;
    item->request = request;
    item->write.kind = kind;
    item->write.old_on_failure =
        slice_is(request->return_values_on_condition_check_failure, "ALL_OLD");
    item->write.keep_old = slice_is(shown, "ALL_OLD") || slice_is(shown, "UPDATED_OLD");
    item->write.keep_new = slice_is(shown, "ALL_NEW") || slice_is(shown, "UPDATED_NEW");
    item->expressions.names = &request->expression_attribute_names;
    item->expressions.values = &request->expression_attribute_values;
    if (update != NULL)
        expressions_add(&item->expressions, EXPR_UPDATE, "UpdateExpression", update->expression);
    expressions_add(&item->expressions, EXPR_CONDITION, "ConditionExpression",
                    request->condition_expression);
    return check_members(call, item, update);
}

static struct error *check_return_values(struct op_call *call, struct slice wanted) {
    if (slice_present(wanted) && !slice_is(wanted, "ALL_OLD") && !slice_is(wanted, "NONE"))
        return error_request(call->arena, "ReturnValues can only be ALL_OLD or NONE");
    return NULL;
}

struct error *item_call_check(struct op_call *call) {
    const struct item_request *request = call->request;
    if (call->layer == VALUE_LAYER_OLDER)
        TRY(check_return_values(call, request->return_values));
    if (request->attributes.fault != NULL)
        return request->attributes.fault;
    return check_return_values(call, request->return_values);
}

struct error *item_call_bind(struct op_call *call) {
    struct item_call *item = call->work;
    const struct item_request *request = item->request;
    TRY(legacy_bind_expected(call, &item->expressions, &request->expected,
                             request->conditional_operator));
    return expressions_bind(call, &item->expressions);
}

struct error *item_call_authorize(struct op_call *call, const struct permission_check *check) {
    const struct item_call *item = call->work;
    struct permission permission;
    struct value attributes = item->request->attributes.value;
    permission_init(&permission, call, call->op->action, item->request->table_name, SLICE_NONE);
    permission_add_parameters(check, &permission);
    permission_add_key(check, &permission, attributes);
    permission_add_item(check, &permission, attributes);
    permission_add_expressions(check, &permission, &item->expressions);
    return permission_ask_write(check, &permission,
                                item->request->return_values_on_condition_check_failure);
}

struct error *item_call_submit(struct op_call *call, struct table *table,
                               enum op_state *ret_state) {
    struct item_call *item = call->work;
    struct item_write *write = &item->write;
    TRY(expressions_check_key_paths(call->arena, &item->expressions, &table->definition));
    *(write->kind == WRITE_PUT ? &write->item : &write->key) = item->request->attributes.value;
    write->table = table_ref(table);
    write->condition = expressions_get(&item->expressions, EXPR_CONDITION);
    write->update = expressions_get(&item->expressions, EXPR_UPDATE);
    item_write_prepare(call->context->engine, call->arena, write);
    item->writes.job.writes = write;
    item->writes.job.count = 1;
    item->writes.table_names = &item->request->table_name;
    write_call_submit(call, &item->writes);
    *ret_state = OP_WAITING;
    return NULL;
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
    struct slice wanted = item->request->return_values;
    struct value shown = item->write.keep_old ? item->write.old_item : item->write.new_item;
    if (!value_present(shown))
        return;
    if (slice_is(wanted, "ALL_OLD") || slice_is(wanted, "ALL_NEW")) {
        JSON_NAME_LITERAL(json, "Attributes");
        item_write_json(json, shown);
    } else if (item->write.update != NULL) {
        write_touched(call, json, shown);
    }
}

struct error *item_call_finish(struct op_call *call) {
    struct item_call *item = call->work;
    const struct item_request *request = item->request;
    TRY(write_call_finish(call, &item->writes));
    TRY(item->write.error);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    write_attributes(call, &json);
    consumed_write(&json, &call->account, request->return_consumed_capacity);
    if (collection_metrics_wanted(request->return_item_collection_metrics, item->write.table)) {
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
