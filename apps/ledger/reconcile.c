/* reconcile.c - does everything add up?
 *
 * For every completed transaction of a range of time: its debits are as much as its credits, and
 * as its amount. For every account that these transactions touch: its balance is what it was opened
 * with, plus all its credits, minus all its debits. Prints a line for each problem and a summary.
 *
 * Payments may go on meanwhile, and indexes may lag: an account that does not add up is looked at
 * again a few times before it counts as a problem. */
#include "reconcile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "common/money.h"
#include "common/timestamp.h"
#include "transaction.h"

enum { LOOKS_MAX = 8, ACCOUNTS_MAX = 1000000 };

const struct app_option reconcile_options[] = {
    {"from", "TIME", "a day or a time: 2026-01-01, 2026-01-01T00:00:00.000Z", true},
    {"to", "TIME", "the last one that counts; a day counts whole", true},
    {0},
};

struct reconcile {
    struct app *app;
    char (*accounts)[LEDGER_ID_SIZE]; /* sorted and each once, after tidy() */
    size_t account_count;
    size_t account_capacity;
    size_t transaction_count;
    size_t problem_count;
};

/* ---- the accounts to look at ---- */

static int compare_ids(const void *a, const void *b) {
    const char *x = a, *y = b;
    return strcmp(x, y);
}

static void tidy(struct reconcile *reconcile) {
    size_t kept = 0;
    if (reconcile->account_count == 0)
        return;
    qsort(reconcile->accounts, reconcile->account_count, LEDGER_ID_SIZE, compare_ids);
    for (size_t i = 1; i < reconcile->account_count; i++)
        if (strcmp(reconcile->accounts[i], reconcile->accounts[kept]) != 0)
            memmove(reconcile->accounts[++kept], reconcile->accounts[i], LEDGER_ID_SIZE);
    reconcile->account_count = kept + 1;
}

static bool remember_account(struct reconcile *reconcile, const char *id) {
    if (reconcile->account_count == reconcile->account_capacity) {
        tidy(reconcile);
        /* Grows when more than half of it is in use, so that tidying stays rare. */
        if (reconcile->account_count >= reconcile->account_capacity / 2) {
            size_t capacity =
                reconcile->account_capacity == 0 ? 256 : reconcile->account_capacity * 2;
            void *accounts = capacity > 2 * ACCOUNTS_MAX
                                 ? NULL
                                 : realloc(reconcile->accounts, capacity * LEDGER_ID_SIZE);
            if (accounts == NULL) {
                app_fail(reconcile->app, "too many accounts; take a shorter time");
                return false;
            }
            reconcile->accounts = accounts;
            reconcile->account_capacity = capacity;
        }
    }
    memcpy(reconcile->accounts[reconcile->account_count++], id, strlen(id) + 1);
    return true;
}

/* ---- transactions ---- */

static void problem(struct reconcile *reconcile, const char *what, const char *id,
                    const char *text) {
    printf("%s %s: %s\n", what, id, text);
    reconcile->problem_count++;
}

/* What legs come to. */
#define SUM_MAX (INT64_MAX / 4) /* so that a balance and two sums still fit */
struct sums {
    int64_t debits;
    int64_t credits;
    bool sound;
};

static void sums_add(struct sums *sums, const struct leg *leg, const char *currency) {
    int64_t *side = strcmp(leg->type, "debit") == 0 ? &sums->debits : &sums->credits;
    if (leg->sound && strcmp(leg->currency, currency) == 0 && *side <= SUM_MAX - leg->amount)
        *side += leg->amount;
    else
        sums->sound = false;
}

static bool check_transaction(struct reconcile *reconcile, const struct ddb_item *item) {
    const char *key = ddb_item_string(item, "PK", ""), *hash = strchr(key, '#');
    const char *id = hash == NULL ? key : hash + 1;
    struct transaction transaction;
    struct sums sums = {.sound = true};
    bool ok = transaction_read(reconcile->app, id, &transaction);
    for (size_t i = 0; ok && i < transaction.leg_count; i++) {
        sums_add(&sums, &transaction.legs[i], transaction.legs[0].currency);
        ok = remember_account(reconcile, transaction.legs[i].account);
    }
    reconcile->transaction_count++;
    char debits[MONEY_TEXT_SIZE], credits[MONEY_TEXT_SIZE], amount[MONEY_TEXT_SIZE], text[128];
    money_format(sums.debits, debits);
    money_format(sums.credits, credits);
    money_format(transaction.amount, amount);
    snprintf(text, sizeof(text), "amount %s, debits %s, credits %s", amount, debits, credits);
    if (ok && (transaction.header == NULL || transaction.leg_count == 0))
        problem(reconcile, "transaction", id, "its item or its legs are missing");
    else if (ok && !sums.sound)
        problem(reconcile, "transaction", id, "a leg has a wrong type, amount or currency");
    else if (ok && (sums.debits != sums.credits || sums.debits != transaction.amount))
        problem(reconcile, "transaction", id, text);
    transaction_release(&transaction);
    return ok;
}

