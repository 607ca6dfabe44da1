/* index_key.h - secondary indexes as far as items decide: which items an index holds, how large
 * their entries are, and the checks of attributes that are keys of an index, with the service's
 * texts. */
#ifndef GRAMME_MODEL_INDEX_KEY_H
#define GRAMME_MODEL_INDEX_KEY_H

#include "base/error.h"
#include "model/table.h"

/* ---- entries ---- */

/* The values of an item's index key, in the order of the schema. */
struct index_key_values {
    struct value hash[KEY_PARTS_MAX];
    struct value range[KEY_PARTS_MAX];
};

/* False when the item does not belong into the index: a key attribute is missing, of another type,
 * empty or too long. The attributes of a kind are measured together. */
bool index_key_find(const struct table_index *index, struct value item,
                    struct index_key_values *ret_values);

/* True when entries of the index hold the attribute. */
bool index_projects(const struct table_definition *table, const struct table_index *index,
                    struct slice name);

/* DynamoDB's size of the item and of its entries in the local indexes of its table. */
uint64_t index_local_bytes(const struct table_definition *table, struct value item,
                           uint64_t item_size);

/* ---- checks ---- */

/* An index that is being created takes what it can: the service refuses items that do not fit only
 * once it is ACTIVE. So the checks pass over it. */

/* An item that is put: every index key attribute it has, and its size with its local entries. */
struct error *index_check_put(struct arena *arena, const struct table_definition *table,
                              struct value item);
/* An item that an update made: the index key attributes that the update changed. What it left alone
 * is not checked, since an item may be older than the index. */
struct error *index_check_update(struct arena *arena, const struct table_definition *table,
                                 struct value before, struct value after);
/* An update that is known to give the attribute a value of that type, before any item is read. */
struct error *index_check_assigned(struct arena *arena, const struct table_definition *table,
                                   struct slice name, enum value_type type);

/* The attributes of a key that are of one kind do not outgrow its limit together; each alone has
 * passed. */
struct error *index_check_key_bytes(struct arena *arena, const struct key_schema *keys,
                                    struct value item);

/* True when the attribute is a key of some index; of the table or of some index. */
bool index_key_attribute(const struct table_definition *table, struct slice name);
bool table_key_attribute(const struct table_definition *table, struct slice name);

#endif
