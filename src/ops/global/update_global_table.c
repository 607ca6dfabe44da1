/* update_global_table.c - UpdateGlobalTable: a replica cannot be added any more, and of those that
 * are to be removed there is no global table. */
#include "ops/global/global_table.h"

struct replica_update_input {
    struct replica_input *create;
    struct replica_input *delete_one;
};

struct update_global_table_request {
    struct slice global_table_name;
    struct field_list replica_updates; /* struct replica_update_input */
};

static const struct field replica_update_fields[] = {
    {NAMED("Create"), AT(struct replica_update_input, create), .type = FIELD_STRUCT,
     .shape = &replica_shape},
    {NAMED("Delete"), AT(struct replica_update_input, delete_one), .type = FIELD_STRUCT,
     .shape = &replica_shape},
    FIELDS_END,
};
static const struct shape replica_update_shape = {
    "ReplicaUpdate", sizeof(struct replica_update_input), replica_update_fields};

static const struct field update_global_table_fields[] = {
    GLOBAL_TABLE_NAME_FIELD(update_global_table_request),
    {NAMED("ReplicaUpdates"), AT(struct update_global_table_request, replica_updates),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, .shape = &replica_update_shape},
    FIELDS_END,
};
static const struct shape update_global_table_shape = {"UpdateGlobalTableInput",
                                                       sizeof(struct update_global_table_request),
                                                       update_global_table_fields};

static struct error *validate(struct op_call *call) {
    const struct update_global_table_request *request = call->request;
    const struct replica_update_input *updates = request->replica_updates.items;
    if (request->replica_updates.count == 0)
        return error_validation(call->arena, "One or more parameter values were invalid");
    for (size_t i = 0; i < request->replica_updates.count; i++)
        if (updates[i].create != NULL)
            return global_table_not_supported(call->arena);
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct update_global_table_request *request = call->request;
    *ret_state = OP_DONE;
    return global_table_not_found(call->arena, request->global_table_name);
}

const struct op op_update_global_table = {
    .name = "UpdateGlobalTable",
    .action = "dynamodb:UpdateGlobalTable",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &update_global_table_shape,
    .validate = validate,
    .run = run,
};
