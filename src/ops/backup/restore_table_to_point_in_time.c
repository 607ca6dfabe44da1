/* restore_table_to_point_in_time.c - RestoreTableToPointInTime: a new table as another one was at
 * an earlier time, to the ms. */
#include "model/limits.h"
#include "ops/backup/backup_arn.h"
#include "ops/backup/continuous_backups.h"
#include "ops/backup/restore_call.h"

struct restore_time_request {
    struct slice target_table;
    struct slice source_arn;
    struct slice source_name;
    struct field_bool latest;
    struct field_int time;
    struct restore_overrides overrides;
};

static const struct field restore_time_fields[] = {
    {NAMED("SourceTableArn"), AT(struct restore_time_request, source_arn), .type = FIELD_STRING,
     .resource = RESOURCE_ARN, LENGTH(1, LIMIT_TABLE_ARN_CHARS)},
    {NAMED("SourceTableName"), AT(struct restore_time_request, source_name), .type = FIELD_STRING,
     .resource = RESOURCE_TABLE, .pattern = NAME_PATTERN,
     LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)},
    TARGET_TABLE_FIELD(restore_time_request),
    {NAMED("UseLatestRestorableTime"), AT(struct restore_time_request, latest),
     .type = FIELD_BOOLEAN},
    {NAMED("RestoreDateTime"), AT(struct restore_time_request, time), .type = FIELD_TIMESTAMP},
    RESTORE_OVERRIDE_FIELDS(restore_time_request),
    FIELDS_END,
};
static const struct shape restore_time_shape = {
    "RestoreTableToPointInTimeInput", sizeof(struct restore_time_request), restore_time_fields};

struct restore_time {
    struct restore_call call;
    struct slice source_name;
};

static struct error *validate(struct op_call *call) {
    const struct restore_time_request *request = call->request;
    struct slice source = request->source_name;
    if (slice_present(request->source_arn) == slice_present(request->source_name))
        return error_request(call->arena,
                             "Must provide exactly one of: sourceTableArn, sourceTableName");
    if (slice_present(request->source_arn))
        TRY(table_name_resolve(call, request->source_arn, &source));
    if (request->latest.value == request->time.present)
        return error_request(call->arena,
                             "Invalid Request: Either one of RestoreDateTime or "
                             "UseLatestRestorableTime must be specified, but not both");
    TRY(restore_call_new(call, request->target_table, &request->overrides,
                         sizeof(struct restore_time)));
    struct restore_time *work = call->work;
    work->source_name = source;
    return NULL;
}

/* On the commit thread, so that the clock has not moved between the check and the restore. */
static struct error *check_source(struct arena *arena, const struct table *source,
                                  const struct restore_time_request *request, int64_t now_ms) {
    const struct table_definition *definition = &source->definition;
    if (definition->pitr_days == 0)
        return error_new(arena, ERROR_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
                         "Point in time recovery is not enabled for table '%.*s'",
                         SLICE_ARGS(definition->name));
    if (request->time.present &&
        (request->time.value < recovery_window_start_ms(definition, now_ms) ||
         request->time.value > now_ms))
        return error_new(arena, ERROR_INVALID_RESTORE_TIME,
                         "RestoreDateTime must be between EarliestRestorableDateTime and "
                         "LatestRestorableDateTime of table '%.*s'",
                         SLICE_ARGS(definition->name));
    return NULL;
}

static struct error *restore(struct catalog_job *job, const struct table *current,
                             size_t table_count, struct catalog_change *ret_change) {
    const struct op_call *call = job->context;
    const struct restore_time *work = call->work;
    const struct restore_time_request *request = call->request;
    struct engine *engine = call->context->engine;
    const struct table *table = catalog_current(engine_catalog(engine), work->source_name);
    int64_t now_ms = clock_now_ms(call->context->clock);
    struct restore_source source = {.time_ms =
                                        request->time.present ? request->time.value : now_ms};
    if (table == NULL)
        return backup_table_not_found(job->arena, work->source_name);
    TRY(check_source(job->arena, table, request, now_ms));
    TRY(restore_call_check(job, current, table_count));
    TRY(restore_from_table(engine, job->arena, table,
                           request->time.present ? source.time_ms : RESTORE_LATEST, &source.fill,
                           &source.definition));
    source.table_arn = table_arn_print(call, work->source_name);
    return restore_call_define(job, &source, ret_change);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, restore, ret_state);
    return NULL;
}

const struct op op_restore_table_to_point_in_time = {
    .name = "RestoreTableToPointInTime",
    .action = "dynamodb:RestoreTableToPointInTime",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &restore_time_shape,
    .validate = validate,
    .run = run,
    .finish = restore_call_finish,
    .release = table_change_release,
};
