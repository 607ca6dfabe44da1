/* backfill_cursor.c - the record of a cursor, and what it means to a write. */
#include "engine/backfill_cursor.h"

#include "engine/keyspace.h"

bool backfill_covers(bool filling, const struct table_stats *stats, struct slice item_key) {
    return !filling ||
           (slice_present(stats->cursor.key) && slice_compare(item_key, stats->cursor.key) <= 0);
}

struct error *backfill_load(struct arena *arena, struct store_txn *txn, struct table_stats *stats) {
    struct store_key key = catalog_key(backfill_key(arena, stats->id));
    struct slice cursor;
    TRY(store_get(txn, &key, &cursor));
    kept_key_release(&stats->cursor);
    if (slice_present(cursor))
        kept_key_set(&stats->cursor, cursor);
    return NULL;
}
