/* account.c - opens, reads, freezes and closes accounts. */
#include "account.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "posting.h"

#define SYSTEM "system-"

enum { TRIES_MAX = 30 };

void account_system_id(const char *purpose, const char *currency, char ret_id[LEDGER_ID_SIZE]) {
    snprintf(ret_id, LEDGER_ID_SIZE, SYSTEM "%s-%s", purpose, currency);
}

bool account_is_system(const char *id) {
    return strncmp(id, SYSTEM, strlen(SYSTEM)) == 0;
}

bool account_read(struct app *app, const char *id, struct account *ret_account) {
    struct ddb_item *item = NULL;
    if (!entity_read(app, "ACCOUNT#", id, &item))
        return false;
    struct account account = {.found = item != NULL};
    bool ok = true;
    if (item != NULL) {
        snprintf(account.status, sizeof(account.status), "%s",
                 ddb_item_string(item, "Status", "?"));
        snprintf(account.currency, sizeof(account.currency), "%s",
                 ddb_item_string(item, "Currency", ""));
        money_sum_get(item, "OpeningBalance", &account.opening_balance);
        ok = money_sum_get(item, "Balance", &account.balance);
        if (!ok)
            app_fail(app, "the balance of account %s is not an amount of money", id);
    }
    ddb_item_free(item);
    if (ok)
        *ret_account = account;
    return ok;
}

/* ---- opening ---- */

static struct ddb_item *account_item(const struct account_opening *opening) {
    struct ddb_item *item = entity_key("ACCOUNT#", opening->id);
    entity_set(item, "GSI1PK", "USER#", opening->user);
    entity_set(item, "GSI1SK", "ACCOUNT#", opening->id);
    ddb_item_set_string(item, "Type", "Account");
    ddb_item_set_string(item, "ID", opening->id);
    ddb_item_set_string(item, "UserID", opening->user);
    ddb_item_set_string(item, "AccountType", opening->type);
    ddb_item_set_string(item, "Currency", opening->currency);
    ddb_item_set_string(item, "Status", "active");
    money_set(item, "Balance", opening->balance);
    return item;
}

/* What it is opened with is a transaction, which makes the account, too. */
static enum app_status open_with(struct app *app, const struct account_opening *opening,
                                 const struct ddb_item *item) {
    char source[LEDGER_ID_SIZE], key[LEDGER_KEY_SIZE];
    struct posting_result result;
    struct account account;
    /* The posting alone would give its first result again. */
    if (!account_read(app, opening->id, &account))
        return APP_FAILED;
    if (account.found)
        return app_fail(app, "there is an account %s already", opening->id);
    account_system_id("opening", opening->currency, source);
    snprintf(key, sizeof(key), "open:%s", opening->id);
    struct posting posting = {.key = key,
                              .type = "opening",
                              .from = source,
                              .to = opening->id,
                              .amount = opening->balance,
                              .opens = item};
    memcpy(posting.currency, opening->currency, sizeof(posting.currency));
    return posting_make(app, &posting, false, &result);
}

enum app_status account_make(struct app *app, const struct account_opening *opening,
                             struct ddb_item **ret_item) {
    if (account_is_system(opening->id))
        return app_fail(app, "ids that begin with " SYSTEM " are the ledger's own");
    struct ddb_item *item = account_item(opening);
    enum app_status status =
        opening->balance == 0 ? entity_add(app, "an account", item) : open_with(app, opening, item);
    if (status == APP_OK)
        *ret_item = item;
    else
        ddb_item_free(item);
    return status;
}

/* ---- freezing and closing ---- */

/* Frozen and active go back and forth; closed is the end. */
static enum app_status check_change(struct app *app, const char *id, const struct account *account,
                                    const char *status) {
    if (!account->found)
        return app_fail(app, "there is no account %s", id);
    if (strcmp(account->status, "active") != 0 && strcmp(account->status, "frozen") != 0 &&
        strcmp(account->status, status) != 0)
        return app_fail(app, "account %s is %s", id, account->status);
    if (strcmp(status, "closed") == 0 && account->balance != 0)
        return app_fail(app, "account %s is not empty", id);
    return APP_OK;
}

static bool write_status(struct app *app, const char *id, const char *from, const char *to,
                         struct ddb_item **ret_item) {
    static const char *const names[] = {"#status", "Status", NULL};
    bool closes = strcmp(to, "closed") == 0;
    struct ddb_item *key = entity_key("ACCOUNT#", id), *values = ddb_item_new();
    ddb_item_set_string(values, ":from", from);
    ddb_item_set_string(values, ":to", to);
    if (closes)
        money_set(values, ":zero", 0);
    bool ok = ddb_update_item(
        app_client(app),
        &(struct ddb_write){.table = LEDGER_TABLE,
                            .key = key,
                            .update = "SET #status = :to",
                            .condition =
                                closes ? "#status = :from AND Balance = :zero" : "#status = :from",
                            .names = names,
                            .values = values,
                            .return_values = DDB_RETURN_ALL_NEW},
        ret_item);
    ddb_item_free(values);
    ddb_item_free(key);
    return ok;
}

enum app_status account_change_status(struct app *app, const char *id, const char *status,
                                      struct ddb_item **ret_item) {
    if (account_is_system(id))
        return app_fail(app, "account %s is the ledger's own", id);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        struct account account;
        if (!account_read(app, id, &account) || check_change(app, id, &account, status) != APP_OK)
            return APP_FAILED;
        if (write_status(app, id, account.status, status, ret_item))
            return APP_OK;
        if (!ddb_client_failed_with(app_client(app), "ConditionalCheckFailedException"))
            return app_db_fail(app, "it is not known whether account %s is %s; run it again", id,
                               status);
        app_pause(tries);
    }
    return app_fail(app, "account %s changes all the time", id);
}

/* ---- commands ---- */

static void print_account(const struct ddb_item *item) {
    money_sum cents = 0;
    char balance[MONEY_TEXT_SIZE];
    bool known = money_sum_get(item, "Balance", &cents);
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
    struct ddb_item *item = NULL;
    struct account_opening opening = {.id = app_option(app, "id", uuid),
                                      .user = app_option(app, "user", ""),
                                      .type = app_option(app, "type", "checking"),
                                      .currency = app_option(app, "currency", "USD")};
    if (!app_check_id(app, "--id", opening.id) || !app_check_id(app, "--user", opening.user) ||
        !app_check_id(app, "--type", opening.type) ||
        !money_check_currency(app, opening.currency) ||
        !money_option(app, "balance", 0, &opening.balance))
        return APP_USAGE;
    enum app_status status = account_make(app, &opening, &item);
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

static enum app_status change_status(struct app *app, const char *to) {
    const char *id = app_operand(app, 0);
    struct ddb_item *item = NULL;
    if (!app_check_id(app, "ACCOUNT", id))
        return APP_USAGE;
    enum app_status status = account_change_status(app, id, to, &item);
    if (status == APP_OK)
        print_account(item);
    ddb_item_free(item);
    return status;
}

enum app_status account_freeze(struct app *app) {
    return change_status(app, "frozen");
}

enum app_status account_unfreeze(struct app *app) {
    return change_status(app, "active");
}

enum app_status account_close(struct app *app) {
    return change_status(app, "closed");
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
