/* restore_call.c - see the header. The table is in the catalog from the first moment, CREATING. */
#include "ops/backup/restore_call.h"

#include "model/limits.h"
#include "ops/table/table_settings.h"

struct error *restore_call_new(struct op_call *call, struct slice target_table,
                               const struct restore_overrides *overrides, size_t size) {
    TRY(table_change_new(call, target_table, size));
    TRY(restore_overrides_check(call->arena, overrides));
    struct restore_call *work = call->work;
    const struct sse_specification_input *sse = overrides->sse;
    work->overrides = overrides;
    work->uuid = random_uuid(call->context->random, call->arena);
    if (sse != NULL && sse->enabled.value)
        work->new_key_arn = kms_key_arn(call->arena, call->context->random, sse->kms_master_key_id,
                                        call->context->region, call->context->account);
    return NULL;
}

struct error *restore_call_check(const struct catalog_job *job, const struct table *current,
                                 size_t table_count) {
    const struct op_call *call = job->context;
    if (current != NULL)
        return error_new(job->arena, ERROR_TABLE_ALREADY_EXISTS, "Table already exists: %.*s",
                         SLICE_ARGS(job->table_name));
    if (table_count >= LIMIT_TABLES)
        return error_new(job->arena, ERROR_LIMIT_EXCEEDED,
                         "Subscriber limit exceeded: There is a limit of %d tables per subscriber",
                         LIMIT_TABLES);
    if (restores_running(call->context->engine) >= LIMIT_RESTORES)
        return error_new(job->arena, ERROR_LIMIT_EXCEEDED,
                         "Subscriber limit exceeded: There is a limit of %d concurrent restores",
                         LIMIT_RESTORES);
    return NULL;
}

struct error *restore_call_define(const struct catalog_job *job,
                                  const struct restore_source *source,
                                  struct catalog_change *ret_change) {
    const struct op_call *call = job->context;
    const struct restore_call *work = call->work;
    struct table_definition *definition = &ret_change->definition;
    TRY(restore_overrides_apply(job->arena, work->overrides, &source->definition, work->new_key_arn,
                                definition));
    definition->name = job->table_name;
    definition->uuid = work->uuid;
    definition->status = TABLE_CREATING;
    definition->restoring = true;
    definition->created_ms = work->change.now_ms;
    if (definition->billing == BILLING_PAY_PER_REQUEST)
        definition->on_demand_since_ms = work->change.now_ms;
    definition->restored_table = source->table_arn;
    definition->restored_backup = source->backup_arn;
    definition->restored_ms = source->time_ms;
    ret_change->fill = source->fill;
    ret_change->action = CATALOG_CREATE;
    return NULL;
}

struct error *restore_call_finish(struct op_call *call) {
    const struct restore_call *work = call->work;
    TRY(work->change.job.error);
    struct table_description description =
        table_describe(call, work->change.job.after, work->change.now_ms);
    description.kind = DESCRIBE_CREATED;
    description.status = TABLE_CREATING;
    table_description_reply(call, "TableDescription", &description);
    return NULL;
}
