/* describe_limits.c - DescribeLimits: the service's default quotas, for tools that ask. */
#include "json/member.h"
#include "model/limits.h"
#include "ops/op.h"
#include "ops/table/table_input.h"

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_integer(&json, "AccountMaxReadCapacityUnits", LIMIT_ACCOUNT_CAPACITY_UNITS);
    member_integer(&json, "AccountMaxWriteCapacityUnits", LIMIT_ACCOUNT_CAPACITY_UNITS);
    member_integer(&json, "TableMaxReadCapacityUnits", LIMIT_TABLE_CAPACITY_UNITS);
    member_integer(&json, "TableMaxWriteCapacityUnits", LIMIT_TABLE_CAPACITY_UNITS);
    json_object_end(&json);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_describe_limits = {
    .name = "DescribeLimits",
    .action = "dynamodb:DescribeLimits",
    .flags = OP_CONTROL | OP_NO_RESOURCE,
    .input = &empty_shape,
    .run = run,
};
