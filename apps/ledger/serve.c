/* serve.c - routes to accounts and transactions, the reconciliation of every night, totals and the
 * audit. */
#include "serve.h"

#include <stdio.h>
#include <string.h>

#include "audit_follow.h"
#include "audit_show.h"
#include "audit_verify.h"
#include "common/money.h"
#include "common/service.h"
#include "common/service_reply.h"
#include "common/timestamp.h"
#include "merchant.h"
#include "nightly.h"
#include "posting.h"
#include "reconcile.h"
#include "report.h"
#include "statement.h"
#include "totals_follow.h"
#include "totals_show.h"

enum { LOOK_S = 60, FOLLOW_S = 5, NIGHT_HOUR = 2, ITEMS_MAX = 1000 };

const struct app_option serve_options[] = {
    SERVICE_OPTIONS,
    {"reconcile-hour", "N", "the hour, UTC, from which the day before is reconciled; 2", false},
    {"reconcile-every", "DURATION", "how often it is looked whether it is time; 1m", false},
    {"audit-every", "DURATION", "how soon the audit is tried again when it failed; 5s", false},
    {"totals-every", "DURATION", "how soon totals are tried again when they failed; 5s", false},
    {0},
};

/* The item without the keys of the table, which tell nothing more. */
static void fill_item(struct ddb_item *reply, const struct ddb_item *item) {
    static const char *const keys[] = {"PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"};
    reply_copy(reply, item);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        ddb_item_remove(reply, keys[i]);
}

static enum app_status send_entity(struct service_call *call, const char *what,
                                   const char *prefix) {
    struct ddb_item *item = NULL;
    if (!app_check_id(call->app, what, call->path[0]))
        return APP_USAGE;
    if (!entity_read(call->app, prefix, call->path[0], &item))
        return reply_failure(call);
    if (item == NULL)
        return reply_missing(call, what, call->path[0]);
    fill_item(call->reply, item);
    ddb_item_free(item);
    return APP_OK;
}

/* ---- merchants and accounts ---- */

static enum app_status post_merchant(struct service_call *call) {
    char uuid[UUID_TEXT_SIZE];
    uuid_random(uuid);
    const char *id = ddb_item_string(call->body, "id", uuid);
    const char *name = ddb_item_string(call->body, "name", "");
    const char *category = ddb_item_string(call->body, "category", "");
    if (!app_check_id(call->app, "id", id) || !app_check_text(call->app, "name", name) ||
        !app_check_text(call->app, "category", category))
        return APP_USAGE;
    if (merchant_make(call->app, id, name, category) != APP_OK)
        return reply_failure(call);
    ddb_item_set_string(call->reply, "ID", id);
    call->status = 201;
    return APP_OK;
}

static enum app_status get_merchant(struct service_call *call) {
    return send_entity(call, "merchant", "MERCHANT#");
}

static enum app_status post_account(struct service_call *call) {
    char uuid[UUID_TEXT_SIZE];
    uuid_random(uuid);
    struct ddb_item *item = NULL;
    struct account_opening opening = {.id = ddb_item_string(call->body, "id", uuid),
                                      .user = ddb_item_string(call->body, "user", ""),
                                      .type = ddb_item_string(call->body, "type", "checking"),
                                      .currency = ddb_item_string(call->body, "currency", "USD")};
    if (!app_check_id(call->app, "id", opening.id) ||
        !app_check_id(call->app, "user", opening.user) ||
        !app_check_id(call->app, "type", opening.type) ||
        !money_check_currency(call->app, opening.currency) ||
        !reply_read_money(call, "balance", 0, &opening.balance))
        return APP_USAGE;
    if (account_make(call->app, &opening, &item) != APP_OK)
        return reply_failure(call);
    fill_item(call->reply, item);
    ddb_item_free(item);
    call->status = 201;
    return APP_OK;
}

static enum app_status get_account(struct service_call *call) {
    return send_entity(call, "account", "ACCOUNT#");
}

static enum app_status change_status(struct service_call *call, const char *status) {
    struct ddb_item *item = NULL;
    if (!app_check_id(call->app, "account", call->path[0]))
        return APP_USAGE;
    if (account_change_status(call->app, call->path[0], status, &item) != APP_OK)
        return reply_failure(call);
    fill_item(call->reply, item);
    ddb_item_free(item);
    return APP_OK;
}

static enum app_status freeze_account(struct service_call *call) {
    return change_status(call, "frozen");
}

static enum app_status unfreeze_account(struct service_call *call) {
    return change_status(call, "active");
}

static enum app_status close_account(struct service_call *call) {
    return change_status(call, "closed");
}

