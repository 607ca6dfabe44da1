/* backup_arn.h - the names of backups: <table ARN>/backup/<ms, 14 digits>-<8 hex digits>. */
#ifndef GRAMME_OPS_BACKUP_BACKUP_ARN_H
#define GRAMME_OPS_BACKUP_BACKUP_ARN_H

#include "engine/backup.h"
#include "ops/op.h"

/* A member BackupArn, or another that holds one. */
#define BACKUP_ARN_FIELD(member, request, place)                    \
    NAMED(member), AT(struct request, place), .type = FIELD_STRING, \
                                              LENGTH(LIMIT_BACKUP_ARN_MIN, LIMIT_TABLE_ARN_CHARS)

struct backup_arn {
    struct slice text;
    struct slice table_name;
    struct backup_id id;
};

/* "Invalid Backup ARN" */
struct error *backup_arn_parse(struct op_call *call, struct slice text, struct backup_arn *ret_arn);
struct slice backup_arn_print(const struct op_call *call, struct slice table_name,
                              struct backup_id id);

/* The definition in a backup, when it is one of the table that the ARN names; else not found. */
struct error *backup_arn_check(struct arena *arena, const struct backup_arn *arn,
                               const struct backup *backup,
                               struct table_definition *ret_definition);

#endif
