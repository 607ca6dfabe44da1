/* serve_accounts.c - merchants and accounts over HTTP. */
#include "serve_accounts.h"

#include "account.h"
#include "common/money.h"
#include "common/random.h"
#include "merchant.h"
#include "serve_reply.h"
#include "statement.h"

const struct service_parameter merchant_parameters[] = {
    {"name", SERVICE_BODY, SERVICE_STRING, true, "what people call it"},
    {"category", SERVICE_BODY, SERVICE_STRING, true, "Restaurant, say"},
    {"id", SERVICE_BODY, SERVICE_STRING, false, "a new UUID when not given"},
    {0},
};
const struct service_parameter account_parameters[] = {
    {"user", SERVICE_BODY, SERVICE_STRING, true, "whose account it is"},
    {"balance", SERVICE_BODY, SERVICE_NUMBER, true, "what is in it at first"},
    {"type", SERVICE_BODY, SERVICE_STRING, false, "checking, savings, ...; checking"},
    {"currency", SERVICE_BODY, SERVICE_STRING, false, "three capital letters; USD"},
    {"id", SERVICE_BODY, SERVICE_STRING, false, "a new UUID when not given"},
    {0},
};
const struct service_parameter statement_parameters[] = {
    {"after", SERVICE_QUERY, SERVICE_STRING, false, "`next` of the page before"},
    {0},
};

enum app_status post_merchant(struct service_call *call) {
    char uuid[UUID_TEXT_SIZE];
    uuid_random(uuid);
    const char *id = ddb_item_string(call->body, "id", uuid);
    const char *name = ddb_item_string(call->body, "name", "");
    const char *category = ddb_item_string(call->body, "category", "");
    if (!app_check_id(call->app, "id", id) || !app_check_text(call->app, "name", name) ||
        !app_check_text(call->app, "category", category))
        return APP_USAGE;
    if (merchant_make(call->app, id, name, category) != APP_OK)
        return reply_failure(call);
    ddb_item_set_string(call->reply, "ID", id);
    call->status = 201;
    return APP_OK;
}

enum app_status get_merchant(struct service_call *call) {
    return reply_entity_of(call, "merchant", "MERCHANT#");
}

enum app_status post_account(struct service_call *call) {
    char uuid[UUID_TEXT_SIZE];
    uuid_random(uuid);
    struct ddb_item *item = NULL;
    struct account_opening opening = {.id = ddb_item_string(call->body, "id", uuid),
                                      .user = ddb_item_string(call->body, "user", ""),
                                      .type = ddb_item_string(call->body, "type", "checking"),
                                      .currency = ddb_item_string(call->body, "currency", "USD")};
    if (!app_check_id(call->app, "id", opening.id) ||
        !app_check_id(call->app, "user", opening.user) ||
        !app_check_id(call->app, "type", opening.type) ||
        !money_check_currency(call->app, opening.currency) ||
        !reply_read_money(call, "balance", 0, &opening.balance))
        return APP_USAGE;
    if (account_make(call->app, &opening, &item) != APP_OK)
        return reply_failure(call);
    reply_entity(call->reply, item);
    ddb_item_free(item);
    call->status = 201;
    return APP_OK;
}

enum app_status get_account(struct service_call *call) {
    return reply_entity_of(call, "account", "ACCOUNT#");
}

static enum app_status change_status(struct service_call *call, const char *status) {
    struct ddb_item *item = NULL;
    if (!app_check_id(call->app, "account", call->path[0]))
        return APP_USAGE;
    if (account_change_status(call->app, call->path[0], status, &item) != APP_OK)
        return reply_failure(call);
    reply_entity(call->reply, item);
    ddb_item_free(item);
    return APP_OK;
}

enum app_status freeze_account(struct service_call *call) {
    return change_status(call, "frozen");
}

enum app_status unfreeze_account(struct service_call *call) {
    return change_status(call, "active");
}

enum app_status close_account(struct service_call *call) {
    return change_status(call, "closed");
}

enum app_status get_accounts(struct service_call *call) {
    const char *user = call->path[0];
    if (!app_check_id(call->app, "user", user))
        return APP_USAGE;
    struct ddb_cursor *accounts = entity_query(
        call->app,
        &(struct entity_query){
            .index = "GSI1", .condition = "GSI1PK = :pk", .pk_prefix = "USER#", .pk = user});
    return reply_items(call, "accounts", accounts, SERVE_ITEMS_MAX);
}

enum app_status get_statement(struct service_call *call) {
    struct statement statement = {.count = 0};
    if (!app_check_id(call->app, "account", call->path[0]))
        return APP_USAGE;
    enum app_status status =
        statement_read(call->app, call->path[0], service_query(call, "after", NULL), &statement);
    struct ddb_list *legs = ddb_item_set_list(call->reply, "legs");
    for (size_t i = 0; status == APP_OK && i < statement.count; i++) {
        struct ddb_item *leg = ddb_list_add_map(legs);
        reply_entity(leg, statement.lines[i].leg);
        money_set(leg, "BalanceAfter", statement.lines[i].balance);
    }
    if (status == APP_OK && *statement.next != '\0')
        ddb_item_set_string(call->reply, "next", statement.next);
    statement_release(&statement);
    return status == APP_FAILED ? reply_failure(call) : status;
}
