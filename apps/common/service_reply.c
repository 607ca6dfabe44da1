/* service_reply.c - what handlers of requests share. */
#include "common/service_reply.h"

#include "common/money.h"
#include "common/timestamp.h"

bool reply_read_money(const struct service_call *call, const char *name, int64_t low,
                      int64_t *ret_cents) {
    const char *text = ddb_item_number(call->body, name, "");
    char least[MONEY_TEXT_SIZE];
    int64_t cents;
    if (money_parse(text, &cents) && cents >= low) {
        *ret_cents = cents;
        return true;
    }
    money_format(low, least);
    app_bad_usage(call->app, "%s is an amount from %s on, with at most two decimals, not '%s'",
                  name, least, text);
    return false;
}

void reply_set_time(struct ddb_item *reply, const char *name, int64_t time_ms) {
    char time[TIMESTAMP_SIZE];
    timestamp_format_ms(time_ms, time);
    ddb_item_set_string(reply, name, time);
}

void reply_copy(struct ddb_item *reply, const struct ddb_item *item) {
    for (size_t i = 0; item != NULL && i < ddb_item_count(item); i++)
        ddb_item_set_value(reply, ddb_item_name_at(item, i), ddb_item_value_at(item, i));
}

enum app_status reply_items(struct service_call *call, const char *name, struct ddb_cursor *items,
                            size_t limit) {
    struct ddb_list *list = ddb_item_set_list(call->reply, name);
    size_t count = 0;
    for (const struct ddb_item *item; count < limit && (item = ddb_cursor_next(items)) != NULL;
         count++)
        reply_copy(ddb_list_add_map(list), item);
    bool ok = ddb_client_error(app_client(call->app)) == NULL;
    ddb_cursor_free(items);
    if (ok)
        return APP_OK;
    app_db_fail(call->app, "cannot read the %s", name);
    return reply_failure(call);
}

enum app_status reply_failure(struct service_call *call) {
    struct ddb_client *db = app_client(call->app);
    bool allowed = ddb_client_error(db) == NULL ||
                   ddb_client_failed_with(db, "ConditionalCheckFailedException") ||
                   ddb_client_failed_with(db, "TransactionCanceledException");
    call->status = allowed ? 409 : 503;
    return APP_FAILED;
}

enum app_status reply_missing(struct service_call *call, const char *what, const char *id) {
    call->status = 404;
    return app_fail(call->app, "there is no %s %s", what, id);
}
