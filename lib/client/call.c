/* call.c - any operation by its name: as JSON text, and as documents. */
#include "client/reply.h"
#include "client/request.h"

const char *ddb_call(struct ddb_client *client, const char *operation, const char *json) {
    if (!client_begin(client))
        return NULL;
    buffer_append_text(&client->request, json == NULL ? "{}" : json);
    operation = operation == NULL ? "" : operation;
    if (!client_send(client, operation, repeat_of_operation(operation)))
        return NULL;
    /* The reply's maximum leaves no room for the NUL when it is reached exactly. */
    client->reply.size_max++;
    buffer_append_byte(&client->reply, 0);
    client->reply.size_max--;
    return (const char *)client->reply.data;
}

static bool read_document(struct ddb_client *client, const char *operation,
                          struct ddb_item **ret_reply) {
    struct ddb_item *item = ddb_item_new();
    struct reply reply;
    reply_begin(&reply, client);
    bool empty = client->reply.len == 0;
    if (!empty)
        reply.wrong = !tree_read_plain(&reply.reader, item);
    bool ok = empty || reply_end(&reply, operation);
    if (ok && ret_reply != NULL)
        *ret_reply = item;
    else
        ddb_item_free(item);
    return ok;
}

bool ddb_call_document(struct ddb_client *client, const char *operation,
                       const struct ddb_item *parameters, struct ddb_item **ret_reply) {
    struct request request;
    operation = operation == NULL ? "" : operation;
    request_begin(&request, client, operation, &client->request);
    if (parameters != NULL) {
        request_check_item(&request, parameters);
        tree_write_plain_members(&request.writer, parameters);
    }
    return request_send(&request, repeat_of_operation(operation)) &&
           read_document(client, operation, ret_reply);
}
