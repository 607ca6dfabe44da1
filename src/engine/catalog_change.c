/* catalog_change.c - tables made, changed and deleted.
 *
 * A change decides, commits its records in one store transaction, and only then publishes the new
 * list of tables. */
#include "engine/catalog_change.h"

#include "base/log.h"
#include "codec/catalog.h"
#include "engine/backfill_cursor.h"
#include "engine/backup_change.h"
#include "engine/copy.h"
#include "engine/copy_step.h"
#include "engine/format.h"
#include "engine/history.h"
#include "engine/history_keep.h"
#include "engine/hold.h"
#include "engine/keyspace.h"
#include "engine/reclaim.h"
#include "engine/sequence.h"
#include "engine/state.h"
#include "engine/stream_change.h"
#include "engine/txn.h"

/* Gives an id to what is new; each starts with empty statistics. */
static void assign_ids(struct engine *engine, struct arena *arena, struct store_txn *txn,
                       struct table_definition *definition) {
    struct format_record *format = &engine->format;
    uint32_t first = format->next_id;
    if (definition->id == 0)
        definition->id = format_take_id(format);
    for (size_t i = 0; i < definition->index_count; i++)
        if (definition->indexes[i].id == 0)
            definition->indexes[i].id = format_take_id(format);
    if (slice_present(definition->ttl_attribute) && definition->ttl_id == 0)
        definition->ttl_id = format_take_id(format);
    for (uint32_t id = first; id < format->next_id; id++)
        table_stats_put(arena, txn, id, (struct table_count){0, 0});
    if (format->next_id != first)
        format_put(format, txn);
}

static void drop_range(struct arena *arena, struct store_txn *txn, uint8_t keyspace, uint32_t id) {
    table_stats_delete(arena, txn, id);
    struct store_range range = range_in(keyspace, key_range_of_table(arena, id));
    store_drop_range(txn, &range); /* ids are never used again */
}

/* An index or the range of expiries has that id. */
static bool has_range(const struct table_definition *definition, uint32_t id) {
    if (definition->ttl_id == id)
        return true;
    for (size_t i = 0; i < definition->index_count; i++)
        if (definition->indexes[i].id == id)
            return true;
    return false;
}

static void drop_derived(struct arena *arena, struct store_txn *txn, uint32_t id) {
    struct store_key cursor = catalog_key(backfill_key(arena, id));
    store_delete(txn, &cursor);
    drop_range(arena, txn, KEYSPACE_INDEXES, id);
}

/* The indexes and expiries of `before` that `after` (NULL: nothing) does not have any more. */
static void drop_indexes(struct arena *arena, struct store_txn *txn,
                         const struct table_definition *before,
                         const struct table_definition *after) {
    for (size_t i = 0; i < before->index_count; i++)
        if (after == NULL || !has_range(after, before->indexes[i].id))
            drop_derived(arena, txn, before->indexes[i].id);
    if (before->ttl_id != 0 && (after == NULL || !has_range(after, before->ttl_id)))
        drop_derived(arena, txn, before->ttl_id);
}

/* A table with recovery leaves its items to a backup. One that is being restored takes what is left
 * to do with it. */
static void drop_table(struct engine *engine, struct arena *arena, struct store_txn *txn,
                       const struct table *table) {
    const struct table_definition *definition = &table->definition;
    const struct copy *restore = copy_into(&engine->copies, definition->id);
    struct store_key key = catalog_key(table_key(arena, definition->name));
    store_delete(txn, &key);
    drop_indexes(arena, txn, definition, NULL);
    drop_range(arena, txn, KEYSPACE_INDEXES, definition->id); /* its item collections */
    if (restore != NULL) {
        copy_delete(arena, txn, definition->id);
        copy_release_source(engine, arena, txn, &restore->state);
    }
    if (definition->pitr_days == 0) {
        drop_range(arena, txn, KEYSPACE_ITEMS, definition->id);
        return;
    }
    history_drop(arena, txn, definition->id, UINT64_MAX);
    backup_put_system(engine, arena, txn, table);
}

/* Reads before anything is written. */
static struct error *end_stream(struct engine *engine, struct arena *arena, struct store_txn *txn,
                                const struct table *current, struct catalog_change *change) {
    struct stream_definition *ending;
    const struct table_definition *after =
        change->action == CATALOG_DROP ? NULL : &change->definition;
    TRY(stream_read_ending(arena, txn, current == NULL ? NULL : &current->definition, after,
                           &ending));
    if (ending != NULL)
        stream_end(engine, arena, txn, ending, &change->last_number);
    return NULL;
}

/* Writes the records of the change and makes the table that will stand for it (NULL after a drop).
 */
