/* describe_backup.c - DescribeBackup: from its record. */
#include "engine/read.h"
#include "model/limits.h"
#include "ops/backup/backup_description.h"

struct describe_backup_request {
    struct slice backup_arn;
};

static const struct field describe_backup_fields[] = {
    {BACKUP_ARN_FIELD("BackupArn", describe_backup_request, backup_arn), .flags = FIELD_REQUIRED,
     .resource = RESOURCE_ARN},
    FIELDS_END,
};
static const struct shape describe_backup_shape = {
    "DescribeBackupInput", sizeof(struct describe_backup_request), describe_backup_fields};

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct describe_backup_request *request = call->request;
    struct backup_arn arn;
    struct reader reader;
    struct backup backup;
    struct table_definition definition;
    if (op_goes_elsewhere(call, ret_state))
        return NULL;
    TRY(backup_arn_parse(call, request->backup_arn, &arn));
    TRY(reader_begin(call->context->engine, call->arena, READ_ONCE, &reader));
    struct error *error = backup_get(reader.arena, reader.txn, arn.id, &backup);
    reader_end(&reader);
    TRY(error);
    TRY(backup_arn_check(call->arena, &arn, &backup, &definition));
    backup_description_reply(call, &(struct backup_description){&backup, &definition, false});
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_describe_backup = {
    .name = "DescribeBackup",
    .action = "dynamodb:DescribeBackup",
    .flags = OP_CONTROL,
    .input = &describe_backup_shape,
    .run = run,
};
