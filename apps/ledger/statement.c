/* statement.c - the legs of an account, with the balance after each. */
#include "statement.h"

#include <stdio.h>
#include <string.h>

#include "account.h"
#include "common/money.h"
#include "common/timestamp.h"
#include "transaction.h"

enum { LOOKS_MAX = 8 };

/* A place is TIME#LEG#TRANSACTION#BALANCE: what the key of a leg in GSI1 is made of, and the
 * balance before it. */
static struct ddb_item *place_key(const char *account, const char *place, money_sum *ret_balance) {
    char parts[4][LEDGER_ID_SIZE] = {{0}};
    char sort_key[LEDGER_KEY_SIZE];
    int64_t time_ms;
    int used = 0;
    if (sscanf(place, "%64[^#]#%64[^#]#%64[^#]#%64[^#]%n", parts[0], parts[1], parts[2], parts[3],
               &used) != 4 ||
        place[used] != '\0' || !timestamp_parse(parts[0], &time_ms) ||
        !money_sum_parse(parts[3], ret_balance))
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

void statement_release(struct statement *statement) {
    for (size_t i = 0; i < statement->count; i++)
        ddb_item_free(statement->lines[i].leg);
    statement->count = 0;
}

static void take_leg(struct statement *statement, const struct ddb_item *item, money_sum *balance) {
    struct leg leg;
    leg_read(item, &leg);
    statement->lines[statement->count].leg = ddb_item_copy(item);
    statement->lines[statement->count++].balance = *balance;
    if (leg.sound)
        *balance += strcmp(leg.type, "debit") == 0 ? leg.amount : -leg.amount;
}

/* A page, counted back from `balance`. */
static bool read_page(struct app *app, const char *account, const struct ddb_item *start_key,
                      money_sum balance, struct statement *statement) {
    struct ddb_cursor *legs = entity_query(
        app, &(struct entity_query){.index = "GSI1",
                                    .condition = "GSI1PK = :pk AND begins_with(GSI1SK, :from)",
                                    .pk_prefix = "ACCOUNT#",
                                    .pk = account,
                                    .from = "LEG#",
                                    .descending = true,
                                    .limit = STATEMENT_PAGE,
                                    .start_key = start_key});
    *statement->next = '\0';
    for (const struct ddb_item *item;
         statement->count < STATEMENT_PAGE && (item = ddb_cursor_next(legs)) != NULL;)
        take_leg(statement, item, &balance);
    const struct ddb_item *next = ddb_cursor_position(legs);
    bool ok = ddb_client_error(app_client(app)) == NULL;
    if (!ok) {
        app_db_fail(app, "cannot read the legs of account %s", account);
    } else if (statement->count == STATEMENT_PAGE && next != NULL) {
        char amount[MONEY_TEXT_SIZE];
        money_format(balance, amount);
        snprintf(statement->next, sizeof(statement->next), "%s#%s#%s",
                 after_hash(ddb_item_string(next, "GSI1SK", "")),
                 after_hash(ddb_item_string(next, "PK", "")), amount);
    }
    ddb_cursor_free(legs);
    return ok;
}

/* The first page: when the account has changed while it was read, it is read again. */
static enum app_status read_first(struct app *app, const char *account,
                                  struct statement *statement) {
    struct account before = {0}, after = {0};
    for (int looks = 0; looks < LOOKS_MAX; looks++) {
        statement_release(statement);
        if (!account_read(app, account, &before))
            return APP_FAILED;
        if (!before.found)
            return app_fail(app, "there is no account %s", account);
        if (!read_page(app, account, NULL, before.balance, statement) ||
            !account_read(app, account, &after))
            return APP_FAILED;
        if (after.balance == before.balance)
            return APP_OK;
        app_pause(looks);
    }
    return app_fail(app, "account %s changes all the time", account);
}

enum app_status statement_read(struct app *app, const char *account, const char *place,
                               struct statement *ret_statement) {
    money_sum balance;
    ret_statement->count = 0;
    if (place == NULL)
        return read_first(app, account, ret_statement);
    struct ddb_item *start_key = place_key(account, place, &balance);
    if (start_key == NULL)
        return app_bad_usage(app, "--after takes what a page ended with, not '%s'", place);
    bool ok = read_page(app, account, start_key, balance, ret_statement);
    ddb_item_free(start_key);
    return ok ? APP_OK : APP_FAILED;
}

/* ---- the command ---- */

const struct app_option statement_options[] = {
    {"after", "PLACE", "where a page goes on, as the page before told", false},
    {0},
};

enum app_status statement_show(struct app *app) {
    const char *account = app_operand(app, 0);
    struct statement statement = {.count = 0};
    if (!app_check_id(app, "ACCOUNT", account))
        return APP_USAGE;
    enum app_status status =
        statement_read(app, account, app_option(app, "after", NULL), &statement);
    for (size_t i = 0; status == APP_OK && i < statement.count; i++) {
        const struct ddb_item *leg = statement.lines[i].leg;
        char amount[MONEY_TEXT_SIZE] = "?", balance[MONEY_TEXT_SIZE];
        int64_t cents;
        if (money_get(leg, "Amount", &cents))
            money_format(cents, amount);
        money_format(statement.lines[i].balance, balance);
        printf("%s %-6s %s %s balance %s transaction %s\n", ddb_item_string(leg, "CreatedAt", "?"),
               ddb_item_string(leg, "LegType", "?"), amount, ddb_item_string(leg, "Currency", "?"),
               balance, ddb_item_string(leg, "TransactionID", "?"));
    }
    if (status == APP_OK && *statement.next != '\0')
        printf("more: --after %s\n", statement.next);
    statement_release(&statement);
    return status;
}
