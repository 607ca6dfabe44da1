/* call.c - any operation by its name: as JSON text, and as documents. */
#include "client/reply.h"
#include "client/request.h"

static bool is_operation(const char *text) {
    size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
    return len > 0 && len <= 128 && text[len] == '\0';
}

/* Sends what the client's request holds. */
static bool send(struct ddb_client *client, const char *operation) {
    if (operation == NULL || !is_operation(operation))
        return client_fail(client, DDB_ERROR_INPUT, "that is not the name of an operation");
    const char *dot = strrchr(operation, '.');
    return client_send(client, operation, repeat_of_operation(dot == NULL ? operation : dot + 1));
}

const char *ddb_call(struct ddb_client *client, const char *operation, const char *json) {
    if (!client_begin(client))
        return NULL;
    buffer_append_text(&client->request, json == NULL ? "{}" : json);
    if (!send(client, operation))
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
    request_begin(&request, client, operation == NULL ? "" : operation, &client->request);
    if (parameters != NULL) {
        request_check_item(&request, parameters);
        tree_write_plain_members(&request.writer, parameters);
    }
    return request_end(&request) && send(client, operation) &&
           read_document(client, operation, ret_reply);
}
