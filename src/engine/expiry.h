/* expiry.h - the items of a table in the order in which they expire. Private to this folder; commit
 * thread.
 *
 * A table with a TTL attribute has a range of keys, one for each item whose attribute is a number
 * of seconds since 1970 (codec/expiry_key.h). Like an index it is derived from the items and
 * written in their commits, and filled in steps when it is new (backfill.h), so sweeping (sweep.h)
 * costs what expires, not what is stored. */
#ifndef GRAMME_ENGINE_EXPIRY_H
#define GRAMME_ENGINE_EXPIRY_H

#include "engine/group.h"
#include "engine/index.h"

/* From this second on items are swept. What expired before is kept: it is hardly meant as a time.
 */
uint64_t expiry_oldest(int64_t now_ms);
/* Items expire before this second. */
uint64_t expiry_end(int64_t now_ms);

/* When the item expires. False: never, since its attribute is missing, of another type or out of
 * range. */
bool expiry_of(const struct table_definition *table, struct value item, uint64_t *ret_seconds);

/* The entry of a stored item; its key is absent when there is none. */
struct index_entry expiry_entry_of(struct arena *arena, const struct table_definition *table,
                                   struct slice item_key, struct slice stored);

/* Writes what the change of a slot does to its table's expiries. The table has a TTL attribute. */
void expiry_flush(struct group *group, const struct slot *slot, struct store_txn *txn);

#endif
