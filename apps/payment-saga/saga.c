/* saga.c - runs a payment from the step it has reached to its end.
 *
 * The loop reads how far the payment has come and makes the next move, again and again. It does
 * not matter who made the moves before: a run that starts anew, a run that takes over from one that
 * crashed, and two runs of one payment at the same time are all the same thing.
 *
 * What can happen between two moves, and why no money is lost or spent twice:
 *   - The wallet changes only together with the payment's step (journal.h), so never twice.
 *   - The gateway is called only at step CHARGING, which is on record before the call. From there
 *     on only the gateway's own answer decides; it answers the same to every call for a payment.
 *   - With the circuit breaker open a payment at step DEBITED is refunded, as the gateway has never
 *     heard of it. At step CHARGING it must wait: the gateway may have charged. */
#include "saga.h"

#include <stdio.h>
#include <string.h>

#include "breaker.h"
#include "common/money.h"
#include "common/timestamp.h"
#include "gateway.h"
#include "journal.h"
#include "metrics.h"

enum { ROUNDS_MAX = 60 };

const struct app_option saga_pay_options[] = {
    {"user", "USER", "whose wallet pays", true},
    {"payment", "PAYMENT", "names the payment; the same name is paid once", true},
    {"amount", "AMOUNT", "in the currency of the wallet", true},
    {"gateway", "CMD", "the command that charges; see README.md", true},
    {"gateway-timeout", "MS", "how long it may take; 10000 when not given", false},
    {"service", "NAME", "its circuit breaker; payment-gateway when not given", false},
    {"breaker-failures", "N", "that many failures in a row open the breaker; 5", false},
    {"breaker-successes", "N", "that many successes close it after a reset; 2", false},
    {"breaker-reset", "SECONDS", "how long it stays open; 30", false},
    {0},
};

struct saga {
    struct app *app;
    struct payment payment;
    struct breaker breaker;
    const char *gateway;
    int64_t gateway_timeout_ms;
    bool let_through; /* by the breaker, in this run */
    bool moved;       /* this run has made a move */
};

enum round {
    ROUND_MOVED,
    ROUND_AGAIN, /* no move: read and try again */
    ROUND_ENDED,
    ROUND_FAILED, /* has said why; the payment may be halfway */
};

static enum round move(struct saga *saga, const struct move *move) {
    switch (payment_move(saga->app, &saga->payment, move)) {
    case MOVED:
        saga->moved = true;
        return ROUND_MOVED;
    case MOVED_NOT:
        return ROUND_AGAIN;
    case MOVE_FAILED:
        break;
    }
    return ROUND_FAILED;
}

/* A payment that is run again must be the one that was begun. */
static bool amount_is_recorded(const struct saga *saga) {
    char recorded[MONEY_TEXT_SIZE];
    if (saga->payment.recorded_amount == saga->payment.amount)
        return true;
    money_format(saga->payment.recorded_amount, recorded);
    app_fail(saga->app, "%s was begun with the amount %s", saga->payment.id, recorded);
    return false;
}

/* There is no key. Either the payment is new, or it is so old that its key has expired: then its
 * events tell how it ended. */
static enum round initiate(struct saga *saga) {
    struct payment *payment = &saga->payment;
    struct story story;
    struct wallet wallet;
    if (!story_read(saga->app, payment->id, &story))
        return ROUND_FAILED;
    if (story.found && strcmp(story.user, payment->user) != 0) {
        app_fail(saga->app, "%s is a payment of another user", payment->id);
        return ROUND_FAILED;
    }
    if (story.found && story.ending != ENDING_NONE) {
        payment->step = STEP_COMPLETED;
        payment->recorded_amount = story.amount;
        payment->ending = story.ending;
        memcpy(payment->detail, story.detail, sizeof(payment->detail));
        return amount_is_recorded(saga) ? ROUND_ENDED : ROUND_FAILED;
    }
    if (story.found) /* it began a moment ago, in another run */
        return ROUND_AGAIN;
    if (!wallet_read(saga->app, payment->user, &wallet))
        return ROUND_FAILED;
    if (!wallet.found) {
        app_fail(saga->app, "there is no wallet of %s", payment->user);
        return ROUND_FAILED;
    }
    return move(saga, &(struct move){
                          .to = STEP_INITIATED, .event = "PAYMENT_INITIATED", .status = "PENDING"});
}

