/* describe_continuous_backups.c - DescribeContinuousBackups: from the thread's view of the catalog.
 */
#include "ops/backup/continuous_backups.h"
#include "ops/table/table_input.h"

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct table_name_request *request = call->request;
    struct slice name;
    TRY(table_name_resolve(call, request->table_name, &name));
    const struct table *table = catalog_find(call->context->catalog, name);
    if (table == NULL)
        return backup_table_not_found(call->arena, name);
    continuous_backups_reply(call, &table->definition);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_describe_continuous_backups = {
    .name = "DescribeContinuousBackups",
    .action = "dynamodb:DescribeContinuousBackups",
    .flags = OP_CONTROL,
    .input = &table_name_shape,
    .run = run,
};
