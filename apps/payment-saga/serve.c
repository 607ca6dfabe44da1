/* serve.c - routes to payments and wallets, and the task that goes on with payments that were left.
 *
 * A payment that has ended is a reply of status 200, however it ended; one that is pending is 202,
 * and goes on by itself, in this copy or in another one. */
#include "serve.h"

#include <stdio.h>
#include <stdlib.h>

#include "breaker.h"
#include "common/money.h"
#include "common/service.h"
#include "common/service_reply.h"
#include "metrics.h"
#include "wallet.h"
#include "work.h"

enum { WORK_S = 2, PENDING_MAX = 1000, EVENTS_MAX = 1000 };

const struct app_option serve_options[] = {
    SERVICE_OPTIONS,
    SAGA_OPTIONS,
    {"deadline", "SECONDS", "by then a payment has ended, one way or the other; 900", false},
    {"work-every", "DURATION", "how often payments that were left are looked for; 2s", false},
    {0},
};

static struct service_counter counters[] = {
    {"payments_success_total", "Payments that were paid", 0, false},
    {"payments_failed_total", "Payments that have failed", 0, false},
    {"payments_pending_total", "Requests that were answered with a pending payment", 0, false},
    {"payments_resumed_total", "Payments that were left and have ended here", 0, false},
    {0},
};
enum { COUNT_SUCCESS, COUNT_FAILED, COUNT_PENDING, COUNT_RESUMED };

/* ---- payments ---- */

static void fill_payment(struct ddb_item *reply, const struct payment *payment) {
    bool ended = payment->step == STEP_COMPLETED;
    ddb_item_set_string(reply, "payment", payment->id);
    ddb_item_set_string(reply, "user", payment->user);
    ddb_item_set_string(reply, "status", ended ? ending_name(payment->ending) : "PENDING");
    money_set(reply, "amount", payment->amount);
    ddb_item_set_string(reply, "detail", payment->detail);
    if (ended)
        return;
    ddb_item_set_string(reply, "step", step_name(payment->step));
    reply_set_time(reply, "began", payment->began_ms);
    reply_set_time(reply, "deadline", payment->deadline_ms);
}

static enum app_status run(struct service_call *call, const struct saga_request *request) {
    struct saga_settings settings;
    struct payment payment;
    if (!app_check_id(call->app, "payment", request->id) ||
        !saga_settings_read(call->app, &settings))
        return APP_USAGE;
    enum app_status status = saga_run(call->app, &settings, request, &payment);
    if (status != APP_OK && (payment.step == STEP_NONE || payment.step == STEP_COMPLETED))
        return reply_failure(call);
    fill_payment(call->reply, &payment);
    if (status != APP_OK) {
        ddb_item_set_string(call->reply, "message", app_message(call->app));
        call->status = 202;
    }
    service_count(&counters[status != APP_OK                   ? COUNT_PENDING
                            : payment.ending == ENDING_SUCCESS ? COUNT_SUCCESS
                                                               : COUNT_FAILED]);
    return APP_OK;
}

static enum app_status post_payment(struct service_call *call) {
    struct saga_request request = {.wish = WISH_PAY,
                                   .user = ddb_item_string(call->body, "user", ""),
                                   .id = ddb_item_string(call->body, "payment", "")};
    if (!app_check_id(call->app, "user", request.user) ||
        !reply_read_money(call, "amount", 1, &request.amount))
        return APP_USAGE;
    return run(call, &request);
}

static enum app_status cancel_payment(struct service_call *call) {
    return run(call, &(struct saga_request){.wish = WISH_CANCEL, .id = call->path[0]});
}

static enum app_status refund_payment(struct service_call *call) {
    return run(call, &(struct saga_request){.wish = WISH_REFUND, .id = call->path[0]});
}

static enum app_status resolve_payment(struct service_call *call) {
    bool charged = ddb_item_bool(call->body, "charged", false);
    const char *reference = ddb_item_string(call->body, "reference", "charged");
    if (!app_check_text(call->app, "reference", reference))
        return APP_USAGE;
    return run(call, &(struct saga_request){.wish = charged ? WISH_CHARGED : WISH_NOT_CHARGED,
                                            .id = call->path[0],
                                            .reference = reference});
}

static enum app_status get_payment(struct service_call *call) {
    struct story story;
    const char *id = call->path[0];
    if (!app_check_id(call->app, "payment", id))
        return APP_USAGE;
    if (!story_read(call->app, id, &story))
        return reply_failure(call);
    if (!story.found)
        return reply_missing(call, "payment", id);
    ddb_item_set_string(call->reply, "payment", id);
    ddb_item_set_string(call->reply, "user", story.user);
    ddb_item_set_string(call->reply, "status", ending_name(story.ending));
    money_set(call->reply, "amount", story.amount);
    ddb_item_set_string(call->reply, "detail", story.detail);
    struct ddb_cursor *events = events_of_payment(call->app, id);
    return reply_items(call, "events", events, EVENTS_MAX);
}

