/* describe_global_table_settings.c - DescribeGlobalTableSettings: of which there are none. */
#include "ops/global/global_table.h"

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct global_table_request *request = call->request;
    *ret_state = OP_DONE;
    return global_table_not_found(call->arena, request->global_table_name);
}

const struct op op_describe_global_table_settings = {
    .name = "DescribeGlobalTableSettings",
    .action = "dynamodb:DescribeGlobalTableSettings",
    .flags = OP_CONTROL,
    .input = &global_table_shape,
    .run = run,
};
