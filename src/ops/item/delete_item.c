/* delete_item.c - DeleteItem: removes an item, or makes sure that it is not there. */
#include "model/key.h"
#include "ops/item/item_call.h"
#include "ops/item/table_lookup.h"

static const struct field delete_item_fields[] = ITEM_REQUEST_FIELDS("Key");
static const struct shape delete_item_shape = {"DeleteItemInput", sizeof(struct item_request),
                                               delete_item_fields};

static struct error *validate(struct op_call *call) {
    TRY(item_call_new(call, WRITE_DELETE, NULL));
    TRY(item_call_check(call));
    return item_call_bind(call);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct item_request *request = call->request;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    TRY(key_check(call->arena, &table->definition.keys, request->attributes.value));
    return item_call_submit(call, table, ret_state);
}

const struct op op_delete_item = {
    .name = "DeleteItem",
    .action = "dynamodb:DeleteItem",
    .flags = OP_WRITES | OP_ENVELOPE | OP_SHARED,
    .input = &delete_item_shape,
    .validate = validate,
    .authorize = item_call_authorize,
    .run = run,
    .finish = item_call_finish,
    .release = item_call_release,
};
