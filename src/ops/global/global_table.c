/* global_table.c - the answers that the operations share. */
#include "ops/global/global_table.h"

#include "ops/request/arn.h"

static const struct field global_table_fields[] = {
    GLOBAL_TABLE_NAME_FIELD(global_table_request),
    FIELDS_END,
};
const struct shape global_table_shape = {"GlobalTableInput", sizeof(struct global_table_request),
                                         global_table_fields};

static const struct field replica_fields[] = {
    {NAMED("RegionName"), AT(struct replica_input, region_name), .type = FIELD_STRING},
    FIELDS_END,
};
const struct shape replica_shape = {"Replica", sizeof(struct replica_input), replica_fields};

static struct error *none_of_name(struct arena *arena, enum error_code code, struct slice name) {
    return error_new(arena, code, "Global table with name: '%.*s' does not exist.",
                     SLICE_ARGS(name));
}

struct error *global_table_not_found(struct arena *arena, struct slice name) {
    return none_of_name(arena, ERROR_GLOBAL_TABLE_NOT_FOUND, name);
}

struct error *replicas_not_found(struct op_call *call, struct slice name_or_arn) {
    struct slice name;
    TRY(table_name_resolve(call, name_or_arn, &name));
    return none_of_name(call->arena, ERROR_RESOURCE_NOT_FOUND, name);
}

struct error *global_table_not_supported(struct arena *arena) {
    return error_validation(
        arena, PVI "DynamoDB global tables version 2017.11.29 is not supported. We recommend using "
                   "DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 "
                   "(Legacy).");
}
