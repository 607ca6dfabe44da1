/* account.c - opens, reads and lists accounts. */
#include "account.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/random.h"

bool account_read(struct app *app, const char *id, struct account *ret_account) {
    struct ddb_item *item = NULL;
    if (!entity_read(app, "ACCOUNT#", id, &item))
        return false;
    struct account account = {.found = item != NULL};
    bool ok = true;
    if (item != NULL) {
        account.active = strcmp(ddb_item_string(item, "Status", ""), "active") == 0;
        snprintf(account.currency, sizeof(account.currency), "%s",
                 ddb_item_string(item, "Currency", ""));
        money_get(item, "OpeningBalance", &account.opening_balance);
        ok = money_get(item, "Balance", &account.balance);
        if (!ok)
            app_fail(app, "the balance of account %s is not an amount of money", id);
    }
    ddb_item_free(item);
    if (ok)
        *ret_account = account;
    return ok;
}

static void print_account(const struct ddb_item *item) {
    int64_t cents = 0;
    char balance[MONEY_TEXT_SIZE];
    bool known = money_get(item, "Balance", &cents);
    money_format(cents, balance);
    printf("%s %s %s %s %s %s\n", ddb_item_string(item, "ID", "?"),
           ddb_item_string(item, "UserID", "?"), ddb_item_string(item, "AccountType", "?"),
           known ? balance : "?", ddb_item_string(item, "Currency", "?"),
           ddb_item_string(item, "Status", "?"));
}

const struct app_option account_open_options[] = {
    {"user", "USER", "whose account it is", true},
    {"type", "TYPE", "checking, savings, ...; checking when not given", false},
    {"currency", "CODE", "three capital letters; USD when not given", false},
    {"balance", "AMOUNT", "what is in it at first", true},
    {"id", "ID", "its id; a new UUID when not given", false},
    {0},
};

enum app_status account_open(struct app *app) {
    char uuid[UUID_TEXT_SIZE];
    uuid_random(uuid);
    const char *id = app_option(app, "id", uuid), *user = app_option(app, "user", "");
    const char *type = app_option(app, "type", "checking");
    const char *currency = app_option(app, "currency", "USD");
    int64_t balance;
    if (!app_check_id(app, "--id", id) || !app_check_id(app, "--user", user) ||
        !app_check_id(app, "--type", type) || !money_check_currency(app, currency) ||
        !money_option(app, "balance", 0, &balance))
        return APP_USAGE;
    struct ddb_item *item = entity_key("ACCOUNT#", id);
    entity_set(item, "GSI1PK", "USER#", user);
    entity_set(item, "GSI1SK", "ACCOUNT#", id);
    ddb_item_set_string(item, "Type", "Account");
    ddb_item_set_string(item, "ID", id);
    ddb_item_set_string(item, "UserID", user);
    ddb_item_set_string(item, "AccountType", type);
    ddb_item_set_string(item, "Currency", currency);
    ddb_item_set_string(item, "Status", "active");
    money_set(item, "Balance", balance);
    money_set(item, "OpeningBalance", balance);
    enum app_status status = entity_add(app, "an account", item);
    if (status == APP_OK)
        print_account(item);
    ddb_item_free(item);
    return status;
}

enum app_status account_show(struct app *app) {
    const char *id = app_operand(app, 0);
    struct ddb_item *item = NULL;
    if (!app_check_id(app, "ACCOUNT", id))
        return APP_USAGE;
    if (!entity_read(app, "ACCOUNT#", id, &item))
        return APP_FAILED;
    if (item == NULL)
        return app_fail(app, "there is no account %s", id);
    print_account(item);
    ddb_item_free(item);
    return APP_OK;
}

enum app_status account_list(struct app *app) {
    const char *user = app_operand(app, 0);
    if (!app_check_id(app, "USER", user))
        return APP_USAGE;
    struct ddb_cursor *accounts = entity_query(
        app, &(struct entity_query){
                 .index = "GSI1", .condition = "GSI1PK = :pk", .pk_prefix = "USER#", .pk = user});
    for (const struct ddb_item *item; (item = ddb_cursor_next(accounts)) != NULL;)
        print_account(item);
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the accounts of %s", user);
    ddb_cursor_free(accounts);
    return status;
}
