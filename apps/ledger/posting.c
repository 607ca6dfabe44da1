/* posting.c - moves money from one account to another, once.
 *
 * What keeps a posting from being made twice: GSI2 finds one that was made under the same
 * idempotency key. But in the service an index lags behind its table, and two programs may look at
 * the same time; so looking is a courtesy and not the guard. The guard is in the transaction: its
 * id is computed from the idempotency key, and its item may not exist yet. Two postings under one
 * key want the same item, and only one gets it. */
#include "posting.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "posting_write.h"

enum { TRIES_MAX = 30 };

/* ---- one that was made before ---- */

/* The id of the transaction that was made under the key, "" when GSI2 knows none. */
static bool find_by_key(struct app *app, const char *key, char ret_id[LEDGER_ID_SIZE]) {
    struct ddb_cursor *found = entity_query(app, &(struct entity_query){.index = "GSI2",
                                                                        .condition = "GSI2PK = :pk",
                                                                        .pk_prefix = "IDEMPOTENCY#",
                                                                        .pk = key,
                                                                        .limit = 1});
    const struct ddb_item *item = ddb_cursor_next(found);
    snprintf(ret_id, LEDGER_ID_SIZE, "%s", item == NULL ? "" : ddb_item_string(item, "ID", ""));
    bool ok = item != NULL || ddb_client_error(app_client(app)) == NULL;
    if (!ok)
        app_db_fail(app, "cannot look for the key %s", key);
    ddb_cursor_free(found);
    return ok;
}

static void read_result(const struct transaction *made, struct posting_result *ret_result) {
    *ret_result = (struct posting_result){.amount = made->amount};
    snprintf(ret_result->id, sizeof(ret_result->id), "%s", ddb_item_string(made->header, "ID", ""));
    snprintf(ret_result->status, sizeof(ret_result->status), "%s",
             ddb_item_string(made->header, "Status", "?"));
    snprintf(ret_result->currency, sizeof(ret_result->currency), "%s",
             made->leg_count == 0 ? ddb_item_string(made->header, "Currency", "")
                                  : made->legs[0].currency);
}

/* The account of the leg, or of the leg that a pending one will have. */
static const char *side(const struct transaction *made, const char *type, const char *attribute) {
    for (size_t i = 0; i < made->leg_count; i++)
        if (strcmp(made->legs[i].type, type) == 0)
            return made->legs[i].account;
    return ddb_item_string(made->header, attribute, "");
}

static bool is_same(const struct posting *posting, const struct transaction *made) {
    const char *merchant = ddb_item_string(made->header, "MerchantID", "");
    return made->amount == posting->amount &&
           strcmp(ddb_item_string(made->header, "TransactionType", ""), posting->type) == 0 &&
           strcmp(side(made, "debit", "FromAccountID"), posting->from) == 0 &&
           strcmp(side(made, "credit", "ToAccountID"), posting->to) == 0 &&
           strcmp(merchant, posting->merchant == NULL ? "" : posting->merchant) == 0;
}

/* Sets `*ret_found` when there is such a transaction; then its result is given again, when it is
 * the same posting. */
static enum app_status repeat_if_made(struct app *app, const struct posting *posting,
                                      const char *id, bool *ret_found,
                                      struct posting_result *ret_result) {
    struct transaction made;
    enum app_status status = APP_FAILED;
    *ret_found = true;
    if (transaction_read(app, id, &made)) {
        *ret_found = made.header != NULL;
        status = APP_OK;
        if (*ret_found && !is_same(posting, &made))
            status = app_fail(app, "the key %s was used for another %s, %s", posting->key,
                              ddb_item_string(made.header, "TransactionType", "transaction"),
                              ddb_item_string(made.header, "ID", "?"));
        else if (*ret_found)
            read_result(&made, ret_result);
    }
    transaction_release(&made);
    return status;
}

/* ---- what can be seen beforehand ---- */

static enum app_status check_merchant(struct app *app, const char *id) {
    struct ddb_item *merchant = NULL;
    if (!entity_read(app, "MERCHANT#", id, &merchant))
        return APP_FAILED;
    bool known = merchant != NULL;
    ddb_item_free(merchant);
    return known ? APP_OK : app_fail(app, "there is no merchant %s", id);
}

/* Reads an account that is to move; one of the ledger's own always may. */
static enum app_status read_side(struct app *app, const char *id, struct account *ret_account) {
    *ret_account = (struct account){0};
    if (account_is_system(id))
        return APP_OK;
    if (!account_read(app, id, ret_account))
        return APP_FAILED;
    if (!ret_account->found)
        return app_fail(app, "there is no account %s", id);
    if (strcmp(ret_account->status, "active") != 0)
        return app_fail(app, "account %s is %s", id, ret_account->status);
    return APP_OK;
}

/* Says why the posting cannot be made, where that can be seen. The conditions of the transaction
 * are what counts. */
