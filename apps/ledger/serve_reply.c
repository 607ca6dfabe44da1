/* serve_reply.c - items of the table as replies. */
#include "serve_reply.h"

#include "entity.h"

void reply_entity(struct ddb_item *reply, const struct ddb_item *item) {
    static const char *const keys[] = {"PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"};
    reply_copy(reply, item);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        ddb_item_remove(reply, keys[i]);
}

enum app_status reply_entity_of(struct service_call *call, const char *what, const char *prefix) {
    struct ddb_item *item = NULL;
    if (!app_check_id(call->app, what, call->path[0]))
        return APP_USAGE;
    if (!entity_read(call->app, prefix, call->path[0], &item))
        return reply_failure(call);
    if (item == NULL)
        return reply_missing(call, what, call->path[0]);
    reply_entity(call->reply, item);
    ddb_item_free(item);
    return APP_OK;
}
