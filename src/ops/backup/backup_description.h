/* backup_description.h - a backup as DescribeBackup and its kin show it. */
#ifndef GRAMME_OPS_BACKUP_BACKUP_DESCRIPTION_H
#define GRAMME_OPS_BACKUP_BACKUP_DESCRIPTION_H

#include "json/writer.h"
#include "ops/backup/backup_arn.h"

struct backup_description {
    const struct backup *backup;
    const struct table_definition *definition; /* of the table when the backup was taken */
    bool deleted;                              /* it is shown as DELETED */
};

/* The member BackupDetails. */
void backup_details_write(const struct op_call *call, struct json_writer *json,
                          const struct backup_description *description);
/* An element of BackupSummaries. */
void backup_summary_write(const struct op_call *call, struct json_writer *json,
                          const struct backup_description *description);
/* The reply {"BackupDescription":{...}}. */
void backup_description_reply(struct op_call *call, const struct backup_description *description);

#endif
