/* put_item.c - PutItem: makes or replaces an item. */
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/item/item_call.h"
#include "ops/item/table_lookup.h"

static const struct field put_item_fields[] = ITEM_REQUEST_FIELDS("Item");
static const struct shape put_item_shape = {"PutItemInput", sizeof(struct item_request),
                                            put_item_fields};

static struct error *validate(struct op_call *call) {
    const struct item_request *request = call->request;
    TRY(item_call_new(call, WRITE_PUT, NULL));
    TRY(item_call_check(call));
    if (item_size(request->attributes.value) > LIMIT_ITEM_BYTES)
        return item_error_too_large(call->arena);
    return item_call_bind(call);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct item_request *request = call->request;
    struct value item = request->attributes.value;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    TRY(key_check_item(call->arena, &table->definition.keys, item));
    TRY(index_check_put(call->arena, &table->definition, item));
    return item_call_submit(call, table, ret_state);
}

const struct op op_put_item = {
    .name = "PutItem",
    .action = "dynamodb:PutItem",
    .flags = OP_WRITES | OP_ENVELOPE | OP_SHARED,
    .input = &put_item_shape,
    .validate = validate,
    .authorize = item_call_authorize,
    .run = run,
    .finish = item_call_finish,
    .release = item_call_release,
};
