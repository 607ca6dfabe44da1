/* list_tables.h - ListTables' request. */
#ifndef GRAMME_OPS_TABLE_LIST_TABLES_H
#define GRAMME_OPS_TABLE_LIST_TABLES_H

#include "ops/request/field.h"

struct list_tables_request {
    struct slice exclusive_start_table_name;
    struct field_int limit;
};

extern const struct shape list_tables_shape;

#endif
