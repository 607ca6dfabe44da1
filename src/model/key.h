/* key.h - the checks of primary keys against a schema, with the service's texts. */
#ifndef GRAMME_MODEL_KEY_H
#define GRAMME_MODEL_KEY_H

#include "base/error.h"
#include "model/table.h"

/* What key_check says of a key that lacks a part, has one too many, or one of another type. */
struct error *key_no_match(struct arena *arena);
/* Whether an item has every key attribute as the schema wants it. */
bool key_is_good(const struct key_schema *keys, struct value item);
/* A `Key` parameter: exactly the key attributes, of the right types, not empty, not too long. */
struct error *key_check(struct arena *arena, const struct key_schema *keys, struct value key);
/* An item that is put: as above, but it may have more, and the texts name what is missing or wrong.
 */
struct error *key_check_item(struct arena *arena, const struct key_schema *keys, struct value item);
/* An item of BatchWriteItem: as key_check_item with the texts of key_check. */
struct error *key_check_batch_item(struct arena *arena, const struct key_schema *keys,
                                   struct value item);
/* One value for one key attribute: empty (ERROR_EMPTY_KEY) or too long. */
struct error *key_check_value(struct arena *arena, const struct key_attribute *attribute, bool hash,
                              struct value value);

/* The text for a partition key, or for sort keys together, beyond their size limit. */
struct error *key_error_too_long(struct arena *arena, bool hash);
/* That for an item beyond its limit: ERROR_ITEM_TOO_LARGE. */
struct error *item_error_too_large(struct arena *arena);
/* Of an item that a write would leave: what a request gives is checked when it is read. */
struct error *item_check_depth(struct arena *arena, struct value item);

/* True for an attribute of the schema. */
bool key_schema_has(const struct key_schema *keys, struct slice name);

/* Only the key attributes of an item, as a value of type M: those of the table, and of an index
 * unless it is NULL. */
struct value key_of_item(struct arena *arena, const struct key_schema *keys,
                         const struct key_schema *index_keys, struct value item);

/* The i-th attribute: HASH attributes first, then RANGE attributes. */
size_t key_part_count(const struct key_schema *keys);
const struct key_attribute *key_part(const struct key_schema *keys, size_t i);

#endif
