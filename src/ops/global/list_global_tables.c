/* list_global_tables.c - ListGlobalTables: an empty list. */
#include "json/member.h"
#include "ops/global/global_table.h"

struct list_global_tables_request {
    struct slice exclusive_start_global_table_name;
    struct field_int limit;
    struct slice region_name;
};

static const struct field list_global_tables_fields[] = {
    {NAMED("ExclusiveStartGlobalTableName"),
     AT(struct list_global_tables_request, exclusive_start_global_table_name), .type = FIELD_STRING,
     .pattern = NAME_PATTERN, LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)},
    {NAMED("Limit"), AT(struct list_global_tables_request, limit), .type = FIELD_INTEGER,
     AT_LEAST(1)},
    {NAMED("RegionName"), AT(struct list_global_tables_request, region_name), .type = FIELD_STRING},
    FIELDS_END,
};
static const struct shape list_global_tables_shape = {
    "ListGlobalTablesInput", sizeof(struct list_global_tables_request), list_global_tables_fields};

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "GlobalTables");
    json_array_end(&json);
    json_object_end(&json);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_list_global_tables = {
    .name = "ListGlobalTables",
    .action = "dynamodb:ListGlobalTables",
    .flags = OP_CONTROL | OP_NO_RESOURCE,
    .input = &list_global_tables_shape,
    .run = run,
};
