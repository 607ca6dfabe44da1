/* backup_change.c - backups made, deleted, and forgotten when their time has come.
 *
 * A backup that is asked for is a record and a copy that begins (copy.h), in one commit; from then
 * on it goes on by itself. */
#include "engine/backup_change.h"

#include "base/log.h"
#include "codec/catalog.h"
#include "engine/backup.h"
#include "engine/copy.h"
#include "engine/hold.h"
#include "engine/keyspaces.h"
#include "engine/reclaim.h"
#include "engine/state.h"
#include "engine/txn.h"
#include "model/limits.h"

#define SYSTEM_BACKUP_MS (LIMIT_RECOVERY_DAYS * INT64_C(86400000))

/* ---- made ---- */

static void apply_backup(struct engine *engine, struct catalog_job *job, struct slice name,
                         const struct table *table, struct store_txn *txn,
                         struct copy_state *ret_copy) {
    struct backup backup = backup_of_table(engine, job->arena, table, name);
    backup.id = format_take_id(&engine->format);
    format_put(&engine->format, txn);
    *ret_copy = (struct copy_state){
        .kind = COPY_TAKE_BACKUP,
        .source = table->definition.id,
        .target = backup.id,
        .backup_ms = backup.created_ms,
        .until = engine->sequence.last,
        .items_expected = backup.item_count,
    };
    backup_put(job->arena, txn, &backup);
    copy_put(job->arena, txn, ret_copy);
    job->backup = backup;
}

void backup_put_system(struct engine *engine, struct arena *arena, struct store_txn *txn,
                       const struct table *table) {
    struct slice name =
        arena_printf(arena, "%.*s$DeletedTableBackup", SLICE_ARGS(table->definition.name));
    struct backup backup = backup_of_table(engine, arena, table, name);
    backup.id = table->definition.id;
    backup.type = BACKUP_SYSTEM;
    backup.status = BACKUP_AVAILABLE;
    backup.expiry_ms = backup.created_ms + SYSTEM_BACKUP_MS;
    backup_put(arena, txn, &backup);
    backup_keeper_expect(&engine->backups, backup.expiry_ms);
}

/* ---- asked for ---- */

static struct error *attempt(struct engine *engine, struct catalog_job *job,
                             const struct catalog_change *change, const struct table *table,
                             struct copy_state *ret_copy, bool *ret_conflict) {
    struct store_txn *txn;
    TRY(hold_begin(engine, job->arena, &txn));
    if (change->action == CATALOG_BACKUP)
        apply_backup(engine, job, change->backup.name, table, txn, ret_copy);
    else
        backup_delete(job->arena, txn, &change->backup);
    struct error *error = txn_commit(txn, engine->options.durability, ret_conflict);
    store_end(txn);
    return error;
}

struct error *backup_change_run(struct engine *engine, struct catalog_job *job,
                                const struct catalog_change *change, const struct table *table) {
    struct copy_state copy;
    bool conflict = true;
    for (int tries = 0; conflict; tries++) {
        if (tries == TXN_ATTEMPTS_MAX)
            return txn_too_many_conflicts(job->arena);
        TRY(attempt(engine, job, change, table, &copy, &conflict));
    }
    if (change->action == CATALOG_BACKUP)
        copy_start(&engine->copies, &engine->catalog, &copy);
    else
        reclaim_range_of(&engine->reclaims, KEYSPACE_ITEMS, change->backup.id);
    return NULL;
}

/* ---- forgotten ---- */

/* Finds the first backup that has expired and is not being read, and when the next one expires. */
static struct error *find_expired(struct engine *engine, struct backup_list *list, int64_t now_ms,
                                  struct backup *ret_expired, int64_t *ret_next_ms) {
    *ret_expired = (struct backup){.name = SLICE_NONE};
    *ret_next_ms = INT64_MAX;
    for (;;) {
        struct backup backup;
        TRY(backup_list_next(list, &backup));
        if (!slice_present(backup.name))
            return NULL;
        if (backup.expiry_ms == 0)
            continue;
        if (!slice_present(ret_expired->name) && backup.expiry_ms <= now_ms &&
            !backup_is_in_use(engine, backup.id))
            *ret_expired = backup;
        else if (backup.expiry_ms < *ret_next_ms)
            *ret_next_ms = backup.expiry_ms;
    }
}

static struct error *look(struct engine *engine, struct arena *arena, struct store_txn *txn,
                          int64_t now_ms, struct backup *ret_expired, int64_t *ret_next_ms) {
    struct backup_list list;
    TRY(backup_list_open(arena, txn, NULL, &list));
    struct error *error = find_expired(engine, &list, now_ms, ret_expired, ret_next_ms);
    backup_list_close(&list);
    return error;
}

static struct error *expire_one(struct engine *engine, struct arena *arena, struct store_txn *txn,
                                int64_t now_ms, struct backup *ret_expired) {
    int64_t next_ms;
    TRY(look(engine, arena, txn, now_ms, ret_expired, &next_ms));
    if (slice_present(ret_expired->name)) {
        backup_delete(arena, txn, ret_expired);
        TRY(txn_commit_step(txn, STORE_RELAXED));
    }
    engine->backups.expire_ms = next_ms;
    return NULL;
}

struct error *backup_expire(struct engine *engine, struct arena *arena,
                            enum chore_state *ret_state) {
    int64_t now_ms = clock_now_ms(engine->options.clock);
    *ret_state = engine->backups.expire_ms == INT64_MAX ? CHORE_ASLEEP : CHORE_WAITING;
    if (now_ms < engine->backups.expire_ms)
        return NULL;
    struct store_txn *txn;
    struct backup expired;
    TRY(hold_begin(engine, arena, &txn));
    struct error *error = expire_one(engine, arena, txn, now_ms, &expired);
    store_end(txn);
    TRY(error);
    if (!slice_present(expired.name))
        return NULL; /* what has expired is still being read */
    log_info("backup %.*s has expired", SLICE_ARGS(expired.name));
    reclaim_range_of(&engine->reclaims, KEYSPACE_ITEMS, expired.id);
    *ret_state = CHORE_STEPPED;
    return NULL;
}
