/* table_lookup.c - the data plane's table lookup. */
#include "ops/item/table_lookup.h"

#include "ops/table/table_input.h"

struct error *table_lookup(struct op_call *call, struct slice name_or_arn,
                           struct table **ret_table) {
    struct slice name;
    TRY(table_name_resolve(call, name_or_arn, &name));
    struct table *table = catalog_find(call->context->catalog, name);
    if (table == NULL || table->definition.status == TABLE_CREATING) /* it is being restored */
        return error_new(call->arena, ERROR_RESOURCE_NOT_FOUND, "Requested resource not found");
    *ret_table = table;
    return NULL;
}
