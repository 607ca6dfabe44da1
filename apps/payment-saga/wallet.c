/* wallet.c - reads, makes and changes wallets. */
#include "wallet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/timestamp.h"

enum { TRIES_MAX = 30 };

static struct ddb_item *wallet_key(const char *user) {
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "userId", user);
    return key;
}

bool wallet_read(struct app *app, const char *user, struct wallet *ret_wallet) {
    struct ddb_item *key = wallet_key(user);
    struct ddb_item *item = NULL;
    bool ok =
        ddb_get_item(app_client(app),
                     &(struct ddb_get){.table = "Wallets", .key = key, .consistent = true}, &item);
    ddb_item_free(key);
    if (!ok) {
        app_db_fail(app, "cannot read the wallet of %s", user);
        return false;
    }
    struct wallet wallet = {.found = item != NULL};
    if (item != NULL) {
        wallet.version = ddb_item_int(item, "version", -1);
        snprintf(wallet.currency, sizeof(wallet.currency), "%s",
                 ddb_item_string(item, "currency", ""));
        ok = money_get(item, "balance", &wallet.balance) && wallet.version >= 0 &&
             wallet.version < INT64_MAX;
        if (!ok)
            app_fail(app, "the wallet of %s has no balance or no version that this program knows",
                     user);
    }
    ddb_item_free(item);
    if (ok)
        *ret_wallet = wallet;
    return ok;
}

void wallet_change_init(struct wallet_change *change, const char *user, const struct wallet *wallet,
                        int64_t cents) {
    char now[TIMESTAMP_SIZE];
    timestamp_format_s(timestamp_now_ms(), now);
    change->key = wallet_key(user);
    change->values = ddb_item_new();
    money_set(change->values, ":change", cents);
    ddb_item_set_int(change->values, ":seen", wallet->version);
    ddb_item_set_int(change->values, ":one", 1);
    ddb_item_set_string(change->values, ":now", now);
    if (cents < 0)
        money_set(change->values, ":needed", -cents);
    change->write = (struct ddb_write){
        .action = DDB_UPDATE,
        .table = "Wallets",
        .key = change->key,
        .update = "SET balance = balance + :change, version = version + :one, updatedAt = :now",
        .condition = cents < 0 ? "version = :seen AND balance >= :needed" : "version = :seen",
        .values = change->values,
    };
}

void wallet_change_release(struct wallet_change *change) {
    ddb_item_free(change->key);
    ddb_item_free(change->values);
}

/* ---- commands ---- */

const struct app_option wallet_create_options[] = {
    {"balance", "AMOUNT", "what is in it at first", true},
    {"currency", "CODE", "three capital letters; USD when not given", false},
    {0},
};

static void print_wallet(const char *user, const struct wallet *wallet) {
    char balance[MONEY_TEXT_SIZE];
    money_format(wallet->balance, balance);
    printf("%s %s %s version %" PRId64 "\n", user, balance, wallet->currency, wallet->version);
}

static struct ddb_item *new_wallet_item(const char *user, const struct wallet *wallet) {
    char now[TIMESTAMP_SIZE];
    timestamp_format_s(timestamp_now_ms(), now);
    struct ddb_item *item = wallet_key(user);
    money_set(item, "balance", wallet->balance);
    ddb_item_set_string(item, "currency", wallet->currency);
    ddb_item_set_int(item, "version", wallet->version);
    ddb_item_set_string(item, "updatedAt", now);
    ddb_item_set_string(item, "createdAt", now);
    return item;
}

enum app_status wallet_create(struct app *app) {
    const char *user = app_operand(app, 0), *currency = app_option(app, "currency", "USD");
    struct wallet wallet = {.version = 1};
    if (!app_check_id(app, "USER", user) || !money_option(app, "balance", 0, &wallet.balance) ||
        !money_check_currency(app, currency))
        return APP_USAGE;
    memcpy(wallet.currency, currency, sizeof(wallet.currency));

    struct ddb_client *db = app_client(app);
    struct ddb_item *item = new_wallet_item(user, &wallet);
    bool ok = ddb_put_item(db,
                           &(struct ddb_write){.table = "Wallets",
                                               .item = item,
                                               .condition = "attribute_not_exists(userId)"},
                           NULL);
    ddb_item_free(item);
    if (!ok && ddb_client_failed_with(db, "ConditionalCheckFailedException"))
        return app_fail(app, "%s has a wallet already", user);
    if (!ok)
        return app_db_fail(app, "cannot make the wallet of %s", user);
    print_wallet(user, &wallet);
    return APP_OK;
}

enum app_status wallet_show(struct app *app) {
    const char *user = app_operand(app, 0);
    struct wallet wallet;
    if (!app_check_id(app, "USER", user))
        return APP_USAGE;
    if (!wallet_read(app, user, &wallet))
        return APP_FAILED;
    if (!wallet.found)
        return app_fail(app, "there is no wallet of %s", user);
    print_wallet(user, &wallet);
    return APP_OK;
}

const struct app_option wallet_top_up_options[] = {
    {"amount", "AMOUNT", "what is added", true},
    {0},
};

/* A transaction of one action: other than UpdateItem it has a token, under which the client may
 * send it again after a broken connection without adding twice. */
enum app_status wallet_top_up(struct app *app) {
    const char *user = app_operand(app, 0);
    int64_t amount;
    if (!app_check_id(app, "USER", user) || !money_option(app, "amount", 1, &amount))
        return APP_USAGE;
    struct ddb_client *db = app_client(app);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        struct wallet wallet;
        struct wallet_change change;
        if (!wallet_read(app, user, &wallet))
            return APP_FAILED;
        if (!wallet.found)
            return app_fail(app, "there is no wallet of %s", user);
        if (wallet.balance > MONEY_CENTS_MAX - amount)
            return app_fail(app, "the wallet of %s has too much money", user);
        wallet_change_init(&change, user, &wallet, amount);
        bool ok = ddb_transact_write_items(db, &change.write, 1, NULL);
        wallet_change_release(&change);
        if (ok) {
            wallet.balance += amount;
            wallet.version++;
            print_wallet(user, &wallet);
            return APP_OK;
        }
        if (!ddb_client_failed_with(db, "TransactionCanceledException"))
            return app_db_fail(app, "it is not known whether the wallet was topped up; look at it "
                                    "before you try again");
        app_pause(tries);
    }
    return app_fail(app, "the wallet of %s changes all the time; nothing was added", user);
}
