/* describe_time_to_live.c - DescribeTimeToLive: by which attribute items expire. ENABLING while the
 * items that were there before are being looked through. */
#include "json/member.h"
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

static enum feature_status status_of(const struct table_definition *table) {
    if (!slice_present(table->ttl_attribute))
        return FEATURE_DISABLED;
    return table->ttl_building ? FEATURE_ENABLING : FEATURE_ENABLED;
}

static struct error *check_status(struct arena *arena, const struct table_definition *table) {
    if (table->status != TABLE_CREATING && table->status != TABLE_DELETING)
        return NULL;
    const char *status = table_status_name(table->status);
    return error_validation(arena,
                            "Cannot describe time to live while table is in %s state: Current "
                            "table state is %s",
                            status, status);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct table_name_request *request = call->request;
    const struct table *table;
    TRY(table_find(call, request->table_name, &table));
    TRY(check_status(call->arena, &table->definition));
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_object(&json, "TimeToLiveDescription");
    member_word(&json, "TimeToLiveStatus", feature_status_name(status_of(&table->definition)));
    if (slice_present(table->definition.ttl_attribute))
        member_text(&json, "AttributeName", table->definition.ttl_attribute);
    json_object_end(&json);
    json_object_end(&json);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_describe_time_to_live = {
    .name = "DescribeTimeToLive",
    .action = "dynamodb:DescribeTimeToLive",
    .flags = OP_CONTROL,
    .input = &table_name_shape,
    .run = run,
};
