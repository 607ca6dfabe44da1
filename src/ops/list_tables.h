/* list_tables.h - ListTables' request, and the page it asks for. */
#ifndef GRAMME_OPS_LIST_TABLES_H
#define GRAMME_OPS_LIST_TABLES_H

#include "engine/catalog.h"
#include "ops/field.h"

struct list_tables_request {
    struct slice exclusive_start_table_name;
    struct field_int limit;
};

extern const struct shape list_tables_shape;

/* The reply for these tables, which are sorted by name. */
void list_tables_write(struct json_writer *json, const struct list_tables_request *request,
                       struct table *const *tables, size_t count);

#endif