static enum app_status get_pending(struct service_call *call) {
    struct payment *payments = NULL;
    size_t count = 0;
    if (!work_pending(call->app, PENDING_MAX, &payments, &count))
        return reply_failure(call);
    struct ddb_list *list = ddb_item_set_list(call->reply, "payments");
    for (size_t i = 0; i < count; i++)
        fill_payment(ddb_list_add_map(list), &payments[i]);
    free(payments);
    return APP_OK;
}

/* ---- wallets ---- */

static void fill_wallet(struct ddb_item *reply, const char *user, const struct wallet *wallet) {
    ddb_item_set_string(reply, "user", user);
    money_set(reply, "balance", wallet->balance);
    ddb_item_set_string(reply, "currency", wallet->currency);
    ddb_item_set_int(reply, "version", wallet->version);
}

static enum app_status post_wallet(struct service_call *call) {
    const char *user = ddb_item_string(call->body, "user", "");
    const char *currency = ddb_item_string(call->body, "currency", "USD");
    struct wallet wallet;
    int64_t balance;
    if (!app_check_id(call->app, "user", user) || !reply_read_money(call, "balance", 0, &balance) ||
        !money_check_currency(call->app, currency))
        return APP_USAGE;
    if (wallet_open(call->app, user, balance, currency, &wallet) != APP_OK)
        return reply_failure(call);
    fill_wallet(call->reply, user, &wallet);
    call->status = 201;
    return APP_OK;
}

static enum app_status get_wallet(struct service_call *call) {
    const char *user = call->path[0];
    struct wallet wallet;
    if (!app_check_id(call->app, "user", user))
        return APP_USAGE;
    if (!wallet_read(call->app, user, &wallet))
        return reply_failure(call);
    if (!wallet.found)
        return reply_missing(call, "wallet", user);
    fill_wallet(call->reply, user, &wallet);
    return APP_OK;
}

static enum app_status top_up_wallet(struct service_call *call) {
    struct top_up top_up = {.user = call->path[0], .key = ddb_item_string(call->body, "key", "")};
    struct wallet wallet;
    if (!app_check_id(call->app, "user", top_up.user) ||
        !app_check_id(call->app, "key", top_up.key) ||
        !reply_read_money(call, "amount", 1, &top_up.amount))
        return APP_USAGE;
    if (wallet_put_in(call->app, &top_up, &wallet) != APP_OK)
        return reply_failure(call);
    fill_wallet(call->reply, top_up.user, &wallet);
    return APP_OK;
}

static enum app_status verify_wallet(struct service_call *call) {
    const char *user = call->path[0];
    struct wallet_check check;
    if (!app_check_id(call->app, "user", user))
        return APP_USAGE;
    if (!wallet_check(call->app, user, &check))
        return reply_failure(call);
    if (!check.wallet.found)
        return reply_missing(call, "wallet", user);
    fill_wallet(call->reply, user, &check.wallet);
    money_set(call->reply, "balanceOfEvents", check.balance);
    ddb_item_set_int(call->reply, "versionOfEvents", check.version);
    ddb_item_set_bool(call->reply, "right", check.right);
    return APP_OK;
}

static enum app_status get_events(struct service_call *call) {
    const char *user = call->path[0];
    if (!app_check_id(call->app, "user", user))
        return APP_USAGE;
    return reply_items(call, "events", events_of_user(call->app, user, true, EVENTS_MAX),
                       EVENTS_MAX);
}

/* ---- the breaker and the measurements ---- */

static enum app_status get_breaker(struct service_call *call) {
    const char *service = call->path[0];
    struct ddb_item *item = NULL;
    if (!app_check_id(call->app, "service", service))
        return APP_USAGE;
    if (!breaker_read(call->app, service, &item))
        return reply_failure(call);
    ddb_item_set_string(call->reply, "serviceName", service);
    ddb_item_set_string(call->reply, "state", "CLOSED");
    reply_copy(call->reply, item);
    ddb_item_free(item);
    return APP_OK;
}

static void set_double(struct ddb_item *item, const char *name, double value) {
    char text[64];
    snprintf(text, sizeof(text), "%.2f", value);
    ddb_item_set_number(item, name, text);
}

