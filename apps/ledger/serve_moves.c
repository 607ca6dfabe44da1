/* serve_moves.c - what moves money, and transactions, over HTTP. */
#include "serve_moves.h"

#include <string.h>

#include "common/money.h"
#include "posting.h"
#include "report.h"
#include "serve_reply.h"

const struct service_parameter payment_parameters[] = {
    {"key", SERVICE_BODY, SERVICE_STRING, true, "what has the same key is paid once"},
    {"from", SERVICE_BODY, SERVICE_STRING, true, "the account that pays"},
    {"to", SERVICE_BODY, SERVICE_STRING, true, "the account that is paid"},
    {"merchant", SERVICE_BODY, SERVICE_STRING, true, "whom it is paid to"},
    {"amount", SERVICE_BODY, SERVICE_NUMBER, true, "in the currency of both accounts"},
    {"description", SERVICE_BODY, SERVICE_STRING, false, "what it is for"},
    {"pending", SERVICE_BODY, SERVICE_BOOLEAN, false, "only notes it"},
    {0},
};
const struct service_parameter cash_parameters[] = {
    {"key", SERVICE_BODY, SERVICE_STRING, true, "what has the same key happens once"},
    {"account", SERVICE_BODY, SERVICE_STRING, true, "the account"},
    {"amount", SERVICE_BODY, SERVICE_NUMBER, true, "in the currency of the account"},
    {"description", SERVICE_BODY, SERVICE_STRING, false, "what it is for"},
    {0},
};
const struct service_parameter reason_parameters[] = {
    {"reason", SERVICE_BODY, SERVICE_STRING, true, "why"},
    {0},
};
const struct service_parameter status_parameters[] = {
    {"status", SERVICE_QUERY, SERVICE_STRING, true, "completed, pending or failed"},
    {"since", SERVICE_QUERY, SERVICE_STRING, false, "a day or a time; the last 24 hours"},
    {0},
};

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

enum app_status post_payment(struct service_call *call) {
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

enum app_status post_deposit(struct service_call *call) {
    return move_cash(call, "deposit");
}

enum app_status post_withdrawal(struct service_call *call) {
    return move_cash(call, "withdrawal");
}

enum app_status complete_transaction(struct service_call *call) {
    struct posting_result result;
    if (!app_check_id(call->app, "transaction", call->path[0]))
        return APP_USAGE;
    return send_result(call, posting_complete(call->app, call->path[0], &result), &result);
}

enum app_status fail_transaction(struct service_call *call) {
    const char *reason = ddb_item_string(call->body, "reason", "");
    struct posting_result result;
    if (!app_check_id(call->app, "transaction", call->path[0]) ||
        !app_check_text(call->app, "reason", reason))
        return APP_USAGE;
    return send_result(call, posting_fail(call->app, call->path[0], reason, &result), &result);
}

enum app_status reverse_transaction(struct service_call *call) {
    struct posting_result result;
    if (!app_check_id(call->app, "transaction", call->path[0]))
        return APP_USAGE;
    return send_result(call, posting_reverse(call->app, call->path[0], &result), &result);
}

/* ---- transactions ---- */

enum app_status get_transaction(struct service_call *call) {
    struct transaction transaction;
    const char *id = call->path[0];
    if (!app_check_id(call->app, "transaction", id))
        return APP_USAGE;
    bool ok = transaction_read(call->app, id, &transaction);
    if (ok && transaction.header != NULL) {
        reply_entity(call->reply, transaction.header);
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

enum app_status get_transactions(struct service_call *call) {
    const char *since = service_query(call, "since", NULL);
    struct ddb_cursor *transactions;
    enum app_status status =
        report_query(call->app, service_query(call, "status", "completed"), since, &transactions);
    if (status == APP_USAGE)
        return status;
    return reply_items(call, "transactions", transactions, SERVE_ITEMS_MAX);
}
