/* table_lookup.h - from the TableName of a data-plane request to the table. */
#ifndef GRAMME_OPS_ITEM_TABLE_LOOKUP_H
#define GRAMME_OPS_ITEM_TABLE_LOOKUP_H

#include "engine/table.h"
#include "ops/op.h"

/* A name or an ARN. Borrowed from the thread's view of the catalog. */
struct error *table_lookup(struct op_call *call, struct slice name_or_arn,
                           struct table **ret_table);

#endif