static struct error *apply_change(struct engine *engine, struct catalog_job *job,
                                  struct catalog_change *change, struct table *current,
                                  struct store_txn *txn, struct table **ret_table) {
    struct arena *arena = job->arena;
    change->last_number = 0;
    TRY(end_stream(engine, arena, txn, current, change));
    if (change->action == CATALOG_DROP) {
        drop_table(engine, arena, txn, current);
        *ret_table = NULL;
        return NULL;
    }
    /* A copy, so that a second attempt starts from what was asked for. */
    struct table_definition definition = change->definition;
    definition.indexes =
        arena_copy(arena, definition.indexes, definition.index_count * sizeof(*definition.indexes));
    if (change->action == CATALOG_REPLACE)
        drop_indexes(arena, txn, &current->definition, &definition);
    assign_ids(engine, arena, txn, &definition);
    if (definition.stream != STREAM_OFF &&
        (current == NULL || current->definition.stream == STREAM_OFF))
        stream_make(engine, arena, txn, &definition, &change->last_number);
    history_change(engine, arena, txn, current == NULL ? NULL : &current->definition, &definition,
                   &change->last_number);
    if (change->fill.kind != COPY_NONE) {
        change->fill.target = definition.id;
        copy_put(arena, txn, &change->fill);
    }
    struct slice stored = table_definition_encode(arena, &definition);
    struct store_key key = catalog_key(table_key(arena, definition.name));
    store_put(txn, &key, stored);
    return table_new(arena, stored, current, ret_table);
}

static struct error *attempt_change(struct engine *engine, struct catalog_job *job,
                                    struct catalog_change *change, struct table *current,
                                    struct table **ret_table, bool *ret_conflict) {
    struct store_txn *txn;
    struct table *table = NULL;
    TRY(hold_begin(engine, job->arena, &txn));
    struct error *error = apply_change(engine, job, change, current, txn, &table);
    if (error == NULL)
        error = txn_commit(txn, engine->options.durability, ret_conflict);
    store_end(txn);
    if (error != NULL || *ret_conflict) {
        table_unref(table);
        return error;
    }
    if (change->last_number != 0)
        sequence_used(&engine->sequence, change->last_number);
    *ret_table = table;
    return NULL;
}

static struct error *commit_change(struct engine *engine, struct catalog_job *job,
                                   struct catalog_change *change, struct table *current,
                                   struct table **ret_table) {
    for (int attempt = 0; attempt < TXN_ATTEMPTS_MAX; attempt++) {
        bool conflict;
        TRY(attempt_change(engine, job, change, current, ret_table, &conflict));
        if (!conflict)
            return NULL;
    }
    return txn_too_many_conflicts(job->arena);
}

/* What a copy still reads cannot go. */
static struct error *check_unread(const struct engine *engine, struct arena *arena,
                                  const struct table_definition *definition) {
    if (!copy_reads(&engine->copies, definition->id))
        return NULL;
    return error_new(arena, ERROR_RESOURCE_IN_USE,
                     "Attempt to change a resource which is still in use: Table is being backed up "
                     "or restored from: %.*s",
                     SLICE_ARGS(definition->name));
}

/* Gives back the room of what the change has deleted. */
static void reclaim(struct engine *engine, const struct table *before,
                    const struct table_definition *after) {
    const struct table_definition *definition = &before->definition;
    bool history_went = definition->pitr_days > 0 && (after == NULL || after->pitr_days == 0);
    reclaim_table(&engine->reclaims, definition, after);
    if (history_went && !before->stats->copied)
        reclaim_history(&engine->reclaims, definition->id, engine->sequence.last + 1);
}

static struct error *run_drop(struct engine *engine, struct catalog_job *job,
                              struct catalog_change *change, struct table *current) {
    struct table *none = NULL;
    TRY(check_unread(engine, job->arena, &current->definition));
    TRY(commit_change(engine, job, change, current, &none));
    copy_stop(&engine->copies, &engine->catalog, current->definition.id);
    reclaim(engine, current, NULL);
    catalog_withdraw(&engine->catalog, current);
    return NULL;
}

/* The table is described as the service does; whoever runs the server learns what is true. */
static void warn_of_plain_files(const struct engine *engine, const struct table *before,
                                const struct table *after) {
    bool asks = after->definition.sse_kms && (before == NULL || !before->definition.sse_kms);
    if (asks && engine->options.plain_files)
        log_warning("table %.*s asks for encryption, and this server has no key: its items are on "
                    "disk in plain text; see --encrypt-with",
                    SLICE_ARGS(after->definition.name));
}

static struct error *run_change(struct engine *engine, struct catalog_job *job,
                                struct catalog_change *change, struct table *current) {
    struct table *table = NULL;
    if (change->action == CATALOG_DROP)
        return run_drop(engine, job, change, current);
    TRY(commit_change(engine, job, change, current, &table));
    warn_of_plain_files(engine, current, table);
    if (current != NULL)
        reclaim(engine, current, &table->definition);
    job->after = table_ref(table);
    catalog_publish(&engine->catalog, table);
    if (change->fill.kind != COPY_NONE)
        copy_start(&engine->copies, &engine->catalog, &change->fill);
    return NULL;
}

void catalog_run(struct engine *engine, struct catalog_job *job) {
    struct catalog_change change = {.action = CATALOG_NOTHING};
    job->error = hold_catch_up(engine, job->arena);
    if (job->error != NULL)
        return;
    struct table *current = catalog_current(&engine->catalog, job->table_name);
    if (current != NULL)
        job->before = table_ref(current);
    job->error = job->change(job, current, engine->catalog.list->count, &change);
    if (job->error != NULL)
        return;
    if (change.action == CATALOG_NOTHING)
        job->after = current == NULL ? NULL : table_ref(current);
    else if (change.action == CATALOG_BACKUP || change.action == CATALOG_DROP_BACKUP)
        job->error = backup_change_run(engine, job, &change, current);
    else
        job->error = run_change(engine, job, &change, current);
}
