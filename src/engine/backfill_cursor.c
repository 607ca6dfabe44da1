/* backfill_cursor.c - the record of a cursor, and what it means to a write. */
#include "engine/backfill_cursor.h"

#include "engine/keyspace.h"

bool backfill_covers(bool filling, const struct table_stats *stats, struct slice item_key) {
    return !filling ||
           (slice_present(stats->cursor.key) && slice_compare(item_key, stats->cursor.key) <= 0);
}

struct store_key backfill_cursor_key(struct arena *arena, const struct table_stats *stats) {
    return catalog_key(backfill_key(arena, stats->id));
}

void backfill_cursor_take(struct slice cursor, struct table_stats *stats) {
    kept_key_release(&stats->cursor);
    if (slice_present(cursor))
        kept_key_set(&stats->cursor, cursor);
}