static enum app_status get_accounts(struct service_call *call) {
    const char *user = call->path[0];
    if (!app_check_id(call->app, "user", user))
        return APP_USAGE;
    struct ddb_cursor *accounts = entity_query(
        call->app,
        &(struct entity_query){
            .index = "GSI1", .condition = "GSI1PK = :pk", .pk_prefix = "USER#", .pk = user});
    return reply_items(call, "accounts", accounts, ITEMS_MAX);
}

static enum app_status get_statement(struct service_call *call) {
    struct statement statement = {.count = 0};
    if (!app_check_id(call->app, "account", call->path[0]))
        return APP_USAGE;
    enum app_status status =
        statement_read(call->app, call->path[0], service_query(call, "after", NULL), &statement);
    struct ddb_list *legs = ddb_item_set_list(call->reply, "legs");
    for (size_t i = 0; status == APP_OK && i < statement.count; i++) {
        struct ddb_item *leg = ddb_list_add_map(legs);
        fill_item(leg, statement.lines[i].leg);
        money_set(leg, "BalanceAfter", statement.lines[i].balance);
    }
    if (status == APP_OK && *statement.next != '\0')
        ddb_item_set_string(call->reply, "next", statement.next);
    statement_release(&statement);
    return status == APP_FAILED ? reply_failure(call) : status;
}

/* ---- moving money ---- */

static enum app_status send_result(struct service_call *call, enum app_status status,
                                   const struct posting_result *result) {
    if (status != APP_OK)
        return status == APP_FAILED ? reply_failure(call) : status;
    ddb_item_set_string(call->reply, "id", result->id);
    ddb_item_set_string(call->reply, "status", result->status);
    money_set(call->reply, "amount", result->amount);
    ddb_item_set_string(call->reply, "currency", result->currency);
    return APP_OK;
}

static bool read_account(const struct service_call *call, const char *name, const char **ret_id) {
    *ret_id = ddb_item_string(call->body, name, "");
    if (!app_check_id(call->app, name, *ret_id))
        return false;
    if (account_is_system(*ret_id))
        app_bad_usage(call->app, "%s is an account of the ledger's own", name);
    return !account_is_system(*ret_id);
}

/* What every posting has. */
static bool read_common(const struct service_call *call, struct posting *ret_posting) {
    ret_posting->key = ddb_item_string(call->body, "key", "");
    ret_posting->description = ddb_item_string(call->body, "description", NULL);
    return app_check_id(call->app, "key", ret_posting->key) &&
           reply_read_money(call, "amount", 1, &ret_posting->amount) &&
           (ret_posting->description == NULL ||
            app_check_text(call->app, "description", ret_posting->description));
}

static enum app_status post_payment(struct service_call *call) {
    struct posting posting = {.type = "payment",
                              .merchant = ddb_item_string(call->body, "merchant", "")};
    struct posting_result result;
    if (!read_common(call, &posting) || !read_account(call, "from", &posting.from) ||
        !read_account(call, "to", &posting.to) ||
        !app_check_id(call->app, "merchant", posting.merchant))
        return APP_USAGE;
    if (strcmp(posting.from, posting.to) == 0)
        return app_bad_usage(call->app, "from and to are the same account");
    bool pending = ddb_item_bool(call->body, "pending", false);
    return send_result(call, posting_make(call->app, &posting, pending, &result), &result);
}

static enum app_status move_cash(struct service_call *call, const char *type) {
    struct posting posting = {.type = type};
    struct posting_result result;
    const char *account;
    if (!read_common(call, &posting) || !read_account(call, "account", &account))
        return APP_USAGE;
    return send_result(call, posting_move_cash(call->app, &posting, account, &result), &result);
}

static enum app_status post_deposit(struct service_call *call) {
    return move_cash(call, "deposit");
}

static enum app_status post_withdrawal(struct service_call *call) {
    return move_cash(call, "withdrawal");
}

static enum app_status complete_transaction(struct service_call *call) {
    struct posting_result result;
    if (!app_check_id(call->app, "transaction", call->path[0]))
        return APP_USAGE;
    return send_result(call, posting_complete(call->app, call->path[0], &result), &result);
}

static enum app_status fail_transaction(struct service_call *call) {
    const char *reason = ddb_item_string(call->body, "reason", "");
    struct posting_result result;
    if (!app_check_id(call->app, "transaction", call->path[0]) ||
        !app_check_text(call->app, "reason", reason))
        return APP_USAGE;
    return send_result(call, posting_fail(call->app, call->path[0], reason, &result), &result);
}

static enum app_status reverse_transaction(struct service_call *call) {
    struct posting_result result;
    if (!app_check_id(call->app, "transaction", call->path[0]))
        return APP_USAGE;
    return send_result(call, posting_reverse(call->app, call->path[0], &result), &result);
}

