/* backfill_cursor.h - how far a range is that is being filled (backfill.h). Private to this folder;
 * commit thread. */
#ifndef GRAMME_ENGINE_BACKFILL_CURSOR_H
#define GRAMME_ENGINE_BACKFILL_CURSOR_H

#include "engine/table_stats.h"

/* True when writes to the item with that store key keep its entry in the range of the statistics,
 * which is being filled or not. */
bool backfill_covers(bool filling, const struct table_stats *stats, struct slice item_key);

/* Where the cursor of a range that is being filled is in the store, and what is found there, which
 * counts whatever was known. */
struct store_key backfill_cursor_key(struct arena *arena, const struct table_stats *stats);
void backfill_cursor_take(struct slice cursor, struct table_stats *stats);

#endif
