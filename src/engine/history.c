/* history.c - records of what was before. */
#include "engine/history.h"

#include "codec/catalog.h"
#include "codec/history.h"
#include "engine/keyspace.h"
#include "engine/sequence.h"

/* ---- writing ---- */

void history_put_item(struct group *group, const struct slot *slot, struct store_txn *txn) {
    struct history_record record = {key_without_id(slot->key), slot->committed};
    struct store_key key = {
        KEYSPACE_CHANGES,
        history_key(group->arena, slot->table->definition.id, group_take_number(group)),
    };
    store_put(txn, &key, history_record_encode(group->arena, &record));
}

void history_drop(struct arena *arena, struct store_txn *txn, uint32_t table_id, uint64_t below) {
    struct store_range items = {KEYSPACE_CHANGES, history_key(arena, table_id, 0),
                                history_key(arena, table_id, below)};
    struct store_range definitions = {KEYSPACE_CATALOG, past_definition_key(arena, table_id, 0),
                                      past_definition_key(arena, table_id, below)};
    store_delete_range(txn, &items);
    store_delete_range(txn, &definitions);
}

void history_release(const struct catalog *catalog, struct arena *arena, struct store_txn *txn,
                     uint32_t table_id) {
    const struct table *table = catalog_current_by_id(catalog, table_id);
    if (table == NULL)
        return;
    const struct table_definition *definition = &table->definition;
    history_drop(arena, txn, table_id,
                 definition->pitr_days > 0 ? sequence_at(definition->pitr_since_ms) : HISTORY_ALL);
}

/* ---- reading ---- */

static struct error *first_value(struct arena *arena, struct store_txn *txn,
                                 const struct store_range *range, struct slice *ret_value) {
    struct store_scan *scan;
    TRY(store_scan_open(txn, range, false, &scan));
    bool found;
    struct slice key, value;
    struct error *error = store_scan_next(scan, &found, &key, &value);
    if (error == NULL)
        *ret_value = found ? arena_slice(arena, value) : SLICE_NONE;
    store_scan_close(scan);
    return error;
}

struct error *history_definition(struct store *store, struct arena *arena,
                                 const struct table *table, uint64_t number,
                                 struct slice *ret_stored) {
    uint32_t id = table->definition.id;
    struct store_range later = {KEYSPACE_CATALOG, past_definition_key(arena, id, number + 1),
                                past_definition_key(arena, id, HISTORY_ALL)};
    struct store_txn *txn;
    struct slice stored = SLICE_NONE;
    TRY(store_begin(store, arena, STORE_READ, &txn));
    struct error *error = first_value(arena, txn, &later, &stored);
    store_end(txn);
    TRY(error);
    *ret_stored =
        slice_present(stored) ? stored : table_definition_encode(arena, &table->definition);
    return NULL;
}
