/* pay.c - the commands that move money: posting.c does the work. */
#include "pay.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "posting.h"

static enum app_status tell(enum app_status status, const struct posting_result *result) {
    char amount[MONEY_TEXT_SIZE];
    if (status != APP_OK)
        return status;
    money_format(result->amount, amount);
    printf("%s %s %s %s\n", result->id, result->status, amount, result->currency);
    return APP_OK;
}

static bool check_account_id(const struct app *app, const char *what, const char *id) {
    if (!app_check_id(app, what, id))
        return false;
    if (!account_is_system(id))
        return true;
    app_bad_usage(app, "%s is an account of the ledger's own, '%s'", what, id);
    return false;
}

/* What every posting has. */
static bool read_common(const struct app *app, struct posting *ret_posting) {
    ret_posting->key = app_option(app, "key", "");
    ret_posting->description = app_option(app, "description", NULL);
    return app_check_id(app, "--key", ret_posting->key) &&
           money_option(app, "amount", 1, &ret_posting->amount) &&
           (ret_posting->description == NULL ||
            app_check_text(app, "--description", ret_posting->description));
}

const struct app_option pay_options[] = {
    {"key", "KEY", "idempotency key: what has the same key is paid once", true},
    {"from", "ACCOUNT", "the account that pays", true},
    {"to", "ACCOUNT", "the account that is paid", true},
    {"merchant", "MERCHANT", "whom it is paid to", true},
    {"amount", "AMOUNT", "in the currency of both accounts", true},
    {"description", "TEXT", "what it is for", false},
    {"pending", NULL, "only notes it, until `complete` or `fail` ends it", false},
    {0},
};

enum app_status pay(struct app *app) {
    struct posting posting = {.type = "payment",
                              .from = app_option(app, "from", ""),
                              .to = app_option(app, "to", ""),
                              .merchant = app_option(app, "merchant", "")};
    struct posting_result result;
    if (!read_common(app, &posting) || !check_account_id(app, "--from", posting.from) ||
        !check_account_id(app, "--to", posting.to) ||
        !app_check_id(app, "--merchant", posting.merchant))
        return APP_USAGE;
    if (strcmp(posting.from, posting.to) == 0)
        return app_bad_usage(app, "--from and --to are the same account");
    return tell(posting_make(app, &posting, app_flag(app, "pending"), &result), &result);
}

static enum app_status move_cash(struct app *app, const char *type, const char *option) {
    const char *account = app_option(app, option, "");
    struct posting posting = {.type = type};
    struct posting_result result;
    if (!read_common(app, &posting) || !check_account_id(app, "ACCOUNT", account))
        return APP_USAGE;
    return tell(posting_move_cash(app, &posting, account, &result), &result);
}

const struct app_option pay_deposit_options[] = {
    {"key", "KEY", "idempotency key: what has the same key is deposited once", true},
    {"to", "ACCOUNT", "the account that gets it", true},
    {"amount", "AMOUNT", "in the currency of the account", true},
    {"description", "TEXT", "what it is for", false},
    {0},
};

enum app_status pay_deposit(struct app *app) {
    return move_cash(app, "deposit", "to");
}

const struct app_option pay_withdraw_options[] = {
    {"key", "KEY", "idempotency key: what has the same key is withdrawn once", true},
    {"from", "ACCOUNT", "the account that it is taken from", true},
    {"amount", "AMOUNT", "in the currency of the account", true},
    {"description", "TEXT", "what it is for", false},
    {0},
};

enum app_status pay_withdraw(struct app *app) {
    return move_cash(app, "withdrawal", "from");
}

enum app_status pay_complete(struct app *app) {
    const char *id = app_operand(app, 0);
    struct posting_result result;
    if (!app_check_id(app, "TXN", id))
        return APP_USAGE;
    return tell(posting_complete(app, id, &result), &result);
}

const struct app_option pay_fail_options[] = {
    {"reason", "TEXT", "why", true},
    {0},
};

enum app_status pay_fail(struct app *app) {
    const char *id = app_operand(app, 0), *reason = app_option(app, "reason", "");
    struct posting_result result;
    if (!app_check_id(app, "TXN", id) || !app_check_text(app, "--reason", reason))
        return APP_USAGE;
    return tell(posting_fail(app, id, reason, &result), &result);
}

enum app_status pay_reverse(struct app *app) {
    const char *id = app_operand(app, 0);
    struct posting_result result;
    if (!app_check_id(app, "TXN", id))
        return APP_USAGE;
    return tell(posting_reverse(app, id, &result), &result);
}
