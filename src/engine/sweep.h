/* sweep.h - deleting the items that have expired. Private to this folder; commit thread.
 *
 * A chore: each step takes the entries of one table whose time has come (expiry.h), some dozens at
 * most, and deletes their items by the path of all writes, so that indexes, collections,
 * statistics and records of changes follow. A step is one commit. Of a table with
 * a stream it is as durable as any other; of others a power failure may take back the last 100 ms,
 * which are then deleted again. When jobs wait, or when
 * other threads want the processors, steps have a pause between them.
 *
 * Each table remembers where its next entry is at the earliest, so that a look costs a comparison
 * while nothing is due, and a step does not pass over what the steps before have deleted. */
#ifndef GRAMME_ENGINE_SWEEP_H
#define GRAMME_ENGINE_SWEEP_H

#include "base/error.h"
#include "engine/chore.h"

struct engine;

struct error *sweep_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state);

#endif
