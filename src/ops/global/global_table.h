/* global_table.h - what is said of global tables: of those of version 2017.11.29, which the service
 * no longer makes, and of those of version 2019.11.21, tables with replicas, which gramme does not
 * have. */
#ifndef GRAMME_OPS_GLOBAL_GLOBAL_TABLE_H
#define GRAMME_OPS_GLOBAL_GLOBAL_TABLE_H

#include "model/limits.h"
#include "ops/op.h"

#define GLOBAL_TABLE_NAME_FIELD(request)                                                          \
    {                                                                                             \
        NAMED("GlobalTableName"), AT(struct request, global_table_name),                          \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, .pattern = NAME_PATTERN,               \
            .resource = RESOURCE_GLOBAL_TABLE, LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX) \
    }

/* Requests that are only a name: DescribeGlobalTable, DescribeGlobalTableSettings. */
struct global_table_request {
    struct slice global_table_name;
};
extern const struct shape global_table_shape;

/* A member of ReplicationGroup, or of a change of it. */
struct replica_input {
    struct slice region_name;
};
extern const struct shape replica_shape;

/* There is none of that name, whatever the name is. */
struct error *global_table_not_found(struct arena *arena, struct slice name);
/* There will be none, either. */
struct error *global_table_not_supported(struct arena *arena);

/* The table of this name or ARN, there or not, has no replicas. */
struct error *replicas_not_found(struct op_call *call, struct slice name_or_arn);

#endif
