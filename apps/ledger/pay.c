/* pay.c - moves money from one account to another, once.
 *
 * A payment is one transaction of five writes: the transaction's item, its debit leg, its credit
 * leg, and the two accounts. All of them happen or none.
 *
 * What keeps it from being made twice: GSI2 finds a payment that was made under the same
 * idempotency key. But in the service an index lags behind its table, and two programs may look at
 * the same time; so looking is a courtesy and not the guard. The guard is in the transaction: the
 * transaction's id is computed from the idempotency key, and its item may not exist yet. Two
 * payments under one key want the same item, and only one gets it. */
#include "pay.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "account.h"
#include "common/money.h"
#include "common/random.h"
#include "common/timestamp.h"
#include "transaction.h"

enum { TRIES_MAX = 30 };

const struct app_option pay_options[] = {
    {"key", "KEY", "idempotency key: what has the same key is paid once", true},
    {"from", "ACCOUNT", "the account that pays", true},
    {"to", "ACCOUNT", "the account that is paid", true},
    {"merchant", "MERCHANT", "whom it is paid to", true},
    {"amount", "AMOUNT", "in the currency of both accounts", true},
    {"description", "TEXT", "what it is for", false},
    {0},
};

struct payment {
    struct app *app;
    const char *key;
    const char *from;
    const char *to;
    const char *merchant;
    const char *description; /* or NULL */
    int64_t amount;
    char currency[LEDGER_CURRENCY_SIZE];
    char id[UUID_TEXT_SIZE]; /* the transaction's */
};

/* A name of 16 bytes that belongs to the text, as a UUID of version 8. */
static void uuid_from_text(const char *purpose, const char *text, char ret_id[UUID_TEXT_SIZE]) {
    char whole[LEDGER_KEY_SIZE];
    uint8_t hash[EVP_MAX_MD_SIZE] = {0};
    int size = snprintf(whole, sizeof(whole), "%s#%s", purpose, text);
    EVP_Digest(whole, (size_t)size, hash, NULL, EVP_sha256(), NULL);
    uuid_format(hash, 8, ret_id);
}

/* ---- the five writes ---- */

struct writes {
    struct ddb_item *transaction;
    struct ddb_item *legs[2];
    struct ddb_item *account_keys[2];
    struct ddb_item *values[2];
};

static void writes_release(struct writes *writes) {
    ddb_item_free(writes->transaction);
    for (int side = 0; side < 2; side++) {
        ddb_item_free(writes->legs[side]);
        ddb_item_free(writes->account_keys[side]);
        ddb_item_free(writes->values[side]);
    }
}

static struct ddb_item *transaction_item(const struct payment *payment, const char *time) {
    struct ddb_item *item = entity_key("TXN#", payment->id);
    ddb_item_set_string(item, "GSI1PK", "STATUS#completed");
    entity_set(item, "GSI1SK", "CREATED#", time);
    entity_set(item, "GSI2PK", "IDEMPOTENCY#", payment->key);
    ddb_item_set_string(item, "GSI2SK", "TXN");
    ddb_item_set_string(item, "Type", "Transaction");
    ddb_item_set_string(item, "ID", payment->id);
    ddb_item_set_string(item, "IdempotencyKey", payment->key);
    ddb_item_set_string(item, "TransactionType", "payment");
    ddb_item_set_string(item, "Status", "completed");
    ddb_item_set_string(item, "MerchantID", payment->merchant);
    if (payment->description != NULL)
        ddb_item_set_string(item, "Description", payment->description);
    money_set(item, "Amount", payment->amount);
    ddb_item_set_string(item, "CreatedAt", time);
    return item;
}

static struct ddb_item *leg_item(const struct payment *payment, const char *type,
                                 const char *account, const char *time) {
    char id[UUID_TEXT_SIZE], sort_key[LEDGER_KEY_SIZE];
    uuid_from_text(type, payment->key, id);
    snprintf(sort_key, sizeof(sort_key), "LEG#%s#%s", time, id);
    struct ddb_item *item = ddb_item_new();
    entity_set(item, "PK", "TXN#", payment->id);
    entity_set(item, "SK", "LEG#", id);
    entity_set(item, "GSI1PK", "ACCOUNT#", account);
    ddb_item_set_string(item, "GSI1SK", sort_key);
    ddb_item_set_string(item, "Type", "TransactionLeg");
    ddb_item_set_string(item, "ID", id);
    ddb_item_set_string(item, "TransactionID", payment->id);
    ddb_item_set_string(item, "AccountID", account);
    ddb_item_set_string(item, "LegType", type);
    money_set(item, "Amount", payment->amount);
    ddb_item_set_string(item, "Currency", payment->currency);
    ddb_item_set_string(item, "CreatedAt", time);
    return item;
}

