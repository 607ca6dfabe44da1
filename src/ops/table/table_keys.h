/* table_keys.h - key schemas and projections of tables and indexes: the service's checks, and what
 * they become.
 *
 * `keys` is a KeySchema: a list of struct key_schema_element_input, at least one. */
#ifndef GRAMME_OPS_TABLE_TABLE_KEYS_H
#define GRAMME_OPS_TABLE_TABLE_KEYS_H

#include "ops/request/name_order.h"
#include "ops/request/name_set.h"
#include "ops/table/table_input.h"

/* A request's AttributeDefinitions. */
struct definitions {
    const struct field_list *list; /* struct attribute_definition_input */
    struct name_set names;
};

struct definitions definitions_of(struct arena *arena, const struct field_list *list);

/* Keys of a table or a local index: one HASH and at most one RANGE, all defined. */
struct error *table_keys_check(struct arena *arena, const struct field_list *keys,
                               const struct definitions *definitions);
/* Keys of a global index: up to four of each kind. */
struct error *global_keys_check(struct arena *arena, const struct field_list *keys,
                                const struct definitions *definitions);
/* Of them only that no name comes twice. */
struct error *global_keys_check_names(struct arena *arena, const struct field_list *keys);
/* "Attribute Name is duplicated" */
struct error *definitions_check_unique(struct arena *arena, const struct definitions *definitions);

struct error *projection_check(struct arena *arena, const struct projection_input *projection);
/* NonKeyAttributes of all indexes of a table together. */
struct error *projected_attributes_check(struct arena *arena, size_t count);

/* "[a, b]", each name once, in the order in which the service prints sets (name_order.h). */
struct slice names_print_set(struct arena *arena, const struct name_set *names, size_t buckets_min);
struct slice definitions_print(struct arena *arena, const struct definitions *definitions);
/* "Schema:[SchemaElement: key{a:S:HASH}]" */
struct slice key_schema_print(struct arena *arena, const struct key_schema *keys);

/* From checked input. The slices are those of the input. */
struct key_schema key_schema_of(const struct field_list *keys,
                                const struct definitions *definitions);
/* Sorted by name. */
struct attribute_definition *attributes_of(struct arena *arena,
                                           const struct definitions *definitions);

#endif
