/* restore_overrides.h - what a restored table has, and what a request may change of it.
 *
 * A table gets the keys, indexes, throughput, encryption and class that its source had. Tags, TTL,
 * streams, recovery and deletion protection are not restored. */
#ifndef GRAMME_OPS_BACKUP_RESTORE_OVERRIDES_H
#define GRAMME_OPS_BACKUP_RESTORE_OVERRIDES_H

#include "ops/op.h"
#include "ops/table/table_input.h"

struct restore_overrides {
    struct slice billing_mode;
    struct field_list global_indexes; /* struct global_index_input */
    struct field_list local_indexes;  /* struct local_index_input */
    struct provisioned_throughput_input *throughput;
    struct on_demand_throughput_input *on_demand;
    struct sse_specification_input *sse;
    struct field_list vector_indexes; /* struct vector_index_input */
};

/* Rows of the field table of a request with a member `overrides`. */
#define RESTORE_OVERRIDE_FIELDS(request)                                                      \
    {NAMED("BillingModeOverride"), AT(struct request, overrides.billing_mode),                \
     .type = FIELD_STRING, .enum_text = billing_mode_printed},                                \
        {NAMED("GlobalSecondaryIndexOverride"), AT(struct request, overrides.global_indexes), \
         .type = FIELD_STRUCT_LIST, .shape = &global_index_shape},                            \
        {NAMED("LocalSecondaryIndexOverride"), AT(struct request, overrides.local_indexes),   \
         .type = FIELD_STRUCT_LIST, .shape = &local_index_shape},                             \
        {NAMED("ProvisionedThroughputOverride"), AT(struct request, overrides.throughput),    \
         .type = FIELD_STRUCT, .shape = &provisioned_throughput_shape},                       \
        {NAMED("OnDemandThroughputOverride"), AT(struct request, overrides.on_demand),        \
         .type = FIELD_STRUCT, .shape = &on_demand_throughput_shape},                         \
        {NAMED("SSESpecificationOverride"), AT(struct request, overrides.sse),                \
         .type = FIELD_STRUCT, .shape = &sse_specification_shape},                            \
    {                                                                                         \
        NAMED("VectorIndexOverride"), AT(struct request, overrides.vector_indexes),           \
            .type = FIELD_STRUCT_LIST, .shape = &vector_index_shape                           \
    }

/* What is wrong with them whatever the source looks like. */
struct error *restore_overrides_check(struct arena *arena,
                                      const struct restore_overrides *overrides);

/* The new table's definition, from that of its source; name, ids and times are left to the caller.
 * `new_key_arn` is for a table that gets a key. */
struct error *restore_overrides_apply(struct arena *arena,
                                      const struct restore_overrides *overrides,
                                      const struct table_definition *source,
                                      struct slice new_key_arn,
                                      struct table_definition *ret_definition);

#endif
