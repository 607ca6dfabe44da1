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

#include "engine/catalog.h"
#include "engine/group.h"

/* Puts what the slot's item was before the group. */
void history_put_item(struct group *group, const struct slot *slot, struct store_txn *txn);

/* Drops the records with numbers below. */
#define HISTORY_ALL UINT64_MAX
void history_drop(struct arena *arena, struct store_txn *txn, uint32_t table_id, uint64_t below);
/* Of a table that a copy has read and does not need any more: drops what only the copy kept. */
void history_release(const struct catalog *catalog, struct arena *arena, struct store_txn *txn,
                     uint32_t table_id);

/* The definition of a table after the change with that number, as it was stored. */
struct error *history_definition(struct store *store, struct arena *arena,
                                 const struct table *table, uint64_t number,
                                 struct slice *ret_stored);

#endif
