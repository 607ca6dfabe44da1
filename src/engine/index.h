/* index.h - the entries of secondary indexes, derived from items. Private to this folder.
 *
 * An entry is a function of its item alone: it exists exactly when the item has all index key
 * attributes with the right types and sizes, and holds the key attributes of table and index and
 * what the index projects. So the change of an index is the difference between the entries of the
 * item before and after. */
#ifndef GRAMME_ENGINE_INDEX_H
#define GRAMME_ENGINE_INDEX_H

#include "codec/item.h"
#include "codec/key.h"
#include "model/table.h"

struct index_entry {
    struct slice key;    /* absent: the item is not in the index */
    struct slice stored; /* as an item (codec/item.h) */
};

/* `stored` is the item as it is stored; absent: there is none, and no entry. */
struct index_entry index_entry_of(struct arena *arena, const struct key_codec *codec,
                                  const struct table_definition *table,
                                  const struct table_index *index, struct slice stored);

/* DynamoDB's size of an entry; 0 when there is none. */
uint64_t index_entry_size(const struct index_entry *entry);

/* What a change of an item does to one index. */
struct index_difference {
    struct index_entry before;
    struct index_entry after;
    bool key_changed; /* both there, under different keys */
    bool identical;   /* both there, or neither; nothing to write */
};

struct index_difference index_difference_of(struct arena *arena, const struct key_codec *codec,
                                            const struct table_definition *table,
                                            const struct table_index *index, struct slice before,
                                            struct slice after);

#endif
