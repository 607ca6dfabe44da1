/* create_table.h - CreateTable's request, and its checks in the service's order. */
#ifndef GRAMME_OPS_TABLE_CREATE_TABLE_H
#define GRAMME_OPS_TABLE_CREATE_TABLE_H

#include "ops/table/table_input.h"

struct create_table_request {
    struct slice table_name;                    /* or ARN */
    struct field_list attribute_definitions;    /* struct attribute_definition_input */
    struct field_list key_schema;               /* struct key_schema_element_input */
    struct field_list local_secondary_indexes;  /* struct local_index_input */
    struct field_list global_secondary_indexes; /* struct global_index_input */
    struct field_list vector_indexes;           /* struct vector_index_input */
    struct slice billing_mode;
    struct provisioned_throughput_input *provisioned_throughput;
    struct stream_specification_input *stream_specification;
    struct sse_specification_input *sse_specification;
    struct field_list tags; /* struct tag_input */
    struct setting_input settings[SETTING_COUNT];
    struct warm_throughput_input *warm_throughput;
    struct on_demand_throughput_input *on_demand_throughput;
    struct slice resource_policy;
    struct slice global_table_source_arn;
    struct slice global_table_settings_replication_mode;
};

/* Everything that is wrong with a request before the catalog is looked at. */
struct error *create_table_check(struct arena *arena, const struct create_table_request *request,
                                 unsigned leniencies);

#endif
