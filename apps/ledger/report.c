/* report.c - shows transactions and legs. */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/timestamp.h"
#include "transaction.h"

static const char *amount_of(const struct ddb_item *item, char ret_text[MONEY_TEXT_SIZE]) {
    int64_t cents;
    if (!money_get(item, "Amount", &cents))
        return "?";
    money_format(cents, ret_text);
    return ret_text;
}

/* " merchant m1": what a transaction may have. */
static void print_if(const struct ddb_item *item, const char *label, const char *name) {
    const char *value = ddb_item_string(item, name, "");
    if (*value != '\0')
        printf(" %s%s", label, value);
}

static void print_transaction(const struct ddb_item *item) {
    char amount[MONEY_TEXT_SIZE];
    printf("%s %s %s %s %s", ddb_item_string(item, "CreatedAt", "?"),
           ddb_item_string(item, "ID", "?"), ddb_item_string(item, "TransactionType", "?"),
           ddb_item_string(item, "Status", "?"), amount_of(item, amount));
    print_if(item, "merchant ", "MerchantID");
    print_if(item, "reverses ", "ReversesID");
    print_if(item, "reversed by ", "ReversedBy");
    print_if(item, "because of: ", "FailureReason");
    print_if(item, "", "Description");
    printf("\n");
}

static void print_legs(const struct transaction *transaction, bool debits) {
    for (size_t i = 0; i < transaction->leg_count; i++) {
        const struct leg *leg = &transaction->legs[i];
        char amount[MONEY_TEXT_SIZE];
        money_format(leg->amount, amount);
        if ((strcmp(leg->type, "debit") == 0) == debits)
            printf("  %-6s %s %s account %s\n", leg->type, amount, leg->currency, leg->account);
    }
}

enum app_status report_show(struct app *app) {
    const char *id = app_operand(app, 0);
    struct transaction transaction;
    if (!app_check_id(app, "TXN", id))
        return APP_USAGE;
    enum app_status status = APP_FAILED;
    bool ok = transaction_read(app, id, &transaction);
    if (ok && transaction.header == NULL) {
        app_fail(app, "there is no transaction %s", id);
    } else if (ok) {
        print_transaction(transaction.header);
        print_legs(&transaction, true);
        print_legs(&transaction, false);
        status = APP_OK;
    }
    transaction_release(&transaction);
    return status;
}

/* ---- by-status ---- */

const struct app_option report_by_status_options[] = {
    {"since", "TIME", "2026-01-01 or 2026-01-01T10:30:00.000Z; the last 24 hours when not given",
     false},
    {0},
};

enum app_status report_query(struct app *app, const char *status, const char *since,
                             struct ddb_cursor **ret_transactions) {
    int64_t since_ms = timestamp_now_ms() - DAY_MS;
    char from[LEDGER_KEY_SIZE], time[TIMESTAMP_SIZE];
    if (!transaction_status_is_known(status))
        return app_bad_usage(app, "STATUS is completed, pending or failed, not '%s'", status);
    if (since != NULL && !timestamp_parse(since, &since_ms))
        return app_bad_usage(app, "--since takes a time like 2026-01-01T10:30:00.000Z, not '%s'",
                             since);
    timestamp_format_ms(since_ms, time);
    snprintf(from, sizeof(from), "CREATED#%s", time);
    *ret_transactions =
        entity_query(app, &(struct entity_query){.index = "GSI1",
                                                 .condition = "GSI1PK = :pk AND GSI1SK >= :from",
                                                 .pk_prefix = "STATUS#",
                                                 .pk = status,
                                                 .from = from});
    return APP_OK;
}

enum app_status report_by_status(struct app *app) {
    struct ddb_cursor *transactions;
    enum app_status status =
        report_query(app, app_operand(app, 0), app_option(app, "since", NULL), &transactions);
    if (status != APP_OK)
        return status;
    for (const struct ddb_item *item; (item = ddb_cursor_next(transactions)) != NULL;)
        print_transaction(item);
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the transactions");
    ddb_cursor_free(transactions);
    return status;
}
