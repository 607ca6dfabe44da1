/* describe_endpoints.c - DescribeEndpoints: for clients with endpoint discovery switched on; they
 * are sent back to this server. */
#include "json/member.h"
#include "ops/op.h"
#include "ops/table/table_input.h"

enum { CACHE_PERIOD_MINUTES = 1440 };

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "Endpoints");
    json_object_begin(&json);
    member_text(&json, "Address", call->context->endpoint);
    member_integer(&json, "CachePeriodInMinutes", CACHE_PERIOD_MINUTES);
    json_object_end(&json);
    json_array_end(&json);
    json_object_end(&json);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_describe_endpoints = {
    .name = "DescribeEndpoints",
    .action = "dynamodb:DescribeEndpoints",
    .flags = OP_CONTROL | OP_NO_RESOURCE,
    .input = &empty_shape,
    .run = run,
};
