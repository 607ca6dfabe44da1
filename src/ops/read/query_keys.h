/* query_keys.h - the key conditions of a Query against the keys of a table or an index: the checks
 * that need the schema, in the service's order. */
#ifndef GRAMME_OPS_READ_QUERY_KEYS_H
#define GRAMME_OPS_READ_QUERY_KEYS_H

#include "engine/read.h"

/* How many key attributes can have conditions: of a table or a plain index, and of any index. */
enum { QUERY_CONDITIONS_PLAIN_MAX = 2, QUERY_CONDITIONS_MAX = 2 * KEY_PARTS_MAX };

/* The keys of range->index, or of the table when there is none. */
const struct key_schema *query_keys_schema(const struct read_range *range);
/* True for keys with several attributes of a kind, which the service checks in its own way. */
bool query_keys_are_many(const struct key_schema *keys);

/* ExclusiveStartKey has the right attributes. */
struct error *query_keys_check_start(struct arena *arena, const struct read_range *range);
/* Not more conditions than key attributes. */
struct error *query_keys_check_count(struct arena *arena, const struct key_schema *keys,
                                     size_t count);
/* Fills range->hash and range->sort from the conditions. */
struct error *query_keys_match(struct arena *arena, const struct key_condition *conditions,
                               size_t count, struct read_range *range);
/* ExclusiveStartKey lies in what the conditions select. */
struct error *query_keys_check_bounds(struct arena *arena, const struct read_range *range);
/* And something can come after it. */
struct error *query_keys_check_restart(struct arena *arena, const struct read_range *range);

#endif