static enum app_status check(struct app *app, struct posting *posting, bool pending) {
    struct account from, to = {0};
    if ((posting->merchant != NULL && check_merchant(app, posting->merchant) != APP_OK) ||
        read_side(app, posting->from, &from) != APP_OK ||
        (posting->opens == NULL && read_side(app, posting->to, &to) != APP_OK))
        return APP_FAILED;
    if (from.found && to.found && strcmp(from.currency, to.currency) != 0)
        return app_fail(app, "account %s has %s and account %s has %s", posting->from,
                        from.currency, posting->to, to.currency);
    if (from.found && !pending && from.balance < posting->amount)
        return app_fail(app, "account %s does not have enough money", posting->from);
    if (to.found && !pending && to.balance > MONEY_CENTS_MAX - posting->amount)
        return app_fail(app, "account %s has too much money", posting->to);
    if (from.found || to.found)
        memcpy(posting->currency, from.found ? from.currency : to.currency,
               sizeof(posting->currency));
    return APP_OK;
}

/* ---- making one ---- */

static void fill_result(const struct posting *posting, const char *status,
                        struct posting_result *ret_result) {
    *ret_result = (struct posting_result){.amount = posting->amount};
    memcpy(ret_result->id, posting->id, sizeof(ret_result->id));
    memcpy(ret_result->currency, posting->currency, sizeof(ret_result->currency));
    snprintf(ret_result->status, sizeof(ret_result->status), "%s", status);
}

/* After a transaction was cancelled: `*ret_again` when an account was busy or has changed. Else it
 * says why the posting cannot be made: a balance would be too large a number, or is none. */
static enum app_status check_reasons(struct app *app, const struct posting *posting,
                                     bool *ret_again) {
    const struct ddb_error *error = ddb_client_error(app_client(app));
    *ret_again = false;
    for (size_t i = 0; i < error->reason_count; i++)
        if (strcmp(error->reasons[i].code, "ValidationError") == 0)
            return app_fail(app, "the %s is not possible: %s", posting->type,
                            error->reasons[i].message);
    *ret_again = true;
    return APP_OK;
}

static enum app_status make_once(struct app *app, struct posting *posting, bool pending,
                                 struct posting_result *ret_result) {
    struct ddb_client *db = app_client(app);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        bool found = false, again;
        enum app_status status = check(app, posting, pending);
        if (status != APP_OK)
            return status;
        if (posting_write(app, posting, pending ? POSTING_PENDING : POSTING_NEW)) {
            fill_result(posting, pending ? "pending" : "completed", ret_result);
            return APP_OK;
        }
        if (!ddb_client_failed_with(db, "TransactionCanceledException"))
            return app_db_fail(app,
                               "it is not known whether the %s was made; run it again with "
                               "the same key",
                               posting->type);
        status = check_reasons(app, posting, &again);
        /* Either somebody has just made this one, or an account was busy or has changed. */
        if (again)
            status = repeat_if_made(app, posting, posting->id, &found, ret_result);
        if (found || status != APP_OK)
            return status;
        app_pause(tries);
    }
    return app_fail(app, "the accounts are busy all the time; nothing was moved");
}

enum app_status posting_make(struct app *app, struct posting *posting, bool pending,
                             struct posting_result *ret_result) {
    char made[LEDGER_ID_SIZE];
    bool found = false;
    uuid_from_text("transaction", posting->key, posting->id);
    if (!find_by_key(app, posting->key, made))
        return APP_FAILED;
    enum app_status status =
        *made == '\0' ? APP_OK : repeat_if_made(app, posting, made, &found, ret_result);
    return found || status != APP_OK ? status : make_once(app, posting, pending, ret_result);
}

enum app_status posting_move_cash(struct app *app, struct posting *posting, const char *account,
                                  struct posting_result *ret_result) {
    struct account mine;
    char cash[LEDGER_ID_SIZE];
    if (!account_read(app, account, &mine))
        return APP_FAILED;
    if (!mine.found)
        return app_fail(app, "there is no account %s", account);
    account_system_id("cash", mine.currency, cash);
    bool deposit = strcmp(posting->type, "deposit") == 0;
    posting->from = deposit ? cash : account;
    posting->to = deposit ? account : cash;
    enum app_status status = posting_make(app, posting, false, ret_result);
    posting->from = posting->to = NULL;
    return status;
}

/* ---- one that is there ---- */

