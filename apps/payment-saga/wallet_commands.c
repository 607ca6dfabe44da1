/* wallet_commands.c - the commands about wallets. */
#include <inttypes.h>
#include <stdio.h>

#include "common/money.h"
#include "wallet.h"

static void print_wallet(const char *user, const struct wallet *wallet) {
    char balance[MONEY_TEXT_SIZE];
    money_format(wallet->balance, balance);
    printf("%s %s %s version %" PRId64 "\n", user, balance, wallet->currency, wallet->version);
}

const struct app_option wallet_create_options[] = {
    {"balance", "AMOUNT", "what is in it at first", true},
    {"currency", "CODE", "three capital letters; USD when not given", false},
    {0},
};

enum app_status wallet_create(struct app *app) {
    const char *user = app_operand(app, 0), *currency = app_option(app, "currency", "USD");
    struct wallet wallet;
    int64_t balance;
    if (!app_check_id(app, "USER", user) || !money_option(app, "balance", 0, &balance) ||
        !money_check_currency(app, currency))
        return APP_USAGE;
    enum app_status status = wallet_open(app, user, balance, currency, &wallet);
    if (status == APP_OK)
        print_wallet(user, &wallet);
    return status;
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
    {"key", "KEY", "what has the same key is added once", false},
    {0},
};

enum app_status wallet_top_up(struct app *app) {
    struct top_up top_up = {.user = app_operand(app, 0), .key = app_option(app, "key", NULL)};
    struct wallet wallet;
    if (!app_check_id(app, "USER", top_up.user) ||
        (top_up.key != NULL && !app_check_id(app, "--key", top_up.key)) ||
        !money_option(app, "amount", 1, &top_up.amount))
        return APP_USAGE;
    enum app_status status = wallet_put_in(app, &top_up, &wallet);
    if (status == APP_OK)
        print_wallet(top_up.user, &wallet);
    return status;
}

/* ---- verify ---- */

struct verification {
    size_t wallets;
    size_t problems;
};

static bool verify_one(struct app *app, const char *user, struct verification *verification) {
    struct wallet_check check;
    if (!wallet_check(app, user, &check))
        return false;
    verification->wallets++;
    if (check.right && check.wallet.found)
        return true;
    char balance[MONEY_TEXT_SIZE], events[MONEY_TEXT_SIZE];
    money_format(check.wallet.balance, balance);
    money_format(check.balance, events);
    printf("%s: balance %s version %" PRId64 ", its events make %s version %" PRId64 "\n", user,
           balance, check.wallet.version, events, check.version);
    verification->problems++;
    return true;
}

static bool verify_all(struct app *app, struct verification *verification) {
    /* A client of its own, as each wallet is read between two pages. */
    struct ddb_client *db = app_client_new(app);
    struct ddb_cursor *wallets =
        ddb_scan(db, &(struct ddb_query){.table = "Wallets", .projection = "userId"});
    bool ok = true;
    for (const struct ddb_item *item; ok && (item = ddb_cursor_next(wallets)) != NULL;)
        ok = verify_one(app, ddb_item_string(item, "userId", ""), verification);
    const struct ddb_error *error = ddb_client_error(db);
    if (ok && error != NULL) {
        app_fail(app, "cannot read the wallets: %s", error->message);
        ok = false;
    }
    ddb_cursor_free(wallets);
    ddb_client_free(db);
    return ok;
}

enum app_status wallet_verify(struct app *app) {
    const char *user = app_operand(app, 0);
    struct verification verification = {0};
    if (user != NULL && !app_check_id(app, "USER", user))
        return APP_USAGE;
    bool ok = user == NULL ? verify_all(app, &verification) : verify_one(app, user, &verification);
    if (ok)
        printf("%zu wallets, %zu problems\n", verification.wallets, verification.problems);
    return ok && verification.problems == 0 ? APP_OK : APP_FAILED;
}
