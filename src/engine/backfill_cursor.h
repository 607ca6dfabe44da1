/* backfill_cursor.h - how far a range is that is being filled (backfill.h). Private to this folder;
 * commit thread. */
#ifndef GRAMME_ENGINE_BACKFILL_CURSOR_H
#define GRAMME_ENGINE_BACKFILL_CURSOR_H

#include "engine/table_stats.h"

/* True when writes to the item with that store key keep its entry in the range of the statistics,
 * which is being filled or not. */
bool backfill_covers(bool filling, const struct table_stats *stats, struct slice item_key);

/* Reads the cursor of a range that is being filled, whatever was known. */
struct error *backfill_load(struct arena *arena, struct store_txn *txn, struct table_stats *stats);

#endif
