/* write.c - PutItem, UpdateItem and DeleteItem. */
#include "client/write.h"

#include "client/reply.h"

void write_members(struct request *request, enum ddb_action action, const struct ddb_write *write) {
    request_table(request, write->table);
    if (action == DDB_PUT)
        request_needed_item(request, "Item", write->item);
    else
        request_needed_item(request, "Key", write->key);
    if (action == DDB_UPDATE)
        request_text(request, "UpdateExpression", write->update);
    else if (write->update != NULL)
        request_wrong(request, "`update` is for updates only");
    request_text(request, "ConditionExpression", write->condition);
    request_names(request, write->names);
    request_values(request, write->values);
    if (write->return_item_on_failure)
        request_text(request, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
}

static const char *const return_names[] = {
    [DDB_RETURN_NOTHING] = NULL,
    [DDB_RETURN_ALL_OLD] = "ALL_OLD",
    [DDB_RETURN_ALL_NEW] = "ALL_NEW",
    [DDB_RETURN_UPDATED_OLD] = "UPDATED_OLD",
    [DDB_RETURN_UPDATED_NEW] = "UPDATED_NEW",
};

static bool send_write(struct ddb_client *client, const char *operation, enum ddb_action action,
                       const struct ddb_write *write, struct ddb_item **ret_attributes) {
    struct request request;
    request_begin(&request, client, operation, &client->request);
    write_members(&request, action, write);
    if ((unsigned)write->return_values > DDB_RETURN_UPDATED_NEW)
        request_wrong(&request, "`return_values` is none of enum ddb_return");
    else
        request_text(&request, "ReturnValues", return_names[write->return_values]);
    enum repeat repeat = action == DDB_UPDATE && !write->idempotent ? REPEAT_NEVER : REPEAT_SAME;
    return request_send(&request, repeat) &&
           reply_read_item(client, operation, "Attributes", ret_attributes);
}

bool ddb_put_item(struct ddb_client *client, const struct ddb_write *put,
                  struct ddb_item **ret_attributes) {
    return send_write(client, "PutItem", DDB_PUT, put, ret_attributes);
}

bool ddb_update_item(struct ddb_client *client, const struct ddb_write *update,
                     struct ddb_item **ret_attributes) {
    return send_write(client, "UpdateItem", DDB_UPDATE, update, ret_attributes);
}

bool ddb_delete_item(struct ddb_client *client, const struct ddb_write *deletion,
                     struct ddb_item **ret_attributes) {
    return send_write(client, "DeleteItem", DDB_DELETE, deletion, ret_attributes);
}
