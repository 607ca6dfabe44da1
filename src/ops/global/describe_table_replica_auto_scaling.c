/* describe_table_replica_auto_scaling.c - DescribeTableReplicaAutoScaling: only tables with
 * replicas have it, and no table has any. */
#include "ops/global/global_table.h"
#include "ops/table/table_input.h"

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct table_name_request *request = call->request;
    *ret_state = OP_DONE;
    return replicas_not_found(call, request->table_name);
}

const struct op op_describe_table_replica_auto_scaling = {
    .name = "DescribeTableReplicaAutoScaling",
    .action = "dynamodb:DescribeTableReplicaAutoScaling",
    .flags = OP_CONTROL,
    .input = &table_name_shape,
    .run = run,
};
