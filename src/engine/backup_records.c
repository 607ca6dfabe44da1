/* backup_records.c - reading and writing backups' records. */
#include "engine/backup_records.h"

#include "codec/catalog.h"
#include "engine/keyspace.h"

/* ---- reading ---- */

struct error *backup_get(struct arena *arena, struct store_txn *txn, struct backup_id id,
                         struct backup *ret_backup) {
    struct store_key key = catalog_key(backup_key(arena, id.created_ms, id.id));
    struct slice record;
    TRY(store_get(txn, &key, &record));
    *ret_backup = (struct backup){.name = SLICE_NONE};
    if (!slice_present(record))
        return NULL;
    return backup_decode(arena, arena_slice(arena, record), ret_backup);
}

struct error *backup_table(struct arena *arena, const struct backup *backup,
                           struct table_definition *ret_definition) {
    return table_definition_decode(arena, backup->definition, ret_definition);
}

struct error *backup_list_open(struct arena *arena, struct store_txn *txn,
                               const struct backup_id *after, struct backup_list *ret_list) {
    *ret_list = (struct backup_list){arena, NULL};
    struct store_range range = range_in(KEYSPACE_CATALOG, backup_key_range(arena));
    if (after != NULL)
        range.first = key_after(arena, backup_key(arena, after->created_ms, after->id));
    return store_scan_open(txn, &range, false, &ret_list->scan);
}

struct error *backup_list_next(struct backup_list *list, struct backup *ret_backup) {
    bool found;
    struct slice key, value;
    TRY(store_scan_next(list->scan, &found, &key, &value));
    *ret_backup = (struct backup){.name = SLICE_NONE};
    if (!found)
        return NULL;
    return backup_decode(list->arena, arena_slice(list->arena, value), ret_backup);
}

void backup_list_close(struct backup_list *list) {
    store_scan_close(list->scan);
    list->scan = NULL;
}

/* ---- writing ---- */

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
