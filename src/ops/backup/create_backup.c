/* create_backup.c - CreateBackup: the table as it is when the request has its turn. The engine
 * copies it while the table is used; until then the backup is CREATING. */
#include "model/limits.h"
#include "ops/backup/backup_description.h"
#include "ops/backup/continuous_backups.h"
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

struct create_backup_request {
    struct slice table_name; /* or ARN */
    struct slice backup_name;
};

static const struct field create_backup_fields[] = {
    CONTROL_TABLE_NAME_FIELD(create_backup_request),
    {NAMED("BackupName"), AT(struct create_backup_request, backup_name), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED, .pattern = NAME_PATTERN,
     LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)},
    FIELDS_END,
};
static const struct shape create_backup_shape = {
    "CreateBackupInput", sizeof(struct create_backup_request), create_backup_fields};

static struct error *validate(struct op_call *call) {
    const struct create_backup_request *request = call->request;
    return table_change_new(call, request->table_name, sizeof(struct table_change));
}

static struct error *take(struct catalog_job *job, const struct table *current, size_t table_count,
                          struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct create_backup_request *request = call->request;
    if (current == NULL)
        return backup_table_not_found(job->arena, job->table_name);
    if (current->definition.status == TABLE_CREATING)
        return error_new(job->arena, ERROR_TABLE_IN_USE, "Table is being created: %.*s",
                         SLICE_ARGS(job->table_name));
    if (backup_is_taken_of(call->context->engine, current))
        return error_new(job->arena, ERROR_BACKUP_IN_USE,
                         "A backup of the table is being created: %.*s",
                         SLICE_ARGS(job->table_name));
    ret_change->action = CATALOG_BACKUP;
    ret_change->backup.name = request->backup_name;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, take, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct table_change *work = call->work;
    TRY(work->job.error);
    struct backup_description description = {&work->job.backup, &work->job.before->definition,
                                             false};
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    backup_details_write(call, &json, &description);
    json_object_end(&json);
    return NULL;
}

const struct op op_create_backup = {
    .name = "CreateBackup",
    .action = "dynamodb:CreateBackup",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &create_backup_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