static enum round debit(struct saga *saga) {
    struct wallet wallet;
    if (!wallet_read(saga->app, saga->payment.user, &wallet))
        return ROUND_FAILED;
    if (!wallet.found || wallet.balance < saga->payment.amount)
        return move(saga, &(struct move){.to = STEP_COMPLETED,
                                         .event = "WALLET_DEBITED",
                                         .status = "FAILED",
                                         .detail = wallet.found ? "not enough money" : "no wallet",
                                         .ending = ENDING_FAILED});
    return move(saga, &(struct move){.to = STEP_DEBITED,
                                     .event = "WALLET_DEBITED",
                                     .status = "SUCCESS",
                                     .wallet = &wallet,
                                     .wallet_cents = -saga->payment.amount});
}

static enum round ask_breaker(struct saga *saga) {
    switch (breaker_ask(&saga->breaker)) {
    case BREAKER_LETS_THROUGH:
        saga->let_through = true;
        return move(
            saga,
            &(struct move){.to = STEP_CHARGING, .event = "PAYMENT_PROCESSED", .status = "PENDING"});
    case BREAKER_REFUSES:
        return move(saga, &(struct move){.to = STEP_REFUNDING,
                                         .event = "PAYMENT_PROCESSED",
                                         .status = "FAILED",
                                         .detail = "the circuit breaker is open"});
    case BREAKER_UNREADABLE:
        break;
    }
    return ROUND_FAILED;
}

/* The payment came from an earlier run to where the gateway may be called. */
static bool may_call_gateway(struct saga *saga) {
    if (saga->let_through)
        return true;
    enum breaker_answer answer = breaker_ask(&saga->breaker);
    if (answer == BREAKER_REFUSES)
        app_fail(saga->app,
                 "%s is pending: the circuit breaker of %s is open, and the gateway may have "
                 "charged; run it again later",
                 saga->payment.id, saga->breaker.service);
    saga->let_through = answer == BREAKER_LETS_THROUGH;
    return saga->let_through;
}

static enum round charge(struct saga *saga) {
    struct wallet wallet;
    char key[PAYMENT_KEY_SIZE], detail[GATEWAY_DETAIL_SIZE];
    if (!may_call_gateway(saga) || !wallet_read(saga->app, saga->payment.user, &wallet))
        return ROUND_FAILED;
    payment_key(&saga->payment, key);
    int64_t begin_ms = timestamp_elapsed_ms();
    enum gateway_answer answer =
        gateway_call(&(struct gateway_call){.command = saga->gateway,
                                            .verb = "charge",
                                            .key = key,
                                            .amount = saga->payment.amount,
                                            .currency = wallet.currency,
                                            .timeout_ms = (int)saga->gateway_timeout_ms},
                     detail);
    breaker_report(&saga->breaker, answer == GATEWAY_DONE || answer == GATEWAY_DECLINED);
    metrics_record_ms(saga->app,
                      &(struct metric){"GATEWAY_LATENCY", saga->breaker.service, "charge",
                                       gateway_answer_name(answer)},
                      timestamp_elapsed_ms() - begin_ms);
    switch (answer) {
    case GATEWAY_DONE:
        return move(saga, &(struct move){.to = STEP_COMPLETED,
                                         .event = "PAYMENT_PROCESSED",
                                         .status = "SUCCESS",
                                         .detail = detail,
                                         .ending = ENDING_SUCCESS});
    case GATEWAY_DECLINED:
    case GATEWAY_FAILED:
        return move(saga, &(struct move){.to = STEP_REFUNDING,
                                         .event = "PAYMENT_PROCESSED",
                                         .status = "FAILED",
                                         .detail = detail});
    case GATEWAY_UNKNOWN:
        break;
    }
    app_fail(saga->app,
             "%s is pending: nobody knows whether the gateway has charged: %s; run it "
             "again",
             saga->payment.id, detail);
    return ROUND_FAILED;
}

