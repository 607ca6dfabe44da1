/* index_entry.h - the value of an index entry: an item (item.h) with the attributes that the index
 * holds. Its key is in index_key.h. */
#ifndef GRAMME_CODEC_INDEX_ENTRY_H
#define GRAMME_CODEC_INDEX_ENTRY_H

#include "codec/item.h"
#include "model/table.h"

/* Of a stored item; where the index holds all attributes, the same bytes. */
struct slice index_entry_encode(struct arena *arena, const struct table_definition *table,
                                const struct table_index *index, struct slice stored);

#endif
