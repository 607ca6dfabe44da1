/* backfill.h - filling an index that was added to a table with items, or the range of expiries of a
 * table that was given a TTL attribute (expiry.h). Private to this folder; commit thread.
 *
 * An index that is being created has status CREATING; expiries are ttl_building. Their entries are
 * made in steps, in the order of the items' keys; each step is one store transaction between two
 * groups of writes, and moves a cursor that is stored with it. A write to an item at or before the
 * cursor keeps the entries as for any other index; a write to an item after it leaves them alone,
 * since the item's turn will come. So at every moment there are exactly the entries of the items up
 * to the cursor, whatever is written meanwhile, and after a crash the next step goes on where the
 * last durable one ended. */
#ifndef GRAMME_ENGINE_BACKFILL_H
#define GRAMME_ENGINE_BACKFILL_H

#include "base/error.h"
#include "engine/chore.h"

struct engine;

/* A chore: does one step for one range. */
struct error *backfill_step(struct engine *engine, struct arena *arena,
                            enum chore_state *ret_state);

#endif