static enum round refund(struct saga *saga) {
    struct wallet wallet;
    if (!wallet_read(saga->app, saga->payment.user, &wallet))
        return ROUND_FAILED;
    if (!wallet.found) {
        app_fail(saga->app, "%s is pending: there is no wallet of %s to refund", saga->payment.id,
                 saga->payment.user);
        return ROUND_FAILED;
    }
    return move(saga, &(struct move){.to = STEP_COMPLETED,
                                     .event = "REFUND_INITIATED",
                                     .status = "SUCCESS",
                                     .ending = ENDING_FAILED,
                                     .wallet = &wallet,
                                     .wallet_cents = saga->payment.amount});
}

/* Reads how far the payment is, and makes the next move. */
static enum round play_round(struct saga *saga) {
    struct payment *payment = &saga->payment;
    if (!payment_read(saga->app, payment))
        return ROUND_FAILED;
    if (payment->step != STEP_NONE && !amount_is_recorded(saga))
        return ROUND_FAILED;
    switch (payment->step) {
    case STEP_NONE:
        return initiate(saga);
    case STEP_INITIATED:
        return debit(saga);
    case STEP_DEBITED:
        return ask_breaker(saga);
    case STEP_CHARGING:
        return charge(saga);
    case STEP_REFUNDING:
        return refund(saga);
    case STEP_COMPLETED:
        break;
    }
    return ROUND_ENDED;
}

static enum app_status play(struct saga *saga) {
    int losses = 0;
    for (int rounds = 0; rounds < ROUNDS_MAX; rounds++) {
        switch (play_round(saga)) {
        case ROUND_FAILED:
            return APP_FAILED;
        case ROUND_ENDED:
            return APP_OK;
        case ROUND_MOVED:
            break;
        case ROUND_AGAIN:
            app_pause(losses++);
            break;
        }
    }
    return app_fail(saga->app,
                    "%s is pending: others change it or its wallet all the time; run it again",
                    saga->payment.id);
}

/* The result, which is the same however often it is asked for. */
static enum app_status report(const struct saga *saga) {
    const struct payment *payment = &saga->payment;
    char amount[MONEY_TEXT_SIZE];
    money_format(payment->amount, amount);
    printf("%s %s %s %s\n", payment->id, ending_name(payment->ending), amount, payment->detail);
    return payment->ending == ENDING_SUCCESS ? APP_OK : APP_FAILED;
}

static bool read_options(struct saga *saga, struct app *app) {
    *saga = (struct saga){
        .app = app,
        .payment = {.user = app_option(app, "user", ""), .id = app_option(app, "payment", "")},
        .breaker = {.app = app,
                    .service = app_option(app, "service", "payment-gateway"),
                    .failures_max = 5,
                    .successes_needed = 2,
                    .reset_s = 30},
        .gateway = app_option(app, "gateway", ""),
        .gateway_timeout_ms = 10000,
    };
    return app_check_id(app, "--user", saga->payment.user) &&
           app_check_id(app, "--payment", saga->payment.id) &&
           money_option(app, "amount", 1, &saga->payment.amount) &&
           app_check_id(app, "--service", saga->breaker.service) &&
           app_number(app, "gateway-timeout", 1, 600000, &saga->gateway_timeout_ms) &&
           app_number(app, "breaker-failures", 1, 1000000, &saga->breaker.failures_max) &&
           app_number(app, "breaker-successes", 1, 1000000, &saga->breaker.successes_needed) &&
           app_number(app, "breaker-reset", 1, 86400, &saga->breaker.reset_s);
}

static void record_metrics(const struct saga *saga, int64_t latency_ms) {
    const char *status = saga->payment.ending == ENDING_SUCCESS ? "success" : "failed";
    struct metric metric = {"PAYMENT_LATENCY", "payments-adapter", "process_payment", status};
    metrics_record_ms(saga->app, &metric, latency_ms);
    metric.type = "PAYMENT_AMOUNT";
    metrics_record_money(saga->app, &metric, saga->payment.amount);
}

enum app_status saga_pay(struct app *app) {
    struct saga saga;
    if (!read_options(&saga, app))
        return APP_USAGE;
    char correlation_id[CORRELATION_ID_SIZE];
    correlation_id_new(correlation_id);
    saga.payment.correlation_id = correlation_id;
    int64_t begin_ms = timestamp_elapsed_ms();
    enum app_status status = play(&saga);
    if (status != APP_OK)
        return status;
    if (saga.moved)
        record_metrics(&saga, timestamp_elapsed_ms() - begin_ms);
    return report(&saga);
}
