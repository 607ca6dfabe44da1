/* history_keep.h - which history (history.h) tables have. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_HISTORY_KEEP_H
#define GRAMME_ENGINE_HISTORY_KEEP_H

#include "engine/chore.h"
#include "model/table.h"
#include "store/store.h"

struct engine;

/* What a change of a table's definition does to its history; `before` is NULL for a new table.
 * Recovery that is turned on starts with this change: the definition gets its time. Turned off, the
 * history goes, unless a copy still reads it. Between the two the old definition is kept, under a
 * number after *last_number (0: after those that were committed), which is raised. */
void history_change(struct engine *engine, struct arena *arena, struct store_txn *txn,
                    const struct table_definition *before, struct table_definition *after,
                    uint64_t *last_number);
/* A chore: drops history that is older than the tables' recovery periods. */
struct error *history_trim(struct engine *engine, struct arena *arena, enum chore_state *ret_state);

#endif
