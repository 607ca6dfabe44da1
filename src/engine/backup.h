/* backup.h - backups, and where tables are restored from.
 *
 * What is known of one stands in the catalog, by the time when it was made and its id
 * (codec/backup.h), its items under that id as those of a table.
 *
 * Threads: reading on any thread, through a reader; the rest says for itself. */
#ifndef GRAMME_ENGINE_BACKUP_H
#define GRAMME_ENGINE_BACKUP_H

#include "codec/backup.h"
#include "engine/read.h"

/* What a table can be restored to: from then on, and until now. Of a table that has recovery. */
int64_t recovery_window_start_ms(const struct table_definition *definition, int64_t now_ms);

/* ---- reading ---- */

/* Which backup: its ARN ends in the two. */
struct backup_id {
    int64_t created_ms;
    uint32_t id;
};

/* An absent name: there is no such backup. Memory: the reader's arena. */
struct error *backup_read(struct reader *reader, struct backup_id id, struct backup *ret_backup);

/* The table when the backup was taken. Its slices are those of the backup. */
struct error *backup_table(struct arena *arena, const struct backup *backup,
                           struct table_definition *ret_definition);

/* All backups, by the time they were made. */
struct backup_list {
    struct reader *reader;
    struct store_scan *scan;
};

struct error *backup_list_open(struct reader *reader, const struct backup_id *after, /* or NULL */
                               struct backup_list *ret_list);
/* An absent name: the end. */
struct error *backup_list_next(struct backup_list *list, struct backup *ret_backup);
void backup_list_close(struct backup_list *list); /* also fine when it never opened */

/* ---- for catalog_job.change: commit thread ---- */

/* The backup as it is now; an absent name: there is none. */
struct error *backup_find(struct engine *engine, struct arena *arena, struct backup_id id,
                          struct backup *ret_backup);
/* It is being made, or a table is being restored from it. */
bool backup_is_in_use(const struct engine *engine, uint32_t id);
/* A backup of the table is being made. */
bool backup_is_taken_of(const struct engine *engine, const struct table *table);
/* How many tables are being restored. */
size_t restores_running(const struct engine *engine);

/* What a new table is filled with: for catalog_change.fill. */
struct copy_state restore_from_backup(const struct backup *backup);
/* The table after all changes up to and including that ms; RESTORE_LATEST: up to now. The
 * definition is that of the source then. */
#define RESTORE_LATEST INT64_MAX
struct error *restore_from_table(struct engine *engine, struct arena *arena,
                                 const struct table *source, int64_t time_ms,
                                 struct copy_state *ret_fill,
                                 struct table_definition *ret_definition);

/* ---- private to this folder ---- */

struct error *backup_get(struct arena *arena, struct store_txn *txn, int64_t created_ms,
                         uint32_t id, struct backup *ret_backup);
void backup_put(struct arena *arena, struct store_txn *txn, const struct backup *backup);
void backup_delete(struct arena *arena, struct store_txn *txn, const struct backup *backup);
/* A backup of the table that has the name, to be filled, or to take over its items. */
struct backup backup_of_table(const struct engine *engine, struct arena *arena,
                              const struct table *table, struct slice name);

#endif
