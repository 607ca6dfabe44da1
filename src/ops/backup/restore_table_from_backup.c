/* restore_table_from_backup.c - RestoreTableFromBackup: a new table with the items of a backup. */
#include "model/limits.h"
#include "ops/backup/backup_arn.h"
#include "ops/backup/restore_call.h"

struct restore_backup_request {
    struct slice target_table;
    struct slice backup_arn;
    struct restore_overrides overrides;
};

static const struct field restore_backup_fields[] = {
    TARGET_TABLE_FIELD(restore_backup_request),
    {BACKUP_ARN_FIELD("BackupArn", restore_backup_request, backup_arn), .flags = FIELD_REQUIRED,
     .resource = RESOURCE_ARN},
    RESTORE_OVERRIDE_FIELDS(restore_backup_request),
    FIELDS_END,
};
static const struct shape restore_backup_shape = {
    "RestoreTableFromBackupInput", sizeof(struct restore_backup_request), restore_backup_fields};

struct restore_backup {
    struct restore_call call;
    struct backup_arn arn;
};

static struct error *validate(struct op_call *call) {
    const struct restore_backup_request *request = call->request;
    struct backup_arn arn;
    TRY(backup_arn_parse(call, request->backup_arn, &arn));
    TRY(restore_call_new(call, request->target_table, &request->overrides,
                         sizeof(struct restore_backup)));
    struct restore_backup *work = call->work;
    work->arn = arn;
    return NULL;
}

static struct error *restore(struct catalog_job *job, const struct table *current,
                             size_t table_count, struct catalog_change *ret_change) {
    const struct op_call *call = job->context;
    const struct restore_backup *work = call->work;
    struct restore_source source = {.backup_arn = work->arn.text};
    struct backup backup;
    TRY(backup_find(call->context->engine, job->arena, work->arn.id, &backup));
    TRY(backup_arn_check(job->arena, &work->arn, &backup, &source.definition));
    if (backup.status == BACKUP_CREATING)
        return error_new(job->arena, ERROR_BACKUP_IN_USE, "Backup is in use: %.*s",
                         SLICE_ARGS(work->arn.text));
    TRY(restore_call_check(job, current, table_count));
    source.fill = restore_from_backup(&backup);
    source.table_arn = table_arn_print(call, work->arn.table_name);
    source.time_ms = backup.created_ms;
    return restore_call_define(job, &source, ret_change);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, restore, ret_state);
    return NULL;
}

const struct op op_restore_table_from_backup = {
    .name = "RestoreTableFromBackup",
    .action = "dynamodb:RestoreTableFromBackup",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &restore_backup_shape,
    .validate = validate,
    .run = run,
    .finish = restore_call_finish,
    .release = table_change_release,
};
