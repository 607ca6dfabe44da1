/* backup_records.h - what is stored of backups (codec/backup.h).
 *
 * A backup that is there never changes but for its status. Its items are in a range of their own,
 * under its id, as those of a table are. Threads: any, in a transaction of the caller's. */
#ifndef GRAMME_ENGINE_BACKUP_RECORDS_H
#define GRAMME_ENGINE_BACKUP_RECORDS_H

#include "codec/backup.h"
#include "model/table.h"
#include "store/store.h"

/* Which backup: its ARN ends in the two. */
struct backup_id {
    int64_t created_ms;
    uint32_t id;
};

/* An absent name: there is no such backup. */
struct error *backup_get(struct arena *arena, struct store_txn *txn, struct backup_id id,
                         struct backup *ret_backup);
/* The table when the backup was taken. Its slices are those of the backup. */
struct error *backup_table(struct arena *arena, const struct backup *backup,
                           struct table_definition *ret_definition);

/* All backups, by the time they were made. */
struct backup_list {
    struct arena *arena;
    struct store_scan *scan;
};

struct error *backup_list_open(struct arena *arena, struct store_txn *txn,
                               const struct backup_id *after, /* or NULL */
                               struct backup_list *ret_list);
/* An absent name: the end. */
struct error *backup_list_next(struct backup_list *list, struct backup *ret_backup);
void backup_list_close(struct backup_list *list); /* also fine when it never opened */

/* ---- private to this folder ---- */

void backup_put(struct arena *arena, struct store_txn *txn, const struct backup *backup);
/* With its items. */
void backup_delete(struct arena *arena, struct store_txn *txn, const struct backup *backup);

#endif
