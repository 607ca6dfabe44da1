/* global_table.h - global tables of version 2017.11.29, which the service no longer makes: what its
 * operations on them still say. */
#ifndef GRAMME_OPS_GLOBAL_GLOBAL_TABLE_H
#define GRAMME_OPS_GLOBAL_GLOBAL_TABLE_H

#include "model/limits.h"
#include "ops/op.h"

#define GLOBAL_TABLE_NAME_FIELD(request)                                                   \
    {                                                                                      \
        NAMED("GlobalTableName"), AT(struct request, global_table_name),                   \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, .pattern = NAME_PATTERN,        \
            .resource = RESOURCE_TABLE, LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX) \
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

#endif
