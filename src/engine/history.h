/* history.h - how a table was before: what every change replaced. Private to this folder; commit
 * thread.
 *
 * In the changes' keyspace stand the items before each change (codec/history.h), in the catalog the
 * definitions (past_definition_key()), both by table id and change number.
 *
 * A table keeps history while it has point-in-time recovery, and while a copy is made of it
 * (copy.h). The state at a number is the present one with all changes after it undone, from the
 * newest to the oldest. So a record is needed as long as someone may ask for a state before its
 * number, and what is older can be dropped without looking at it. */
#ifndef GRAMME_ENGINE_HISTORY_H
#define GRAMME_ENGINE_HISTORY_H

#include "engine/chore.h"
#include "engine/group.h"

/* Puts what the slot's item was before the group. */
void history_put_item(struct group *group, const struct slot *slot, struct store_txn *txn);

/* What a change of a table's definition does to its history; `before` is NULL for a new table.
 * Recovery that is turned on starts with this change: the definition gets its time. Turned off, the
 * history goes, unless a copy still reads it. Between the two the old definition is kept, under a
 * number after *last_number (0: after those that were committed), which is raised. */
void history_change(struct engine *engine, struct arena *arena, struct store_txn *txn,
                    const struct table_definition *before, struct table_definition *after,
                    uint64_t *last_number);
/* Drops the records with numbers below. */
void history_drop(struct arena *arena, struct store_txn *txn, uint32_t table_id, uint64_t below);
/* Of a table that a copy has read and does not need any more: drops what only the copy kept. */
void history_release(struct engine *engine, struct arena *arena, struct store_txn *txn,
                     uint32_t table_id);

/* The definition of a table after the change with that number, as it was stored. */
struct error *history_definition(struct engine *engine, struct arena *arena,
                                 const struct table *table, uint64_t number,
                                 struct slice *ret_stored);

/* A chore: drops history that is older than the tables' recovery periods. */
struct error *history_trim(struct engine *engine, struct arena *arena, enum chore_state *ret_state);

#endif
