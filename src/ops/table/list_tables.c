/* list_tables.c - ListTables: names in the order of their bytes, a page at a time. */
#include "engine/catalog.h"
#include "json/member.h"
#include "model/limits.h"
#include "ops/op.h"

struct list_tables_request {
    struct slice exclusive_start_table_name;
    struct field_int limit;
};

static const struct field list_tables_fields[] = {
    {NAMED("ExclusiveStartTableName"), AT(struct list_tables_request, exclusive_start_table_name),
     .type = FIELD_STRING, .pattern = NAME_PATTERN,
     LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)},
    {NAMED("Limit"), AT(struct list_tables_request, limit), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_LIST_TABLES)},
    FIELDS_END,
};
static const struct shape list_tables_shape = {
    "ListTablesInput", sizeof(struct list_tables_request), list_tables_fields};

/* The first table after the name. */
static size_t position_after(struct table *const *tables, size_t count, struct slice name) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (slice_compare(tables[middle]->definition.name, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The reply for these tables, which are sorted by name. */
static void list_tables_write(struct json_writer *json, const struct list_tables_request *request,
                              struct table *const *tables, size_t count) {
    size_t limit = request->limit.present ? (size_t)request->limit.value : LIMIT_LIST_TABLES;
    size_t start = 0;
    if (slice_present(request->exclusive_start_table_name))
        start = position_after(tables, count, request->exclusive_start_table_name);
    size_t end = count - start > limit ? start + limit : count;
    json_object_begin(json);
    member_array(json, "TableNames");
    for (size_t i = start; i < end; i++)
        json_string(json, tables[i]->definition.name);
    json_array_end(json);
    if (end < count)
        member_text(json, "LastEvaluatedTableName", tables[end - 1]->definition.name);
    json_object_end(json);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct table *const *tables;
    size_t count = catalog_tables(call->context->catalog, &tables);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    list_tables_write(&json, call->request, tables, count);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_list_tables = {
    .name = "ListTables",
    .action = "dynamodb:ListTables",
    .flags = OP_CONTROL | OP_NO_RESOURCE,
    .input = &list_tables_shape,
    .run = run,
};