/* ---- transactions ---- */

static enum app_status get_transaction(struct service_call *call) {
    struct transaction transaction;
    const char *id = call->path[0];
    if (!app_check_id(call->app, "transaction", id))
        return APP_USAGE;
    bool ok = transaction_read(call->app, id, &transaction);
    if (ok && transaction.header != NULL) {
        fill_item(call->reply, transaction.header);
        struct ddb_list *legs = ddb_item_set_list(call->reply, "legs");
        for (size_t i = 0; i < transaction.leg_count; i++) {
            const struct leg *leg = &transaction.legs[i];
            struct ddb_item *map = ddb_list_add_map(legs);
            ddb_item_set_string(map, "LegType", leg->type);
            ddb_item_set_string(map, "AccountID", leg->account);
            money_set(map, "Amount", leg->amount);
            ddb_item_set_string(map, "Currency", leg->currency);
        }
    }
    bool found = transaction.header != NULL;
    transaction_release(&transaction);
    return !ok ? reply_failure(call) : found ? APP_OK : reply_missing(call, "transaction", id);
}

static enum app_status get_transactions(struct service_call *call) {
    const char *since = service_query(call, "since", NULL);
    struct ddb_cursor *transactions;
    enum app_status status =
        report_query(call->app, service_query(call, "status", "completed"), since, &transactions);
    if (status == APP_USAGE)
        return status;
    return reply_items(call, "transactions", transactions, ITEMS_MAX);
}

/* ---- reconciliation ---- */

static void add_problem(void *context, const char *problem) {
    ddb_list_add_string(context, problem);
}

static enum app_status post_reconciliation(struct service_call *call) {
    struct reconcile_request request = {.tell = add_problem,
                                        .context = ddb_item_set_list(call->reply, "findings")};
    struct reconcile_result result;
    if (!reconcile_read_range(call->app, ddb_item_string(call->body, "from", ""),
                              ddb_item_string(call->body, "to", ""), &request))
        return APP_USAGE;
    if (!reconcile_range(call->app, &request, &result))
        return reply_failure(call);
    ddb_item_set_int(call->reply, "transactions", (int64_t)result.transactions);
    ddb_item_set_int(call->reply, "accounts", (int64_t)result.accounts);
    ddb_item_set_int(call->reply, "problems", (int64_t)result.problems);
    return APP_OK;
}

static enum app_status get_reconciliation(struct service_call *call) {
    return send_entity(call, "reconciliation", "RECONCILIATION#");
}

static enum app_status reconcile_nightly(struct app *app) {
    int64_t hour = NIGHT_HOUR;
    return app_number(app, "reconcile-hour", 0, 23, &hour) ? nightly_run(app, hour) : APP_USAGE;
}

/* ---- the tables of routes and tasks ---- */

static const struct service_parameter merchant_parameters[] = {
    {"name", SERVICE_BODY, SERVICE_STRING, true, "what people call it"},
    {"category", SERVICE_BODY, SERVICE_STRING, true, "Restaurant, say"},
    {"id", SERVICE_BODY, SERVICE_STRING, false, "a new UUID when not given"},
    {0},
};
static const struct service_parameter account_parameters[] = {
    {"user", SERVICE_BODY, SERVICE_STRING, true, "whose account it is"},
    {"balance", SERVICE_BODY, SERVICE_NUMBER, true, "what is in it at first"},
    {"type", SERVICE_BODY, SERVICE_STRING, false, "checking, savings, ...; checking"},
    {"currency", SERVICE_BODY, SERVICE_STRING, false, "three capital letters; USD"},
    {"id", SERVICE_BODY, SERVICE_STRING, false, "a new UUID when not given"},
    {0},
};
static const struct service_parameter payment_parameters[] = {
    {"key", SERVICE_BODY, SERVICE_STRING, true, "what has the same key is paid once"},
    {"from", SERVICE_BODY, SERVICE_STRING, true, "the account that pays"},
    {"to", SERVICE_BODY, SERVICE_STRING, true, "the account that is paid"},
    {"merchant", SERVICE_BODY, SERVICE_STRING, true, "whom it is paid to"},
    {"amount", SERVICE_BODY, SERVICE_NUMBER, true, "in the currency of both accounts"},
    {"description", SERVICE_BODY, SERVICE_STRING, false, "what it is for"},
    {"pending", SERVICE_BODY, SERVICE_BOOLEAN, false, "only notes it"},
    {0},
};
static const struct service_parameter cash_parameters[] = {
    {"key", SERVICE_BODY, SERVICE_STRING, true, "what has the same key happens once"},
    {"account", SERVICE_BODY, SERVICE_STRING, true, "the account"},
    {"amount", SERVICE_BODY, SERVICE_NUMBER, true, "in the currency of the account"},
    {"description", SERVICE_BODY, SERVICE_STRING, false, "what it is for"},
    {0},
};
static const struct service_parameter reason_parameters[] = {
    {"reason", SERVICE_BODY, SERVICE_STRING, true, "why"},
    {0},
};
static const struct service_parameter status_parameters[] = {
    {"status", SERVICE_QUERY, SERVICE_STRING, true, "completed, pending or failed"},
    {"since", SERVICE_QUERY, SERVICE_STRING, false, "a day or a time; the last 24 hours"},
    {0},
};
static const struct service_parameter statement_parameters[] = {
    {"after", SERVICE_QUERY, SERVICE_STRING, false, "`next` of the page before"},
    {0},
};
static const struct service_parameter range_parameters[] = {
    {"from", SERVICE_BODY, SERVICE_STRING, true, "a day or a time"},
    {"to", SERVICE_BODY, SERVICE_STRING, true, "the last one that counts; a day counts whole"},
    {0},
};

