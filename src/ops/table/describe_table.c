/* describe_table.c - DescribeTable: from the thread's view of the catalog. */
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct table_name_request *request = call->request;
    const struct table *table;
    TRY(table_find(call, request->table_name, &table));
    struct table_description description =
        table_describe(call, table, clock_now_ms(call->context->clock));
    table_description_reply(call, "Table", &description);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_describe_table = {
    .name = "DescribeTable",
    .action = "dynamodb:DescribeTable",
    .flags = OP_CONTROL,
    .input = &table_name_shape,
    .run = run,
};
