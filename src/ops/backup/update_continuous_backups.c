/* update_continuous_backups.c - UpdateContinuousBackups: point-in-time recovery on or off, and how
 * far back it reaches. */
#include "model/limits.h"
#include "ops/backup/continuous_backups.h"
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

struct recovery_input {
    struct field_bool enabled;
    struct field_int days;
};

struct update_backups_request {
    struct slice table_name; /* or ARN */
    struct recovery_input *recovery;
};

static const struct field recovery_fields[] = {
    {NAMED("PointInTimeRecoveryEnabled"), AT(struct recovery_input, enabled), .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED},
    {NAMED("RecoveryPeriodInDays"), AT(struct recovery_input, days), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_RECOVERY_DAYS)},
    FIELDS_END,
};
static const struct shape recovery_shape = {"PointInTimeRecoverySpecification",
                                            sizeof(struct recovery_input), recovery_fields};

static const struct field update_backups_fields[] = {
    CONTROL_TABLE_NAME_FIELD(update_backups_request),
    {NAMED("PointInTimeRecoverySpecification"), AT(struct update_backups_request, recovery),
     .type = FIELD_STRUCT, .flags = FIELD_REQUIRED, .shape = &recovery_shape},
    FIELDS_END,
};
static const struct shape update_backups_shape = {
    "UpdateContinuousBackupsInput", sizeof(struct update_backups_request), update_backups_fields};

static struct error *validate(struct op_call *call) {
    const struct update_backups_request *request = call->request;
    TRY(table_change_new(call, request->table_name, sizeof(struct table_change)));
    if (!request->recovery->enabled.value && request->recovery->days.present)
        return error_request(call->arena,
                             "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling "
                             "point-in-time recovery.");
    return NULL;
}

static int64_t days_wanted(const struct recovery_input *recovery,
                           const struct table_definition *definition) {
    if (!recovery->enabled.value)
        return 0;
    if (recovery->days.present)
        return recovery->days.value;
    return definition->pitr_days > 0 ? definition->pitr_days : LIMIT_RECOVERY_DAYS;
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct update_backups_request *request = call->request;
    if (current == NULL)
        return backup_table_not_found(job->arena, job->table_name);
    if (current->definition.status == TABLE_CREATING)
        return error_new(job->arena, ERROR_CONTINUOUS_BACKUPS_UNAVAILABLE,
                         "Backups are being enabled for the table: %.*s. Please retry later",
                         SLICE_ARGS(job->table_name));
    int64_t days = days_wanted(request->recovery, &current->definition);
    if (days == current->definition.pitr_days)
        return NULL;
    ret_change->action = CATALOG_REPLACE;
    ret_change->definition = current->definition;
    ret_change->definition.pitr_days = days;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, change, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct table_change *work = call->work;
    TRY(work->job.error);
    continuous_backups_reply(call, &work->job.after->definition);
    return NULL;
}

const struct op op_update_continuous_backups = {
    .name = "UpdateContinuousBackups",
    .action = "dynamodb:UpdateContinuousBackups",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &update_backups_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
