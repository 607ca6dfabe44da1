/* restore_call.h - what RestoreTableFromBackup and RestoreTableToPointInTime share: a new table
 * that the engine fills before it is ACTIVE. */
#ifndef GRAMME_OPS_BACKUP_RESTORE_CALL_H
#define GRAMME_OPS_BACKUP_RESTORE_CALL_H

#include "engine/backup.h"
#include "ops/backup/restore_overrides.h"
#include "ops/table/table_change.h"

/* An operation's own state begins with this. */
struct restore_call {
    struct table_change change;
    const struct restore_overrides *overrides;
    struct slice new_key_arn;
    struct slice uuid;
};

/* Where the table comes from. */
struct restore_source {
    struct copy_state fill;
    struct table_definition definition;
    struct slice table_arn;
    struct slice backup_arn; /* absent: it is not from a backup */
    int64_t time_ms;
};

#define TARGET_TABLE_FIELD(request)                                                           \
    {                                                                                         \
        NAMED("TargetTableName"), AT(struct request, target_table),                           \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, .resource = RESOURCE_TARGET_TABLE, \
            .pattern = NAME_PATTERN, LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)       \
    }

/* The descriptor's validate: `size` bytes as call->work. */
struct error *restore_call_new(struct op_call *call, struct slice target_table,
                               const struct restore_overrides *overrides, size_t size);
/* For the change, on the commit thread: there may be a new table of that name. */
struct error *restore_call_check(const struct catalog_job *job, const struct table *current,
                                 size_t table_count);
struct error *restore_call_define(const struct catalog_job *job,
                                  const struct restore_source *source,
                                  struct catalog_change *ret_change);
/* The descriptor's finish. */
struct error *restore_call_finish(struct op_call *call);

#endif