/* Reads it, as a posting and as a result. The texts of `ret_posting` live in the transaction. */
static enum app_status read_made(struct app *app, const char *id, struct transaction *ret_made,
                                 struct posting *ret_posting, struct posting_result *ret_result) {
    if (!transaction_read(app, id, ret_made))
        return APP_FAILED;
    const struct ddb_item *header = ret_made->header;
    if (header == NULL)
        return app_fail(app, "there is no transaction %s", id);
    read_result(ret_made, ret_result);
    *ret_posting = (struct posting){.key = ddb_item_string(header, "IdempotencyKey", ""),
                                    .type = ddb_item_string(header, "TransactionType", ""),
                                    .from = side(ret_made, "debit", "FromAccountID"),
                                    .to = side(ret_made, "credit", "ToAccountID"),
                                    .amount = ret_made->amount};
    snprintf(ret_posting->id, sizeof(ret_posting->id), "%s", id);
    memcpy(ret_posting->currency, ret_result->currency, sizeof(ret_posting->currency));
    return APP_OK;
}

static bool has_status(const struct posting_result *result, const char *status) {
    return strcmp(result->status, status) == 0;
}

/* One try to complete it; `*ret_again` when something was in the way. */
static enum app_status try_to_complete(struct app *app, const char *id, bool *ret_again,
                                       struct posting_result *ret_result) {
    struct transaction made;
    struct posting posting;
    *ret_again = false;
    enum app_status status = read_made(app, id, &made, &posting, ret_result);
    if (status == APP_OK && has_status(ret_result, "pending")) {
        status = check(app, &posting, false);
        if (status == APP_OK && posting_write(app, &posting, POSTING_COMPLETE))
            snprintf(ret_result->status, sizeof(ret_result->status), "completed");
        else if (status == APP_OK &&
                 !ddb_client_failed_with(app_client(app), "TransactionCanceledException"))
            status = app_db_fail(app, "it is not known whether %s was completed; run it again", id);
        else if (status == APP_OK)
            status = check_reasons(app, &posting, ret_again);
    } else if (status == APP_OK && !has_status(ret_result, "completed")) {
        status = app_fail(app, "%s is %s", id, ret_result->status);
    }
    transaction_release(&made);
    return status;
}

enum app_status posting_complete(struct app *app, const char *id,
                                 struct posting_result *ret_result) {
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        bool again;
        enum app_status status = try_to_complete(app, id, &again, ret_result);
        if (!again)
            return status;
        app_pause(tries);
    }
    return app_fail(app, "the accounts are busy all the time; %s is pending", id);
}

static bool write_failure(struct app *app, const char *id, const char *reason) {
    static const char *const names[] = {"#status", "Status", NULL};
    struct ddb_item *key = entity_key("TXN#", id), *values = ddb_item_new();
    ddb_item_set_string(values, ":pending", "pending");
    ddb_item_set_string(values, ":failed", "failed");
    ddb_item_set_string(values, ":key", "STATUS#failed");
    ddb_item_set_string(values, ":reason", reason);
    bool ok = ddb_update_item(
        app_client(app),
        &(struct ddb_write){.table = LEDGER_TABLE,
                            .key = key,
                            .update =
                                "SET #status = :failed, GSI1PK = :key, FailureReason = :reason",
                            .condition = "#status = :pending",
                            .names = names,
                            .values = values},
        NULL);
    ddb_item_free(values);
    ddb_item_free(key);
    return ok;
}

enum app_status posting_fail(struct app *app, const char *id, const char *reason,
                             struct posting_result *ret_result) {
    if (!write_failure(app, id, reason) &&
        !ddb_client_failed_with(app_client(app), "ConditionalCheckFailedException"))
        return app_db_fail(app, "it is not known whether %s has failed; run it again", id);
    struct transaction made;
    struct posting posting;
    enum app_status status = read_made(app, id, &made, &posting, ret_result);
    if (status == APP_OK && !has_status(ret_result, "failed"))
        status = app_fail(app, "%s is %s; it can be reversed", id, ret_result->status);
    transaction_release(&made);
    return status;
}

enum app_status posting_reverse(struct app *app, const char *id,
                                struct posting_result *ret_result) {
    struct transaction made;
    struct posting posting;
    enum app_status status = read_made(app, id, &made, &posting, ret_result);
    if (status == APP_OK && !has_status(ret_result, "completed"))
        status = app_fail(app, "%s is %s", id, ret_result->status);
    else if (status == APP_OK && made.leg_count != 2)
        status = app_fail(app, "%s has %zu legs; only two can be reversed", id, made.leg_count);
    else if (status == APP_OK && strcmp(posting.type, "reversal") == 0)
        status = app_fail(app, "%s is a reversal itself", id);
    if (status == APP_OK) {
        char key[LEDGER_KEY_SIZE];
        snprintf(key, sizeof(key), "reverse:%s", id);
        struct posting reversal = {.key = key,
                                   .type = "reversal",
                                   .from = posting.to,
                                   .to = posting.from,
                                   .amount = posting.amount,
                                   .reverses = id};
        memcpy(reversal.currency, posting.currency, sizeof(reversal.currency));
        status = posting_make(app, &reversal, false, ret_result);
    }
    transaction_release(&made);
    return status;
}