/* :limit is the least that the payer must have, or the most that the payee may have before. */
static struct ddb_item *account_values(const struct payment *payment, int64_t limit) {
    struct ddb_item *values = ddb_item_new();
    money_set(values, ":amount", payment->amount);
    money_set(values, ":limit", limit);
    ddb_item_set_string(values, ":active", "active");
    ddb_item_set_string(values, ":currency", payment->currency);
    return values;
}

static bool write_all(const struct payment *payment) {
    static const char *const names[] = {"#status", "Status", NULL};
    char time[TIMESTAMP_SIZE];
    timestamp_format_ms(timestamp_now_ms(), time);
    struct writes writes = {
        .transaction = transaction_item(payment, time),
        .legs = {leg_item(payment, "debit", payment->from, time),
                 leg_item(payment, "credit", payment->to, time)},
        .account_keys = {entity_key("ACCOUNT#", payment->from),
                         entity_key("ACCOUNT#", payment->to)},
        .values = {account_values(payment, payment->amount),
                   account_values(payment, MONEY_CENTS_MAX - payment->amount)},
    };
    const char *const new_only = "attribute_not_exists(PK)";
    struct ddb_write actions[] = {
        {.action = DDB_PUT, .item = writes.transaction, .condition = new_only},
        {.action = DDB_PUT, .item = writes.legs[0], .condition = new_only},
        {.action = DDB_PUT, .item = writes.legs[1], .condition = new_only},
        {.action = DDB_UPDATE,
         .key = writes.account_keys[0],
         .update = "SET Balance = Balance - :amount",
         .condition = "Balance >= :limit AND #status = :active AND Currency = :currency",
         .names = names,
         .values = writes.values[0]},
        {.action = DDB_UPDATE,
         .key = writes.account_keys[1],
         .update = "SET Balance = Balance + :amount",
         .condition = "Balance <= :limit AND #status = :active AND Currency = :currency",
         .names = names,
         .values = writes.values[1]},
    };
    size_t count = sizeof(actions) / sizeof(*actions);
    for (size_t i = 0; i < count; i++)
        actions[i].table = LEDGER_TABLE;
    bool ok = ddb_transact_write_items(app_client(payment->app), actions, count, NULL);
    writes_release(&writes);
    return ok;
}

/* ---- a payment that was made before ---- */

/* The id of the transaction that was made under the key, "" when GSI2 knows none. */
static bool find_by_key(struct payment *payment, char ret_id[LEDGER_ID_SIZE]) {
    struct ddb_cursor *found =
        entity_query(payment->app, &(struct entity_query){.index = "GSI2",
                                                          .condition = "GSI2PK = :pk",
                                                          .pk_prefix = "IDEMPOTENCY#",
                                                          .pk = payment->key,
                                                          .limit = 1});
    const struct ddb_item *item = ddb_cursor_next(found);
    snprintf(ret_id, LEDGER_ID_SIZE, "%s", item == NULL ? "" : ddb_item_string(item, "ID", ""));
    bool ok = item != NULL || ddb_client_error(app_client(payment->app)) == NULL;
    if (!ok)
        app_db_fail(payment->app, "cannot look for the key %s", payment->key);
    ddb_cursor_free(found);
    return ok;
}

static bool has_leg(const struct transaction *made, const char *type, const char *account) {
    for (size_t i = 0; i < made->leg_count; i++)
        if (strcmp(made->legs[i].type, type) == 0 && strcmp(made->legs[i].account, account) == 0)
            return true;
    return false;
}

static void print_result(const struct payment *payment, const char *id) {
    char amount[MONEY_TEXT_SIZE];
    money_format(payment->amount, amount);
    printf("%s completed %s %s\n", id, amount, payment->currency);
}

