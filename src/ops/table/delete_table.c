/* delete_table.c - DeleteTable: the table and its items go at once; the reply says DELETING. */
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

static struct error *validate(struct op_call *call) {
    const struct table_name_request *request = call->request;
    return table_change_new(call, request->table_name, sizeof(struct table_change));
}

static struct error *drop(struct catalog_job *job, const struct table *current, size_t table_count,
                          struct catalog_change *ret_change) {
    (void)table_count;
    if (current == NULL)
        return table_not_found(job->arena, job->table_name);
    if (!current->definition.restoring) /* which ends with it */
        TRY(table_check_active(job->arena, &current->definition));
    if (current->definition.deletion_protected)
        return error_validation(job->arena,
                                "Resource cannot be deleted as it is currently protected against "
                                "deletion. Disable deletion protection first.");
    for (size_t i = 0; i < current->definition.index_count; i++)
        if (current->definition.indexes[i].status != TABLE_ACTIVE)
            return error_new(job->arena, ERROR_RESOURCE_IN_USE,
                             "Attempt to change a resource which is still in use: Cannot delete "
                             "table while indexes are being created, updated, or deleted.");
    ret_change->action = CATALOG_DROP;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, drop, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct table_change *change = call->work;
    TRY(change->job.error);
    struct table_description description = table_describe(call, change->job.before, change->now_ms);
    description.kind = DESCRIBE_DELETED;
    description.status = TABLE_DELETING;
    table_description_reply(call, "TableDescription", &description);
    return NULL;
}

const struct op op_delete_table = {
    .name = "DeleteTable",
    .action = "dynamodb:DeleteTable",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &table_name_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
