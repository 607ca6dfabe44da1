/* wallet.c - reads, makes and changes wallets. */
#include "wallet.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/random.h"
#include "common/timestamp.h"
#include "events.h"
#include "metrics.h"

enum { TRIES_MAX = 30, LOOKS_MAX = 8 };

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
        ok = money_sum_get(item, "balance", &wallet.balance) && wallet.version >= 0 &&
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

/* ---- making one ---- */

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

/* An event of a wallet. Its name has colons, which those of payments never have. */
static struct ddb_item *wallet_event(const char *user, const char *name, const char *type,
                                     int64_t amount) {
    char correlation_id[CORRELATION_ID_SIZE];
    correlation_id_new(correlation_id);
    return event_item(&(struct event){.payment = name,
                                      .user = user,
                                      .type = type,
                                      .status = "SUCCESS",
                                      .correlation_id = correlation_id,
                                      .amount = amount,
                                      .time_ms = timestamp_now_ms()});
}

/* Whether the latest transaction was cancelled because its first condition did not hold. */
static bool first_condition_failed(struct ddb_client *db) {
    const struct ddb_error *error = ddb_client_error(db);
    return ddb_client_failed_with(db, "TransactionCanceledException") && error->reasons != NULL &&
           strcmp(error->reasons[0].code, "ConditionalCheckFailed") == 0;
}

enum app_status wallet_open(struct app *app, const char *user, int64_t balance,
                            const char *currency, struct wallet *ret_wallet) {
    struct wallet wallet = {.found = true, .balance = balance, .version = 1};
    char name[96];
    snprintf(wallet.currency, sizeof(wallet.currency), "%s", currency);
    snprintf(name, sizeof(name), "wallet:%s", user);
    struct ddb_client *db = app_client(app);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        struct ddb_item *item = new_wallet_item(user, &wallet);
        struct ddb_item *event = wallet_event(user, name, "WALLET_CREATED", balance);
        const struct ddb_write writes[] = {{.action = DDB_PUT,
                                            .table = "Wallets",
                                            .item = item,
                                            .condition = "attribute_not_exists(userId)"},
                                           {.action = DDB_PUT,
                                            .table = "PaymentEvents",
                                            .item = event,
                                            .condition = "attribute_not_exists(paymentId)"}};
        bool ok = ddb_transact_write_items(db, writes, 2, NULL);
        ddb_item_free(event);
        ddb_item_free(item);
        if (ok) {
            *ret_wallet = wallet;
            return APP_OK;
        }
        if (first_condition_failed(db))
            return app_fail(app, "%s has a wallet already", user);
        if (!ddb_client_failed_with(db, "TransactionCanceledException"))
            break;
        app_pause(tries);
    }
    return app_db_fail(app, "cannot make the wallet of %s", user);
}

/* ---- putting money in ---- */

enum { TOP_UP_NAME_SIZE = 160 };

/* Three writes: the key, which makes it happen once; the event; the wallet. */
static bool write_top_up(struct app *app, const struct top_up *top_up, const char *name,
                         const struct wallet *wallet) {
    char created[TIMESTAMP_SIZE];
    int64_t now_ms = timestamp_now_ms();
    timestamp_format_s(now_ms, created);
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "idempotencyKey", name);
    ddb_item_set_string(key, "paymentId", name);
    ddb_item_set_string(key, "status", "COMPLETED");
    ddb_item_set_string(key, "createdAt", created);
    ddb_item_set_int(key, "expirationTime", (now_ms + DAY_MS) / 1000);
    money_set(ddb_item_set_map(key, "result"), "amount", top_up->amount);
    struct ddb_item *event = wallet_event(top_up->user, name, "WALLET_TOPPED_UP", top_up->amount);
    struct wallet_change change;
    wallet_change_init(&change, top_up->user, wallet, top_up->amount);
    const struct ddb_write writes[] = {{.action = DDB_PUT,
                                        .table = "IdempotencyKeys",
                                        .item = key,
                                        .condition = "attribute_not_exists(idempotencyKey)"},
                                       {.action = DDB_PUT,
                                        .table = "PaymentEvents",
                                        .item = event,
                                        .condition = "attribute_not_exists(paymentId)"},
                                       change.write};
    bool ok = ddb_transact_write_items(app_client(app), writes, 3, NULL);
    wallet_change_release(&change);
    ddb_item_free(event);
    ddb_item_free(key);
    return ok;
}