/* Gives the first result again, when it is the same payment. */
static enum app_status repeat(struct payment *payment, const struct transaction *made) {
    const char *id = ddb_item_string(made->header, "ID", "");
    if (made->amount != payment->amount || made->leg_count == 0 ||
        !has_leg(made, "debit", payment->from) || !has_leg(made, "credit", payment->to) ||
        strcmp(ddb_item_string(made->header, "MerchantID", ""), payment->merchant) != 0)
        return app_fail(payment->app, "the key %s was used for another payment, %s", payment->key,
                        id);
    memcpy(payment->currency, made->legs[0].currency, sizeof(payment->currency));
    print_result(payment, id);
    return APP_OK;
}

/* Sets `*ret_found` when there is such a transaction; its result was given then. */
static enum app_status repeat_if_made(struct payment *payment, const char *id, bool *ret_found) {
    struct transaction made;
    enum app_status status = APP_FAILED;
    *ret_found = true;
    if (transaction_read(payment->app, id, &made)) {
        *ret_found = made.header != NULL;
        status = made.header == NULL ? APP_OK : repeat(payment, &made);
    }
    transaction_release(&made);
    return status;
}

/* ---- paying ---- */

static enum app_status check_account(struct payment *payment, const char *id,
                                     const struct account *account) {
    if (!account->found)
        return app_fail(payment->app, "there is no account %s", id);
    if (!account->active)
        return app_fail(payment->app, "account %s is not active", id);
    return APP_OK;
}

/* Says why the payment cannot be made, where that can be seen beforehand. The conditions of the
 * transaction are what counts. */
static enum app_status check(struct payment *payment) {
    struct ddb_item *merchant = NULL;
    struct account from, to;
    if (!entity_read(payment->app, "MERCHANT#", payment->merchant, &merchant))
        return APP_FAILED;
    bool known = merchant != NULL;
    ddb_item_free(merchant);
    if (!known)
        return app_fail(payment->app, "there is no merchant %s", payment->merchant);
    if (!account_read(payment->app, payment->from, &from) ||
        !account_read(payment->app, payment->to, &to) ||
        check_account(payment, payment->from, &from) != APP_OK ||
        check_account(payment, payment->to, &to) != APP_OK)
        return APP_FAILED;
    if (strcmp(from.currency, to.currency) != 0)
        return app_fail(payment->app, "account %s has %s and account %s has %s", payment->from,
                        from.currency, payment->to, to.currency);
    if (from.balance < payment->amount)
        return app_fail(payment->app, "account %s does not have enough money", payment->from);
    if (to.balance > MONEY_CENTS_MAX - payment->amount)
        return app_fail(payment->app, "account %s has too much money", payment->to);
    memcpy(payment->currency, from.currency, sizeof(payment->currency));
    return APP_OK;
}

static enum app_status pay_once(struct payment *payment) {
    struct ddb_client *db = app_client(payment->app);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        enum app_status status = check(payment);
        if (status != APP_OK)
            return status;
        if (write_all(payment)) {
            print_result(payment, payment->id);
            return APP_OK;
        }
        if (!ddb_client_failed_with(db, "TransactionCanceledException"))
            return app_db_fail(payment->app, "it is not known whether the payment was made; run it "
                                             "again with the same key");
        /* Either somebody has just made this payment, or an account was busy or has changed. */
        bool found;
        status = repeat_if_made(payment, payment->id, &found);
        if (found)
            return status;
        app_pause(tries);
    }
    return app_fail(payment->app, "the accounts are busy all the time; nothing was paid");
}

enum app_status pay(struct app *app) {
    struct payment payment = {
        .app = app,
        .key = app_option(app, "key", ""),
        .from = app_option(app, "from", ""),
        .to = app_option(app, "to", ""),
        .merchant = app_option(app, "merchant", ""),
        .description = app_option(app, "description", NULL),
    };
    char made[LEDGER_ID_SIZE];
    if (!app_check_id(app, "--key", payment.key) || !app_check_id(app, "--from", payment.from) ||
        !app_check_id(app, "--to", payment.to) ||
        !app_check_id(app, "--merchant", payment.merchant) ||
        !money_option(app, "amount", 1, &payment.amount) ||
        (payment.description != NULL && !app_check_text(app, "--description", payment.description)))
        return APP_USAGE;
    if (strcmp(payment.from, payment.to) == 0)
        return app_bad_usage(app, "--from and --to are the same account");
    uuid_from_text("transaction", payment.key, payment.id);
    if (!find_by_key(&payment, made))
        return APP_FAILED;
    bool found = false;
    enum app_status status = *made == '\0' ? APP_OK : repeat_if_made(&payment, made, &found);
    return found || status != APP_OK ? status : pay_once(&payment);
}
