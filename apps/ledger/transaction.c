/* transaction.c - reads a transaction with its legs. */
#include "transaction.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"

bool transaction_status_is_known(const char *status) {
    return strcmp(status, "pending") == 0 || strcmp(status, "completed") == 0 ||
           strcmp(status, "failed") == 0;
}

void leg_read(const struct ddb_item *item, struct leg *ret_leg) {
    *ret_leg = (struct leg){0};
    snprintf(ret_leg->id, sizeof(ret_leg->id), "%s", ddb_item_string(item, "ID", ""));
    snprintf(ret_leg->account, sizeof(ret_leg->account), "%s",
             ddb_item_string(item, "AccountID", ""));
    snprintf(ret_leg->currency, sizeof(ret_leg->currency), "%s",
             ddb_item_string(item, "Currency", ""));
    snprintf(ret_leg->type, sizeof(ret_leg->type), "%s", ddb_item_string(item, "LegType", ""));
    ret_leg->sound = money_get(item, "Amount", &ret_leg->amount) && ret_leg->amount >= 0 &&
                     (strcmp(ret_leg->type, "debit") == 0 || strcmp(ret_leg->type, "credit") == 0);
}

static bool take_item(struct transaction *transaction, const struct ddb_item *item) {
    if (strcmp(ddb_item_string(item, "SK", ""), "METADATA") == 0) {
        transaction->header = ddb_item_copy(item);
        money_get(item, "Amount", &transaction->amount);
        return true;
    }
    if (transaction->leg_count == LEGS_MAX)
        return false;
    leg_read(item, &transaction->legs[transaction->leg_count++]);
    return true;
}

bool transaction_read(struct app *app, const char *id, struct transaction *ret_transaction) {
    *ret_transaction = (struct transaction){0};
    struct ddb_item *values = ddb_item_new();
    entity_set(values, ":txn", "TXN#", id);
    struct ddb_cursor *items =
        ddb_query(app_client(app), &(struct ddb_query){.table = LEDGER_TABLE,
                                                       .key_condition = "PK = :txn",
                                                       .values = values,
                                                       .consistent = true});
    bool ok = true;
    for (const struct ddb_item *item; ok && (item = ddb_cursor_next(items)) != NULL;)
        ok = take_item(ret_transaction, item);
    if (!ok)
        app_fail(app, "transaction %s has more than %d legs", id, LEGS_MAX);
    if (ok && ddb_client_error(app_client(app)) != NULL) {
        app_db_fail(app, "cannot read transaction %s", id);
        ok = false;
    }
    ddb_cursor_free(items);
    ddb_item_free(values);
    return ok;
}

void transaction_release(struct transaction *transaction) {
    ddb_item_free(transaction->header);
    transaction->header = NULL;
}
