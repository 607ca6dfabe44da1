/* create_global_table.c - CreateGlobalTable: refused, whatever tables there are. */
#include "ops/global/global_table.h"

struct create_global_table_request {
    struct slice global_table_name;
    struct field_list replication_group; /* struct replica_input */
};

static const struct field create_global_table_fields[] = {
    GLOBAL_TABLE_NAME_FIELD(create_global_table_request),
    {NAMED("ReplicationGroup"), AT(struct create_global_table_request, replication_group),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, .shape = &replica_shape},
    FIELDS_END,
};
static const struct shape create_global_table_shape = {"CreateGlobalTableInput",
                                                       sizeof(struct create_global_table_request),
                                                       create_global_table_fields};

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    *ret_state = OP_DONE;
    return global_table_not_supported(call->arena);
}

const struct op op_create_global_table = {
    .name = "CreateGlobalTable",
    .action = "dynamodb:CreateGlobalTable",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &create_global_table_shape,
    .run = run,
};
