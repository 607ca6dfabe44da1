/* update_global_table_settings.c - UpdateGlobalTableSettings: there are none. What is to be changed
 * is not looked at. */
#include "ops/global/global_table.h"

struct update_global_table_settings_request {
    struct slice global_table_name;
    struct slice global_table_billing_mode;
    struct field_int write_units;
    struct field_bool write_auto_scaling;
    struct field_bool indexes;
    struct field_bool replicas;
};

static const struct field update_global_table_settings_fields[] = {
    GLOBAL_TABLE_NAME_FIELD(update_global_table_settings_request),
    {NAMED("GlobalTableBillingMode"),
     AT(struct update_global_table_settings_request, global_table_billing_mode),
     .type = FIELD_STRING, .enum_text = "[PROVISIONED, PAY_PER_REQUEST]"},
    {NAMED("GlobalTableProvisionedWriteCapacityUnits"),
     AT(struct update_global_table_settings_request, write_units), .type = FIELD_LONG, AT_LEAST(1)},
    {NAMED("GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate"),
     AT(struct update_global_table_settings_request, write_auto_scaling), .type = FIELD_IGNORED},
    {NAMED("GlobalTableGlobalSecondaryIndexSettingsUpdate"),
     AT(struct update_global_table_settings_request, indexes), .type = FIELD_IGNORED},
    {NAMED("ReplicaSettingsUpdate"), AT(struct update_global_table_settings_request, replicas),
     .type = FIELD_IGNORED},
    FIELDS_END,
};
static const struct shape update_global_table_settings_shape = {
    "UpdateGlobalTableSettingsInput", sizeof(struct update_global_table_settings_request),
    update_global_table_settings_fields};

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct update_global_table_settings_request *request = call->request;
    *ret_state = OP_DONE;
    return global_table_not_found(call->arena, request->global_table_name);
}

const struct op op_update_global_table_settings = {
    .name = "UpdateGlobalTableSettings",
    .action = "dynamodb:UpdateGlobalTableSettings",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &update_global_table_settings_shape,
    .run = run,
};
