/* backfill.h - filling an index that was added to a table with items. Private to this folder;
 * commit thread.
 *
 * An index that is being created has status CREATING. Its entries are made in steps, in the order
 * of the items' keys; each step is one store transaction between two groups of writes, and moves a
 * cursor that is stored with it. A write to an item at or before the cursor keeps the index as for
 * any other index; a write to an item after it leaves the index alone, since the item's turn will
 * come. So at every moment the index holds exactly the entries of the items up to the cursor,
 * whatever is written meanwhile, and after a crash the next step goes on where the last durable one
 * ended. */
#ifndef GRAMME_ENGINE_BACKFILL_H
#define GRAMME_ENGINE_BACKFILL_H

#include "engine/state.h"

/* True when writes to the item with that store key keep the index. */
bool backfill_covers(const struct table_index *index, const struct table_stats *stats,
                     struct slice item_key);

/* Reads the cursor of an index that is being created. */
struct error *backfill_load(struct arena *arena, struct store_txn *txn, struct table_stats *stats);

enum backfill_progress {
    BACKFILL_IDLE,    /* no index is being created */
    BACKFILL_STEPPED, /* there may be more to do */
    BACKFILL_FAILED,  /* nothing has changed: to be tried again, but not at once */
};

/* Does one step for one index. */
enum backfill_progress backfill_step(struct engine *engine, struct arena *arena);

/* The record that goes with an index, to be deleted with it. */
struct store_key backfill_cursor_key(struct arena *arena, uint32_t index_id);

#endif
