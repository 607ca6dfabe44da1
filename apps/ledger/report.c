/* report.c - shows transactions and legs. */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/timestamp.h"
#include "transaction.h"

enum { STATEMENT_PAGE = 100 };

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

/* ---- statement ---- */

const struct app_option report_statement_options[] = {
    {"after", "PLACE", "where a page goes on, as the page before told", false},
    {0},
};

/* A place is TIME#LEG#TRANSACTION: what the key of a leg in GSI1 is made of. */
static struct ddb_item *place_key(const char *account, const char *place) {
    char parts[3][LEDGER_ID_SIZE] = {{0}};
    char sort_key[LEDGER_KEY_SIZE];
    int64_t time_ms;
    int used = 0;
    if (sscanf(place, "%64[^#]#%64[^#]#%64[^#]%n", parts[0], parts[1], parts[2], &used) != 3 ||
        place[used] != '\0' || !timestamp_parse(parts[0], &time_ms))
        return NULL;
    snprintf(sort_key, sizeof(sort_key), "LEG#%s#%s", parts[0], parts[1]);
    struct ddb_item *key = ddb_item_new();
    entity_set(key, "PK", "TXN#", parts[2]);
    entity_set(key, "SK", "LEG#", parts[1]);
    entity_set(key, "GSI1PK", "ACCOUNT#", account);
    ddb_item_set_string(key, "GSI1SK", sort_key);
    return key;
}

/* "LEG#2026-01-02T10:30:00.123Z#990i2844" without what stands before '#'. */
static const char *after_hash(const char *text) {
    const char *hash = strchr(text, '#');
    return hash == NULL ? "" : hash + 1;
}

static void print_leg(const struct ddb_item *item) {
    char amount[MONEY_TEXT_SIZE];
    printf("%s %-6s %s %s transaction %s\n", ddb_item_string(item, "CreatedAt", "?"),
           ddb_item_string(item, "LegType", "?"), amount_of(item, amount),
           ddb_item_string(item, "Currency", "?"), ddb_item_string(item, "TransactionID", "?"));
}

static enum app_status print_statement(struct app *app, const char *account,
                                       const struct ddb_item *start_key) {
    struct ddb_cursor *legs = entity_query(
        app, &(struct entity_query){.index = "GSI1",
                                    .condition = "GSI1PK = :pk AND begins_with(GSI1SK, :from)",
                                    .pk_prefix = "ACCOUNT#",
                                    .pk = account,
                                    .from = "LEG#",
                                    .descending = true,
                                    .limit = STATEMENT_PAGE,
                                    .start_key = start_key});
    int count = 0;
    for (const struct ddb_item *item; (item = ddb_cursor_next(legs)) != NULL; count++)
        print_leg(item);
    enum app_status status = APP_OK;
    const struct ddb_item *next = ddb_cursor_position(legs);
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the legs of account %s", account);
    else if (count == STATEMENT_PAGE && next != NULL)
        printf("more: --after %s#%s\n", after_hash(ddb_item_string(next, "GSI1SK", "")),
               after_hash(ddb_item_string(next, "PK", "")));
    ddb_cursor_free(legs);
    return status;
}

enum app_status report_statement(struct app *app) {
    const char *account = app_operand(app, 0), *place = app_option(app, "after", NULL);
    struct ddb_item *item = NULL, *start_key = NULL;
    if (!app_check_id(app, "ACCOUNT", account))
        return APP_USAGE;
    if (place != NULL && (start_key = place_key(account, place)) == NULL)
        return app_bad_usage(app, "--after takes what a page ended with, not '%s'", place);
    enum app_status status = APP_FAILED;
    if (entity_read(app, "ACCOUNT#", account, &item))
        status = item == NULL ? app_fail(app, "there is no account %s", account)
                              : print_statement(app, account, start_key);
    ddb_item_free(item);
    ddb_item_free(start_key);
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
