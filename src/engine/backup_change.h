/* backup_change.h - backups made and deleted. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_BACKUP_CHANGE_H
#define GRAMME_ENGINE_BACKUP_CHANGE_H

#include "base/error.h"
#include "engine/catalog_job.h"
#include "engine/chore.h"

struct engine;

/* CATALOG_BACKUP and CATALOG_DROP_BACKUP, in a transaction of their own. */
struct error *backup_change_run(struct engine *engine, struct catalog_job *job,
                                const struct catalog_change *change, const struct table *table);

/* What a table with recovery leaves when it is deleted: takes over its items. */
void backup_put_system(struct engine *engine, struct arena *arena, struct store_txn *txn,
                       const struct table *table);

/* A chore: deletes backups whose time has come. */
struct error *backup_expire(struct engine *engine, struct arena *arena,
                            enum chore_state *ret_state);

#endif
