/* backup.h - backups, and where tables are restored from. (records: backup_records.h).
 *
 * Threads: commit thread. */
#ifndef GRAMME_ENGINE_BACKUP_H
#define GRAMME_ENGINE_BACKUP_H

#include "codec/copy.h"
#include "engine/backup_records.h"
#include "engine/table.h"

struct engine;

/* ---- for catalog_job.change ---- */

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

/* A backup of the table that has the name, to be filled, or to take over its items. */
struct backup backup_of_table(const struct engine *engine, struct arena *arena,
                              const struct table *table, struct slice name);

#endif