static enum app_status get_measurements(struct service_call *call) {
    struct metrics_question question;
    struct metrics_group *groups = NULL;
    size_t count = 0;
    if (!metrics_question_read(call->app, call->path[0], service_query(call, "from", ""),
                               service_query(call, "to", NULL), &question))
        return APP_USAGE;
    question.dimension = service_query(call, "by", NULL);
    if (!metrics_sum_up(call->app, &question, &groups, &count))
        return reply_failure(call);
    struct ddb_list *list = ddb_item_set_list(call->reply, "groups");
    for (size_t i = 0; i < count; i++) {
        const struct metrics_group *group = &groups[i];
        struct ddb_item *map = ddb_list_add_map(list);
        ddb_item_set_string(map, "name", group->name);
        ddb_item_set_int(map, "count", (int64_t)group->count);
        set_double(map, "sum", group->sum);
        set_double(map, "average", group->average);
        set_double(map, "min", group->least);
        set_double(map, "p50", group->p50);
        set_double(map, "p90", group->p90);
        set_double(map, "p99", group->p99);
        set_double(map, "max", group->most);
    }
    free(groups);
    return APP_OK;
}

/* ---- the tables of routes and tasks ---- */

static const struct service_parameter payment_parameters[] = {
    {"user", SERVICE_BODY, SERVICE_STRING, true, "whose wallet pays"},
    {"payment", SERVICE_BODY, SERVICE_STRING, true, "names the payment; the same is paid once"},
    {"amount", SERVICE_BODY, SERVICE_NUMBER, true, "in the currency of the wallet"},
    {0},
};
static const struct service_parameter resolve_parameters[] = {
    {"charged", SERVICE_BODY, SERVICE_BOOLEAN, true, "what the gateway's books show"},
    {"reference", SERVICE_BODY, SERVICE_STRING, false, "the gateway's, when it has charged"},
    {0},
};
static const struct service_parameter wallet_parameters[] = {
    {"user", SERVICE_BODY, SERVICE_STRING, true, "whose wallet it is"},
    {"balance", SERVICE_BODY, SERVICE_NUMBER, true, "what is in it at first"},
    {"currency", SERVICE_BODY, SERVICE_STRING, false, "three capital letters; USD"},
    {0},
};
static const struct service_parameter top_up_parameters[] = {
    {"amount", SERVICE_BODY, SERVICE_NUMBER, true, "what is added"},
    {"key", SERVICE_BODY, SERVICE_STRING, true, "what has the same key is added once"},
    {0},
};
static const struct service_parameter measurement_parameters[] = {
    {"from", SERVICE_QUERY, SERVICE_STRING, true, "a day, 2024-01-01"},
    {"to", SERVICE_QUERY, SERVICE_STRING, false, "the last day; the first when not given"},
    {"by", SERVICE_QUERY, SERVICE_STRING, false, "service, operation or status"},
    {0},
};

static const struct service_route routes[] = {
    {"POST", "/payments", "pays once, however often it is asked", post_payment, payment_parameters},
    {"GET", "/payments", "the payments that have not ended", get_pending, NULL},
    {"GET", "/payments/{payment}", "a payment and its events", get_payment, NULL},
    {"POST", "/payments/{payment}/cancel", "ends one that is under way", cancel_payment, NULL},
    {"POST", "/payments/{payment}/refund", "gives back what was paid", refund_payment, NULL},
    {"POST", "/payments/{payment}/resolve", "ends one by what the gateway's books show",
     resolve_payment, resolve_parameters},
    {"POST", "/wallets", "makes a wallet", post_wallet, wallet_parameters},
    {"GET", "/wallets/{user}", "what is in a wallet", get_wallet, NULL},
    {"POST", "/wallets/{user}/top-ups", "puts money in, once", top_up_wallet, top_up_parameters},
    {"GET", "/wallets/{user}/verification", "whether the balance is what the events make",
     verify_wallet, NULL},
    {"GET", "/wallets/{user}/events", "what happened, the newest first", get_events, NULL},
    {"GET", "/breakers/{service}", "the state of a circuit breaker", get_breaker, NULL},
    {"GET", "/measurements/{type}", "counts and sums up measurements", get_measurements,
     measurement_parameters},
    {0},
};

static void count_resumed(const struct payment *payment) {
    (void)payment;
    service_count(&counters[COUNT_RESUMED]);
}

/* Pending payments are none of its failures; overdue ones are. */
static enum app_status work_once(struct app *app) {
    struct saga_settings settings;
    struct work_result result;
    if (!saga_settings_read(app, &settings))
        return APP_USAGE;
    if (!work_pass(app, &settings, count_resumed, &result))
        return APP_FAILED;
    return result.overdue == 0
               ? APP_OK
               : app_fail(app, "%zu payments are overdue; see `pending`", result.overdue);
}

static const struct service_task tasks[] = {
    {"work", "work-every", WORK_S, work_once},
    {0},
};

static bool is_ready(struct app *app) {
    struct wallet wallet;
    return wallet_read(app, "ready", &wallet);
}

enum app_status serve_command(struct app *app) {
    struct service service = {routes, tasks, counters, is_ready};
    struct saga_settings settings;
    if (!saga_settings_read(app, &settings))
        return APP_USAGE;
    return service_run(app, &service);
}
