/* update_table.h - UpdateTable's request, its checks, and what it makes of a table. */
#ifndef GRAMME_OPS_TABLE_UPDATE_TABLE_H
#define GRAMME_OPS_TABLE_UPDATE_TABLE_H

#include "ops/table/table_input.h"

struct index_name_input {
    struct slice index_name;
};

struct global_index_change_input {
    struct slice index_name;
    struct provisioned_throughput_input *provisioned_throughput;
    struct on_demand_throughput_input *on_demand_throughput;
    struct warm_throughput_input *warm_throughput;
};

/* Exactly one of them is meant to be given. */
struct global_index_update_input {
    struct global_index_change_input *update;
    struct global_index_input *create;
    struct index_name_input *delete;
};

struct vector_index_update_input {
    struct vector_index_input *create;
    struct index_name_input *delete;
};

struct replica_action_input {
    struct slice region_name;
};

struct replica_update_input {
    struct replica_action_input *create;
    struct replica_action_input *update;
    struct replica_action_input *delete;
    struct replica_action_input *disassociate;
};

struct update_table_request {
    struct slice table_name;                 /* or ARN */
    struct field_list attribute_definitions; /* struct attribute_definition_input */
    struct slice billing_mode;
    struct provisioned_throughput_input *provisioned_throughput;
    struct field_list global_secondary_index_updates; /* struct global_index_update_input */
    struct field_list vector_index_updates;           /* struct vector_index_update_input */
    struct stream_specification_input *stream_specification;
    struct sse_specification_input *sse_specification;
    struct field_list replica_updates; /* struct replica_update_input */
    struct setting_input settings[SETTING_COUNT];
    struct slice multi_region_consistency;
    struct field_bool global_table_witness_updates; /* FIELD_IGNORED */
    struct on_demand_throughput_input *on_demand_throughput;
    struct warm_throughput_input *warm_throughput;
    struct slice global_table_settings_replication_mode;
    struct field_bool disassociation_protection_enabled;
};

/* Everything that is wrong with a request before the table is looked at. */
struct error *update_table_check(struct arena *arena, const struct update_table_request *request);

struct table_update {
    const struct update_table_request *request;
    struct slice new_key_arn; /* of the key to use when encryption is switched on */
    int64_t now_ms;
};

/* What became of it, for the reply. */
struct update_outcome {
    bool changed;  /* false: the table is as the request wants it */
    bool updating; /* the service takes its time: the reply says UPDATING */
    bool sse_updating;
    bool warm_updating;
    bool on_demand_read_removed;
    bool on_demand_write_removed;
    struct slice deleted_index; /* absent: none */
};

/* Changes `definition`, a copy of the table's present definition, or fails. Nothing is changed that
 * the request does not name. */
struct error *update_table_apply(struct arena *arena, const struct table_update *update,
                                 struct table_definition *definition,
                                 struct update_outcome *ret_outcome);

/* ---- the parts of it that have files of their own ---- */

/* The capacity of a table or of an index, and what a request wants of it. */
struct capacity_change {
    struct slice index_name;   /* absent: the table */
    enum billing_mode billing; /* of the table, as it will be */
    const struct provisioned_throughput_input *given;
    const struct on_demand_throughput_input *given_on_demand;
    const struct warm_throughput_input *given_warm;
    struct provisioned_throughput *throughput;
    struct unit_pair *on_demand;
    struct unit_pair *warm;
    int64_t now_ms;
};

struct error *capacity_apply(struct arena *arena, const struct capacity_change *change,
                             struct update_outcome *outcome);

/* Billing mode and the table's capacity. */
struct error *update_throughput_apply(struct arena *arena, const struct table_update *update,
                                      struct table_definition *definition,
                                      struct update_outcome *outcome);

struct error *update_indexes_check(struct arena *arena, const struct update_table_request *request);
/* After the table's own capacity. */
struct error *update_indexes_apply(struct arena *arena, const struct table_update *update,
                                   struct table_definition *definition,
                                   struct update_outcome *outcome);

#endif
