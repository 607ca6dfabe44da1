/* continuous_backups.h - what UpdateContinuousBackups and DescribeContinuousBackups share. */
#ifndef GRAMME_OPS_BACKUP_CONTINUOUS_BACKUPS_H
#define GRAMME_OPS_BACKUP_CONTINUOUS_BACKUPS_H

#include "engine/table.h"
#include "ops/op.h"

/* The reply {"ContinuousBackupsDescription":{...}}. */
void continuous_backups_reply(struct op_call *call, const struct table_definition *definition);

/* "Table not found: <t>", as the operations on backups say it. */
struct error *backup_table_not_found(struct arena *arena, struct slice name);

#endif