/* Looks whether it has happened before. The key may have expired; the event stays. */
static enum app_status find_top_up(struct app *app, const struct top_up *top_up, const char *name,
                                   bool *ret_found) {
    struct story story;
    char amount[MONEY_TEXT_SIZE];
    if (!story_read(app, name, &story))
        return APP_FAILED;
    *ret_found = story.found;
    if (!story.found || story.amount == top_up->amount)
        return APP_OK;
    money_format(story.amount, amount);
    return app_fail(app, "the top-up %s was of %s", top_up->key, amount);
}

static enum app_status try_top_up(struct app *app, const struct top_up *top_up, const char *name,
                                  struct wallet *wallet, bool *ret_again) {
    bool found = false;
    *ret_again = false;
    enum app_status status = find_top_up(app, top_up, name, &found);
    if (status != APP_OK || !wallet_read(app, top_up->user, wallet))
        return APP_FAILED;
    if (found)
        return APP_OK;
    if (!wallet->found)
        return app_fail(app, "there is no wallet of %s", top_up->user);
    if (wallet->balance > MONEY_CENTS_MAX - top_up->amount)
        return app_fail(app, "the wallet of %s has too much money", top_up->user);
    if (write_top_up(app, top_up, name, wallet)) {
        wallet->balance += top_up->amount;
        wallet->version++;
        metrics_record_money(
            app, &(struct metric){"TOP_UP_AMOUNT", "payments-adapter", "top_up", "success"},
            top_up->amount);
        return APP_OK;
    }
    *ret_again = ddb_client_failed_with(app_client(app), "TransactionCanceledException");
    return *ret_again ? APP_FAILED
                      : app_db_fail(app, "it is not known whether the wallet was topped up; %s",
                                    top_up->key == NULL ? "look at it before you try again"
                                                        : "try again with the same key");
}

enum app_status wallet_put_in(struct app *app, const struct top_up *top_up,
                              struct wallet *ret_wallet) {
    char name[TOP_UP_NAME_SIZE], uuid[UUID_TEXT_SIZE];
    uuid_random(uuid);
    snprintf(name, sizeof(name), "top-up:%s:%s", top_up->user,
             top_up->key == NULL ? uuid : top_up->key);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        bool again;
        enum app_status status = try_top_up(app, top_up, name, ret_wallet, &again);
        if (!again)
            return status;
        app_pause(tries);
    }
    return app_fail(app, "the wallet of %s changes all the time; nothing was added", top_up->user);
}

/* ---- checking ---- */

/* Reads the wallet, its events, and the wallet again: `*ret_changed` when it is another then. */
static bool look(struct app *app, const char *user, struct wallet_check *ret_check,
                 bool *ret_changed) {
    struct wallet before;
    *ret_check = (struct wallet_check){0};
    if (!wallet_read(app, user, &before))
        return false;
    struct ddb_cursor *events = events_of_user(app, user, false, 0);
    for (const struct ddb_item *event; (event = ddb_cursor_next(events)) != NULL;) {
        int64_t cents;
        if (event_change(event, &cents)) {
            ret_check->balance += cents;
            ret_check->version++;
        }
    }
    bool ok = ddb_client_error(app_client(app)) == NULL;
    if (!ok)
        app_db_fail(app, "cannot read the events of %s", user);
    ddb_cursor_free(events);
    ok = ok && wallet_read(app, user, &ret_check->wallet);
    const struct wallet *wallet = &ret_check->wallet;
    *ret_changed = wallet->version != before.version;
    ret_check->right =
        ret_check->balance == wallet->balance && ret_check->version == wallet->version;
    return ok;
}

/* Payments may go on meanwhile, and indexes may lag: what does not add up is looked at again. */
bool wallet_check(struct app *app, const char *user, struct wallet_check *ret_check) {
    for (int looks = 0; looks < LOOKS_MAX; looks++) {
        bool changed = false;
        if (looks > 0)
            app_pause(looks);
        if (!look(app, user, ret_check, &changed))
            return false;
        if (!changed && ret_check->right)
            return true;
    }
    return true;
}
