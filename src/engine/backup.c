/* backup.c - backups as a change of the catalog sees them, and what a restore begins with. */
#include "engine/backup.h"

#include "codec/catalog.h"
#include "engine/copy.h"
#include "engine/history.h"
#include "engine/keyspace.h"
#include "engine/sequence.h"
#include "engine/state.h"

struct backup backup_of_table(const struct engine *engine, struct arena *arena,
                              const struct table *table, struct slice name) {
    struct table_count total = table_stats_total(table->stats);
    return (struct backup){
        .name = name,
        .created_ms = clock_now_ms(engine->options.clock),
        .size_bytes = total.bytes,
        .item_count = total.items,
        .definition = table_definition_encode(arena, &table->definition),
    };
}

struct error *backup_find(struct engine *engine, struct arena *arena, struct backup_id id,
                          struct backup *ret_backup) {
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_READ_LATEST, &txn));
    struct error *error = backup_get(arena, txn, id, ret_backup);
    store_end(txn);
    return error;
}

bool backup_is_in_use(const struct engine *engine, uint32_t id) {
    return copy_into(&engine->copies, id) != NULL || copy_reads(&engine->copies, id);
}

bool backup_is_taken_of(const struct engine *engine, const struct table *table) {
    return copy_takes_backup(&engine->copies, table->definition.id);
}

size_t restores_running(const struct engine *engine) {
    return copy_restores(&engine->copies);
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
    TRY(history_definition(engine->store, arena, source, until, &stored));
    TRY(table_definition_decode(arena, stored, ret_definition));
    *ret_fill = (struct copy_state){
        .kind = COPY_RESTORE_TABLE,
        .source = source->definition.id,
        .until = until,
        .items_expected = table_stats_total(source->stats).items,
    };
    return NULL;
}
