/* backup.c - records of backups, and what a restore begins with.
 *
 * A backup that is there never changes but for its status. One of a deleted table has the range
 * that the table had: nothing is copied. */
#include "engine/backup.h"

#include "codec/catalog.h"
#include "engine/copy.h"
#include "engine/history.h"
#include "engine/keyspace.h"
#include "engine/sequence.h"
#include "engine/state.h"

#define MS_PER_DAY INT64_C(86400000)

int64_t recovery_window_start_ms(const struct table_definition *definition, int64_t now_ms) {
    int64_t period_ms = now_ms - definition->pitr_days * MS_PER_DAY;
    return period_ms > definition->pitr_since_ms ? period_ms : definition->pitr_since_ms;
}

/* ---- records ---- */

struct error *backup_get(struct arena *arena, struct store_txn *txn, int64_t created_ms,
                         uint32_t id, struct backup *ret_backup) {
    struct store_key key = catalog_key(backup_key(arena, created_ms, id));
    struct slice record;
    TRY(store_get(txn, &key, &record));
    *ret_backup = (struct backup){.name = SLICE_NONE};
    if (!slice_present(record))
        return NULL;
    return backup_decode(arena, arena_slice(arena, record), ret_backup);
}

void backup_put(struct arena *arena, struct store_txn *txn, const struct backup *backup) {
    struct store_key key = catalog_key(backup_key(arena, backup->created_ms, backup->id));
    store_put(txn, &key, backup_encode(arena, backup));
}

void backup_delete(struct arena *arena, struct store_txn *txn, const struct backup *backup) {
    struct store_key key = catalog_key(backup_key(arena, backup->created_ms, backup->id));
    store_delete(txn, &key);
    struct store_range range = range_in(KEYSPACE_ITEMS, key_range_of_table(arena, backup->id));
    store_delete_range(txn, &range);
}

struct backup backup_of_table(const struct engine *engine, struct arena *arena,
                              const struct table *table, struct slice name) {
    return (struct backup){
        .name = name,
        .created_ms = clock_now_ms(engine->options.clock),
        .size_bytes = atomic_load(&table->stats->size_bytes),
        .item_count = atomic_load(&table->stats->item_count),
        .definition = table_definition_encode(arena, &table->definition),
    };
}

/* ---- reading ---- */

struct error *backup_read(struct reader *reader, struct backup_id id, struct backup *ret_backup) {
    return backup_get(reader->arena, reader->txn, id.created_ms, id.id, ret_backup);
}

struct error *backup_table(struct arena *arena, const struct backup *backup,
                           struct table_definition *ret_definition) {
    return table_definition_decode(arena, backup->definition, ret_definition);
}

struct error *backup_list_open(struct reader *reader, const struct backup_id *after,
                               struct backup_list *ret_list) {
    *ret_list = (struct backup_list){reader, NULL};
    struct arena *arena = reader->arena;
    struct store_range range = range_in(KEYSPACE_CATALOG, backup_key_range(arena));
    if (after != NULL)
        range.first = key_after(arena, backup_key(arena, after->created_ms, after->id));
    return store_scan_open(reader->txn, &range, false, &ret_list->scan);
}

struct error *backup_list_next(struct backup_list *list, struct backup *ret_backup) {
    bool found;
    struct slice key, value;
    TRY(store_scan_next(list->scan, &found, &key, &value));
    *ret_backup = (struct backup){.name = SLICE_NONE};
    if (!found)
        return NULL;
    struct arena *arena = list->reader->arena;
    return backup_decode(arena, arena_slice(arena, value), ret_backup);
}

void backup_list_close(struct backup_list *list) {
    store_scan_close(list->scan);
    list->scan = NULL;
}

/* ---- on the commit thread ---- */

struct error *backup_find(struct engine *engine, struct arena *arena, struct backup_id id,
                          struct backup *ret_backup) {
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_READ_LATEST, &txn));
    struct error *error = backup_get(arena, txn, id.created_ms, id.id, ret_backup);
    store_end(txn);
    return error;
}

bool backup_is_in_use(const struct engine *engine, uint32_t id) {
    return copy_into(engine, id) != NULL || copy_reads(engine, id);
}

bool backup_is_taken_of(const struct engine *engine, const struct table *table) {
    for (const struct copy *copy = engine->copies; copy != NULL; copy = copy->next)
        if (copy->state.kind == COPY_TAKE_BACKUP && copy->state.source == table->definition.id)
            return true;
    return false;
}

size_t restores_running(const struct engine *engine) {
    return copy_restores(engine);
}

struct copy_state restore_from_backup(const struct backup *backup) {
    return (struct copy_state){
        .kind = COPY_RESTORE_BACKUP,
        .source = backup->id,
        .backup_ms = backup->created_ms,
        .until = COPY_NOTHING_TO_UNDO,
        .items_expected = backup->item_count,
    };
}

/* A change of the same ms that comes after this one is not part of the state. */
static uint64_t last_change_until(const struct engine *engine, int64_t time_ms) {
    if (time_ms >= clock_now_ms(engine->options.clock))
        return engine->sequence.last;
    uint64_t last = sequence_at(time_ms + 1) - 1;
    return last < engine->sequence.last ? last : engine->sequence.last;
}

struct error *restore_from_table(struct engine *engine, struct arena *arena,
                                 const struct table *source, int64_t time_ms,
                                 struct copy_state *ret_fill,
                                 struct table_definition *ret_definition) {
    uint64_t until = last_change_until(engine, time_ms);
    struct slice stored;
    TRY(history_definition(engine, arena, source, until, &stored));
    TRY(table_definition_decode(arena, stored, ret_definition));
    *ret_fill = (struct copy_state){
        .kind = COPY_RESTORE_TABLE,
        .source = source->definition.id,
        .until = until,
        .items_expected = atomic_load(&source->stats->item_count),
    };
    return NULL;
}
