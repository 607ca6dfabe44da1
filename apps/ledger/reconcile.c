/* reconcile.c - does everything add up? See reconcile.h.
 *
 * Payments may go on meanwhile, and indexes may lag: what does not add up is looked at again before
 * it counts as a problem. */
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
    const struct reconcile_request *request;
    char (*accounts)[LEDGER_ID_SIZE]; /* sorted and each once, after tidy() */
    size_t account_count;
    size_t account_capacity;
    struct reconcile_result result;
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
    char line[LEDGER_KEY_SIZE + 3 * MONEY_TEXT_SIZE + 64];
    snprintf(line, sizeof(line), "%s %s: %s", what, id, text);
    reconcile->request->tell(reconcile->request->context, line);
    reconcile->result.problems++;
}

/* What legs come to. No table has so many legs that a sum overflows. */
struct sums {
    money_sum debits;
    money_sum credits;
    bool sound;
};

static void sums_add(struct sums *sums, const struct leg *leg, const char *currency) {
    money_sum *side = strcmp(leg->type, "debit") == 0 ? &sums->debits : &sums->credits;
    if (leg->sound && strcmp(leg->currency, currency) == 0)
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
    reconcile->result.transactions++;
    char debits[MONEY_TEXT_SIZE], credits[MONEY_TEXT_SIZE], amount[MONEY_TEXT_SIZE];
    char text[3 * MONEY_TEXT_SIZE + 32];
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

static bool check_transactions(struct reconcile *reconcile) {
    char first[TIMESTAMP_SIZE], last[TIMESTAMP_SIZE], from[LEDGER_KEY_SIZE], to[LEDGER_KEY_SIZE];
    timestamp_format_ms(reconcile->request->from_ms, first);
    timestamp_format_ms(reconcile->request->to_ms, last);
    snprintf(from, sizeof(from), "CREATED#%s", first);
    snprintf(to, sizeof(to), "CREATED#%s", last);
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
    if (ok && reconcile->result.transactions == 0 && !reconcile->request->may_be_empty) {
        char range[2 * TIMESTAMP_SIZE + 8];
        snprintf(range, sizeof(range), "%s to %s", first, last);
        problem(reconcile, "from", range, "there is no completed transaction");
    }
    return ok;
}

/* ---- the whole table ---- */

/* A partition of the table: one after another comes whole, its legs before its transaction. */
struct partition {
    char key[LEDGER_KEY_SIZE];
    size_t legs;
    bool header;
    char status[LEDGER_STATUS_SIZE]; /* of the header ... */
    char indexed[LEDGER_KEY_SIZE];   /* ... and of its place in the index */
};

static const char *after_hash(const char *key) {
    const char *hash = strchr(key, '#');
    return hash == NULL ? key : hash + 1;
}

/* What is wrong with a transaction beside its sums; NULL when nothing is. */
static const char *what_is_wrong(const struct partition *partition, char ret_text[128]) {
    const char *status = partition->status;
    if (!partition->header)
        return partition->legs == 0 ? NULL : "it has legs but does not exist";
    if (!transaction_status_is_known(status)) {
        snprintf(ret_text, 128, "its status is '%s', which is none", status);
        return ret_text;
    }
    if (strcmp(after_hash(partition->indexed), status) != 0) {
        snprintf(ret_text, 128, "its status is %s, but it is listed as %.40s", status,
                 partition->indexed);
        return ret_text;
    }
    if (partition->legs > 0 && strcmp(status, "completed") != 0) {
        snprintf(ret_text, 128, "it is %s, but has legs", status);
        return ret_text;
    }
    return NULL;
}

static void take_header(struct partition *partition, const struct ddb_item *item) {
    partition->header = true;
    snprintf(partition->status, sizeof(partition->status), "%s",
             ddb_item_string(item, "Status", ""));
    snprintf(partition->indexed, sizeof(partition->indexed), "%s",
             ddb_item_string(item, "GSI1PK", ""));
}

/* Looks at a transaction again that seemed wrong, as it is now. */
static bool look_again(struct reconcile *reconcile, const char *id) {
    struct transaction transaction;
    char text[128];
    bool ok = transaction_read(reconcile->app, id, &transaction);
    struct partition now = {.legs = transaction.leg_count};
    if (ok && transaction.header != NULL)
        take_header(&now, transaction.header);
    const char *wrong = what_is_wrong(&now, text);
    if (ok && wrong != NULL)
        problem(reconcile, "transaction", id, wrong);
    transaction_release(&transaction);
    return ok;
}

static bool end_partition(struct reconcile *reconcile, const struct partition *partition) {
    char text[128];
    return what_is_wrong(partition, text) == NULL ||
           look_again(reconcile, after_hash(partition->key));
}

static bool take_item(struct reconcile *reconcile, struct partition *partition,
                      const struct ddb_item *item) {
    const char *key = ddb_item_string(item, "PK", ""), *sort = ddb_item_string(item, "SK", "");
    bool ok = true;
    if (strcmp(key, partition->key) != 0) {
        ok = end_partition(reconcile, partition);
        *partition = (struct partition){.legs = 0};
        snprintf(partition->key, sizeof(partition->key), "%s", key);
    }
    char account[LEDGER_ID_SIZE] = "";
    if (strncmp(key, "ACCOUNT#", 8) == 0 && strcmp(sort, "METADATA") == 0) {
        snprintf(account, sizeof(account), "%s", key + 8);
    } else if (strncmp(key, "TXN#", 4) == 0 && strcmp(sort, "METADATA") == 0) {
        take_header(partition, item);
    } else if (strncmp(key, "TXN#", 4) == 0) {
        partition->legs++;
        snprintf(account, sizeof(account), "%s", ddb_item_string(item, "AccountID", ""));
    }
    return ok && (*account == '\0' || remember_account(reconcile, account));
}

static bool check_table(struct reconcile *reconcile) {
    static const char *const names[] = {"#status", "Status", NULL};
    /* A client of its own: what seems wrong is looked at again between two pages. */
    struct ddb_client *db = app_client_new(reconcile->app);
    struct partition partition = {.legs = 0};
    struct ddb_cursor *items =
        ddb_scan(db, &(struct ddb_query){.table = LEDGER_TABLE,
                                         .projection = "PK, SK, GSI1PK, AccountID, #status",
                                         .names = names,
                                         .consistent = true});
    bool ok = true;
    for (const struct ddb_item *item; ok && (item = ddb_cursor_next(items)) != NULL;)
        ok = take_item(reconcile, &partition, item);
    const struct ddb_error *error = ddb_client_error(db);
    if (ok && error != NULL) {
        app_fail(reconcile->app, "cannot read the table: %s", error->message);
        ok = false;
    }
    ddb_cursor_free(items);
    ddb_client_free(db);
    return ok && end_partition(reconcile, &partition);
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
    money_sum expected = ret_account->opening_balance + ret_sums->credits - ret_sums->debits;
    bool fine = ret_account->found && ret_sums->sound && expected == ret_account->balance;
    return fine ? LOOK_FINE : LOOK_WRONG;
}

static void report_account(struct reconcile *reconcile, const char *id,
                           const struct account *account, const struct sums *sums) {
    char balance[MONEY_TEXT_SIZE], expected[MONEY_TEXT_SIZE], text[2 * MONEY_TEXT_SIZE + 32];
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

bool reconcile_range(struct app *app, const struct reconcile_request *request,
                     struct reconcile_result *ret_result) {
    struct reconcile reconcile = {.app = app, .request = request};
    bool ok = check_transactions(&reconcile) && check_table(&reconcile);
    tidy(&reconcile);
    for (size_t i = 0; ok && i < reconcile.account_count; i++)
        ok = check_account(&reconcile, reconcile.accounts[i]);
    reconcile.result.accounts = reconcile.account_count;
    free(reconcile.accounts);
    *ret_result = reconcile.result;
    return ok;
}

/* ---- the command ---- */

bool reconcile_read_range(const struct app *app, const char *from, const char *to,
                          struct reconcile_request *ret_request) {
    int64_t day_ms;
    if (!timestamp_parse(from, &ret_request->from_ms)) {
        app_bad_usage(app, "--from takes a day or a time, not '%s'", from);
        return false;
    }
    if (!timestamp_parse(to, &ret_request->to_ms)) {
        app_bad_usage(app, "--to takes a day or a time, not '%s'", to);
        return false;
    }
    if (timestamp_parse_day(to, &day_ms))
        ret_request->to_ms = day_ms + DAY_MS - 1;
    if (ret_request->to_ms < ret_request->from_ms)
        app_bad_usage(app, "--to is before --from");
    return ret_request->to_ms >= ret_request->from_ms;
}

static void print_problem(void *context, const char *text) {
    (void)context;
    printf("%s\n", text);
}

enum app_status reconcile(struct app *app) {
    struct reconcile_request request = {.tell = print_problem};
    struct reconcile_result result;
    if (!reconcile_read_range(app, app_option(app, "from", ""), app_option(app, "to", ""),
                              &request))
        return APP_USAGE;
    if (!reconcile_range(app, &request, &result))
        return APP_FAILED;
    printf("%zu transactions, %zu accounts, %zu problems\n", result.transactions, result.accounts,
           result.problems);
    return result.problems == 0 ? APP_OK : APP_FAILED;
}