static const struct service_route routes[] = {
    {"POST", "/merchants", "adds a merchant", post_merchant, merchant_parameters},
    {"GET", "/merchants/{merchant}", "a merchant", get_merchant, NULL},
    {"GET", "/merchants/{merchant}/totals", "its transactions by day", get_merchant_totals,
     totals_parameters},
    {"POST", "/accounts", "opens an account", post_account, account_parameters},
    {"GET", "/accounts/{account}", "an account", get_account, NULL},
    {"POST", "/accounts/{account}/freeze", "lets nothing move", freeze_account, NULL},
    {"POST", "/accounts/{account}/unfreeze", "makes it active again", unfreeze_account, NULL},
    {"POST", "/accounts/{account}/close", "closes an empty one for ever", close_account, NULL},
    {"GET", "/accounts/{account}/statement", "its legs, the newest first", get_statement,
     statement_parameters},
    {"GET", "/accounts/{account}/totals", "its legs by month", get_account_totals,
     totals_parameters},
    {"GET", "/users/{user}/accounts", "the accounts of a user", get_accounts, NULL},
    {"POST", "/payments", "pays once, however often it is asked", post_payment, payment_parameters},
    {"POST", "/deposits", "puts money from outside in, once", post_deposit, cash_parameters},
    {"POST", "/withdrawals", "takes money out, once", post_withdrawal, cash_parameters},
    {"GET", "/transactions", "the transactions of a status by time", get_transactions,
     status_parameters},
    {"GET", "/transactions/{transaction}", "a transaction and its legs", get_transaction, NULL},
    {"POST", "/transactions/{transaction}/complete", "makes a pending one", complete_transaction,
     NULL},
    {"POST", "/transactions/{transaction}/fail", "ends a pending one", fail_transaction,
     reason_parameters},
    {"POST", "/transactions/{transaction}/reverse", "moves the money back, once",
     reverse_transaction, NULL},
    {"POST", "/reconciliations", "checks that everything adds up", post_reconciliation,
     range_parameters},
    {"GET", "/reconciliations/{day}", "what was found in the night after a day", get_reconciliation,
     NULL},
    {"GET", "/audit", "the changes of the table, in their order", get_audit, audit_list_parameters},
    {"GET", "/audit/verification", "whether one was changed or is missing", get_audit_verification,
     audit_verify_parameters},
    {0},
};

static struct service_counter counters[] = {
    {"totals_changes_total", "changes of the table that were in batches for the totals", 0, false},
    {"totals_lag_seconds", "up to how long ago all changes are in the totals", 0, true},
    {"audit_changes_total", "changes of the table that were in batches for the audit", 0, false},
    {"audit_lag_seconds", "up to how long ago all changes are in the audit", 0, true},
    {0},
};

static enum app_status keep_totals(struct app *app) {
    return totals_follow(app, &counters[0]);
}

static enum app_status keep_audit(struct app *app) {
    return audit_follow(app, &counters[2]);
}

static const struct service_task tasks[] = {
    {"reconcile", "reconcile-every", LOOK_S, reconcile_nightly},
    {"totals", "totals-every", FOLLOW_S, keep_totals},
    {"audit", "audit-every", FOLLOW_S, keep_audit},
    {0},
};

static bool is_ready(struct app *app) {
    struct ddb_item *item = NULL;
    bool ready = entity_read(app, "ACCOUNT#", "ready", &item);
    ddb_item_free(item);
    return ready;
}

enum app_status serve_command(struct app *app) {
    struct service service = {routes, tasks, counters, is_ready};
    int64_t hour;
    if (!app_number(app, "reconcile-hour", 0, 23, &hour))
        return APP_USAGE;
    return service_run(app, &service);
}
