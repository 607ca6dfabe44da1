/* delete_backup.c - DeleteBackup: the record and its items go at once. */
#include "base/timestamp.h"
#include "model/limits.h"
#include "ops/backup/backup_description.h"
#include "ops/table/table_change.h"

struct delete_backup_request {
    struct slice backup_arn;
};

static const struct field delete_backup_fields[] = {
    {BACKUP_ARN_FIELD("BackupArn", delete_backup_request, backup_arn), .flags = FIELD_REQUIRED,
     .resource = RESOURCE_ARN},
    FIELDS_END,
};
static const struct shape delete_backup_shape = {
    "DeleteBackupInput", sizeof(struct delete_backup_request), delete_backup_fields};

struct delete_backup {
    struct table_change change;
    struct backup_arn arn;
    struct backup backup;
    struct table_definition definition;
};

static struct error *validate(struct op_call *call) {
    const struct delete_backup_request *request = call->request;
    struct backup_arn arn;
    TRY(backup_arn_parse(call, request->backup_arn, &arn));
    TRY(table_change_new(call, arn.table_name, sizeof(struct delete_backup)));
    struct delete_backup *work = call->work;
    work->arn = arn;
    return NULL;
}

static struct error *check_may_go(struct arena *arena, const struct engine *engine,
                                  const struct delete_backup *work) {
    if (work->backup.type == BACKUP_SYSTEM) {
        struct slice expiry = timestamp_of_second(arena, work->backup.expiry_ms);
        return error_validation(arena,
                                "Invalid Request: User is not allowed to delete the system backup "
                                "with arn %.*s. It will automatically expire on %.*s",
                                SLICE_ARGS(work->arn.text), SLICE_ARGS(expiry));
    }
    if (backup_is_in_use(engine, work->backup.id))
        return error_new(arena, ERROR_BACKUP_IN_USE, "Backup is in use: %.*s",
                         SLICE_ARGS(work->arn.text));
    return NULL;
}

static struct error *drop(struct catalog_job *job, const struct table *current, size_t table_count,
                          struct catalog_change *ret_change) {
    (void)current, (void)table_count;
    const struct op_call *call = job->context;
    struct engine *engine = call->context->engine;
    struct delete_backup *work = call->work;
    TRY(backup_find(engine, job->arena, work->arn.id, &work->backup));
    TRY(backup_arn_check(job->arena, &work->arn, &work->backup, &work->definition));
    TRY(check_may_go(job->arena, engine, work));
    ret_change->action = CATALOG_DROP_BACKUP;
    ret_change->backup = work->backup;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, drop, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct delete_backup *work = call->work;
    TRY(work->change.job.error);
    backup_description_reply(call,
                             &(struct backup_description){&work->backup, &work->definition, true});
    return NULL;
}

const struct op op_delete_backup = {
    .name = "DeleteBackup",
    .action = "dynamodb:DeleteBackup",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &delete_backup_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