static bool check_transactions(struct reconcile *reconcile, int64_t from_ms, int64_t to_ms) {
    char time[TIMESTAMP_SIZE], from[LEDGER_KEY_SIZE], to[LEDGER_KEY_SIZE];
    timestamp_format_ms(from_ms, time);
    snprintf(from, sizeof(from), "CREATED#%s", time);
    timestamp_format_ms(to_ms, time);
    snprintf(to, sizeof(to), "CREATED#%s", time);
    struct ddb_cursor *transactions = entity_query(
        reconcile->app,
        &(struct entity_query){.index = "GSI1",
                               .condition = "GSI1PK = :pk AND GSI1SK BETWEEN :from AND :to",
                               .pk_prefix = "STATUS#",
                               .pk = "completed",
                               .from = from,
                               .to = to});
    bool ok = transactions != NULL;
    for (const struct ddb_item *item; ok && (item = ddb_cursor_next(transactions)) != NULL;)
        ok = check_transaction(reconcile, item);
    if (transactions == NULL || (ok && ddb_client_error(app_client(reconcile->app)) != NULL)) {
        app_db_fail(reconcile->app, "cannot read the transactions");
        ok = false;
    }
    ddb_cursor_free(transactions);
    return ok;
}

/* ---- accounts ---- */

static bool sum_legs(struct reconcile *reconcile, const char *id, const char *currency,
                     struct sums *ret_sums) {
    struct ddb_cursor *legs = entity_query(
        reconcile->app,
        &(struct entity_query){.index = "GSI1",
                               .condition = "GSI1PK = :pk AND begins_with(GSI1SK, :from)",
                               .pk_prefix = "ACCOUNT#",
                               .pk = id,
                               .from = "LEG#"});
    *ret_sums = (struct sums){.sound = true};
    for (const struct ddb_item *item; (item = ddb_cursor_next(legs)) != NULL;) {
        struct leg leg;
        leg_read(item, &leg);
        sums_add(ret_sums, &leg, currency);
    }
    bool ok = ddb_client_error(app_client(reconcile->app)) == NULL;
    if (!ok)
        app_db_fail(reconcile->app, "cannot read the legs of account %s", id);
    ddb_cursor_free(legs);
    return ok;
}

enum look { LOOK_FINE, LOOK_WRONG, LOOK_BUSY, LOOK_FAILED };

/* Reads the balance, the legs, and the balance again: when it has changed meanwhile, the look shows
 * nothing. */
static enum look look_at(struct reconcile *reconcile, const char *id, struct account *ret_account,
                         struct sums *ret_sums) {
    struct account before;
    if (!account_read(reconcile->app, id, &before) ||
        !sum_legs(reconcile, id, before.currency, ret_sums) ||
        !account_read(reconcile->app, id, ret_account))
        return LOOK_FAILED;
    if (ret_account->balance != before.balance)
        return LOOK_BUSY;
    int64_t expected = ret_account->opening_balance + ret_sums->credits - ret_sums->debits;
    bool fine = ret_account->found && ret_sums->sound && expected == ret_account->balance;
    return fine ? LOOK_FINE : LOOK_WRONG;
}

static void report_account(struct reconcile *reconcile, const char *id,
                           const struct account *account, const struct sums *sums) {
    char balance[MONEY_TEXT_SIZE], expected[MONEY_TEXT_SIZE], text[128];
    money_format(account->balance, balance);
    money_format(account->opening_balance + sums->credits - sums->debits, expected);
    snprintf(text, sizeof(text), "balance %s, its legs make %s", balance, expected);
    problem(reconcile, "account", id,
            !account->found ? "it has legs but does not exist"
            : !sums->sound  ? "a leg has a wrong type, amount or currency"
                            : text);
}

/* False when the account cannot be checked. */
static bool check_account(struct reconcile *reconcile, const char *id) {
    struct account account = {0};
    struct sums sums = {0};
    enum look look = LOOK_BUSY;
    for (int looks = 0; looks < LOOKS_MAX && look != LOOK_FINE && look != LOOK_FAILED; looks++) {
        if (looks > 0)
            app_pause(looks);
        look = look_at(reconcile, id, &account, &sums);
    }
    if (look == LOOK_BUSY)
        app_fail(reconcile->app, "account %s changes all the time; run it when there is less to do",
                 id);
    if (look == LOOK_WRONG)
        report_account(reconcile, id, &account, &sums);
    return look == LOOK_FINE || look == LOOK_WRONG;
}

enum app_status reconcile(struct app *app) {
    const char *from = app_option(app, "from", ""), *to = app_option(app, "to", "");
    int64_t from_ms, to_ms, day_ms;
    if (!timestamp_parse(from, &from_ms))
        return app_bad_usage(app, "--from takes a day or a time, not '%s'", from);
    if (!timestamp_parse(to, &to_ms))
        return app_bad_usage(app, "--to takes a day or a time, not '%s'", to);
    if (timestamp_parse_day(to, &day_ms))
        to_ms = day_ms + DAY_MS - 1;
    if (to_ms < from_ms)
        return app_bad_usage(app, "--to is before --from");
    struct reconcile reconcile = {.app = app};
    bool ok = check_transactions(&reconcile, from_ms, to_ms);
    tidy(&reconcile);
    for (size_t i = 0; ok && i < reconcile.account_count; i++)
        ok = check_account(&reconcile, reconcile.accounts[i]);
    if (ok)
        printf("%zu transactions, %zu accounts, %zu problems\n", reconcile.transaction_count,
               reconcile.account_count, reconcile.problem_count);
    free(reconcile.accounts);
    return ok && reconcile.problem_count == 0 ? APP_OK : APP_FAILED;
}
