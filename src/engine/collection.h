/* collection.h - item collections: how much one partition key of a table with local indexes holds.
 * Private to this folder.
 *
 * The service limits it, and tells it to those who ask. A record per collection
 * (codec/collection.h) is kept in the same commit as the items. */
#ifndef GRAMME_ENGINE_COLLECTION_H
#define GRAMME_ENGINE_COLLECTION_H

#include "engine/group.h"

/* The key of the collection to which an item belongs. */
struct store_key collection_key(struct slice item_key);

/* An item and its entries in the local indexes of its table. */
uint64_t collection_bytes_of(const struct table_definition *table, struct slice stored);

/* Accounts for a change of an item: slot->current of the collection moves with it. Fails when the
 * collection would outgrow bytes_max; a change that makes it smaller is always fine. */
struct error *collection_change(struct arena *arena, struct slot *collection, struct slice before,
                                struct slice after, uint64_t bytes_max, uint64_t *ret_bytes);

#endif
