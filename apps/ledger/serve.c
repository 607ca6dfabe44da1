/* serve.c - routes to accounts and transactions, the reconciliation of every night, totals and the
 * audit. */
#include "serve.h"

#include "audit_follow.h"
#include "audit_show.h"
#include "audit_verify.h"
#include "common/service.h"
#include "entity.h"
#include "nightly.h"
#include "reconcile.h"
#include "serve_accounts.h"
#include "serve_moves.h"
#include "serve_reply.h"
#include "totals_follow.h"
#include "totals_show.h"

enum { LOOK_S = 60, FOLLOW_S = 5, NIGHT_HOUR = 2 };

const struct app_option serve_options[] = {
    SERVICE_OPTIONS,
    {"reconcile-hour", "N", "the hour, UTC, from which the day before is reconciled; 2", false},
    {"reconcile-every", "DURATION", "how often it is looked whether it is time; 1m", false},
    {"audit-every", "DURATION", "how soon the audit is tried again when it failed; 5s", false},
    {"totals-every", "DURATION", "how soon totals are tried again when they failed; 5s", false},
    {0},
};

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
    return reply_entity_of(call, "reconciliation", "RECONCILIATION#");
}

static enum app_status reconcile_nightly(struct app *app) {
    int64_t hour = NIGHT_HOUR;
    return app_number(app, "reconcile-hour", 0, 23, &hour) ? nightly_run(app, hour) : APP_USAGE;
}

/* ---- the tables of routes and tasks ---- */

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
