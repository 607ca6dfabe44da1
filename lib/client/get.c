/* get.c - GetItem. */
#include "client/get.h"

#include "client/reply.h"

void get_members(struct request *request, const struct ddb_get *get) {
    request_table(request, get->table);
    request_needed_item(request, "Key", get->key);
    request_true(request, "ConsistentRead", get->consistent);
    request_text(request, "ProjectionExpression", get->projection);
    request_names(request, get->names);
}

bool ddb_get_item(struct ddb_client *client, const struct ddb_get *get,
                  struct ddb_item **ret_item) {
    struct request request;
    request_begin(&request, client, "GetItem", &client->request);
    get_members(&request, get);
    return request_send(&request, REPEAT_READ) &&
           reply_read_item(client, request.operation, "Item", ret_item);
}
