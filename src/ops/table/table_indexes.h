/* table_indexes.h - from an index in a request, checked, to an index of a table's definition. The
 * slices are those of the request. Ids are the engine's to give; the status is ACTIVE. */
#ifndef GRAMME_OPS_TABLE_TABLE_INDEXES_H
#define GRAMME_OPS_TABLE_TABLE_INDEXES_H

#include "ops/table/table_keys.h"

struct table_index local_index_of(struct arena *arena, const struct local_index_input *input,
                                  const struct definitions *definitions);
struct table_index global_index_of(struct arena *arena, const struct global_index_input *input,
                                   const struct definitions *definitions);

/* Leaves out the attribute definitions that no key uses any more. */
void table_prune_attributes(struct arena *arena, struct table_definition *definition);

#endif
