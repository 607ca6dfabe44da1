/* saga.c - runs a payment from the step it has reached to its end.
 *
 * The loop reads how far the payment has come and makes the next move, again and again. It does
 * not matter who made the moves before: a run that starts anew, a run that takes over from one that
 * crashed, and two runs of one payment at the same time are all the same thing.
 *
 * What can happen between two moves, and why no money is lost or spent twice:
 *   - The wallet changes only together with the payment's step (journal.h), so never twice.
 *   - The gateway is called only at the steps CHARGING and UNDOING, which are on record before the
 *     call. Its last words, to charge or to refund, are the same for everybody who asks.
 *   - A payment is given up without asking the gateway only when it has never heard of it: at step
 *     DEBITED, or after a first call that failed clearly while nobody else has called.
 *
 * And why it ends: a payment stops trying to charge after half the time that it has, and then the
 * gateway is asked to undo what it may have done. */
#include "saga.h"

#include <stdio.h>
#include <string.h>

#include "breaker.h"
#include "common/money.h"
#include "common/timestamp.h"
#include "gateway.h"
#include "metrics.h"

/* Whoever makes a move may take so much longer than the gateway before others take it up. The waits
 * between tries double up to the second number. */
enum { ROUNDS_MAX = 60, GRACE_MS = 1000, WAIT_MS = 500, WAIT_MAX_MS = 60000 };

struct saga {
    struct app *app;
    const struct saga_settings *settings;
    const struct saga_request *request;
    struct payment payment;
    struct breaker breaker;
    int64_t call;  /* the number of the call that this run has announced; 0: none */
    bool answered; /* and its answer */
    enum gateway_answer answer;
    char answer_detail[GATEWAY_DETAIL_SIZE];
    bool let_through; /* by the breaker, in this run */
    bool begun;       /* the wish to refund was carried out, so that it is not begun again */
    bool completed;   /* this run has made the last move */
};

enum round {
    ROUND_MOVED,
    ROUND_AGAIN, /* no move: read and try again */
    ROUND_ENDED,
    ROUND_FAILED, /* has said why; the payment may be halfway */
};

static enum round move(struct saga *saga, struct move move) {
    move.next_try_ms = timestamp_now_ms() + saga->settings->gateway_timeout_ms + GRACE_MS;
    switch (payment_move(saga->app, &saga->payment, &move)) {
    case MOVED:
        saga->completed = move.to == STEP_COMPLETED;
        return ROUND_MOVED;
    case MOVED_NOT:
        return ROUND_AGAIN;
    case MOVE_FAILED:
        break;
    }
    return ROUND_FAILED;
}

static bool is_late(const struct saga *saga) {
    const struct payment *payment = &saga->payment;
    return timestamp_now_ms() >= payment->began_ms + (payment->deadline_ms - payment->began_ms) / 2;
}

/* Why the payment is given up now; NULL when it is not. */
static const char *reason_to_stop(const struct saga *saga) {
    return saga->request->wish == WISH_CANCEL ? "cancelled"
           : is_late(saga)                    ? "not paid in time"
                                              : NULL;
}

/* ---- a payment that is not there ---- */

/* A payment that is run again must be the one that was begun. */
static bool amount_fits(const struct saga *saga) {
    char begun[MONEY_TEXT_SIZE];
    if (saga->request->wish != WISH_PAY || saga->payment.amount == saga->request->amount)
        return true;
    money_format(saga->payment.amount, begun);
    app_fail(saga->app, "%s was begun with the amount %s", saga->payment.id, begun);
    return false;
}

static enum round check_story(struct saga *saga, const struct story *story) {
    struct payment *payment = &saga->payment;
    if (strcmp(story->user, payment->user) != 0) {
        app_fail(saga->app, "%s is a payment of another user", payment->id);
        return ROUND_FAILED;
    }
    if (story->ending == ENDING_NONE) /* it began a moment ago, in another run */
        return ROUND_AGAIN;
    payment->amount = story->amount;
    payment->ending = story->ending;
    memcpy(payment->detail, story->detail, sizeof(payment->detail));
    return amount_fits(saga) ? ROUND_ENDED : ROUND_FAILED;
}

static enum round read_currency(struct saga *saga) {
    struct payment *payment = &saga->payment;
    struct wallet wallet;
    if (!wallet_read(saga->app, payment->user, &wallet))
        return ROUND_FAILED;
    if (!wallet.found) {
        app_fail(saga->app, "there is no wallet of %s", payment->user);
        return ROUND_FAILED;
    }
    memcpy(payment->currency, wallet.currency, sizeof(payment->currency));
    payment->began_ms = timestamp_now_ms();
    payment->deadline_ms = payment->began_ms + saga->settings->deadline_s * 1000;
    return ROUND_MOVED;
}

static enum round begin_refund(struct saga *saga) {
    struct payment *payment = &saga->payment;
    payment->began_ms = timestamp_now_ms();
    payment->deadline_ms = payment->began_ms + saga->settings->deadline_s * 1000;
    saga->begun = true;
    return move(saga, (struct move){.to = STEP_UNDOING,
                                    .event = "REFUND_INITIATED",
                                    .status = "PENDING",
                                    .refund = true});
}

/* There is no key. Either the payment is new, or it is so old that its key has expired: then its
 * events tell how it ended. */
static enum round initiate(struct saga *saga) {
    struct payment *payment = &saga->payment;
    struct story story;
    if (!story_read(saga->app, payment->id, &story))
        return ROUND_FAILED;
    enum round round = story.found ? check_story(saga, &story) : ROUND_MOVED;
    bool refunds = round == ROUND_ENDED && saga->request->wish == WISH_REFUND &&
                   payment->ending == ENDING_SUCCESS && !saga->begun;
    if (round == ROUND_ENDED && !refunds)
        payment->step = STEP_COMPLETED;
    if (round != ROUND_MOVED && !refunds)
        return round;
    if (!refunds && saga->request->wish != WISH_PAY) {
        app_fail(saga->app, "there is no payment %s", payment->id);
        return ROUND_FAILED;
    }
    round = read_currency(saga);
    if (round != ROUND_MOVED)
        return round;
    if (refunds)
        return begin_refund(saga);
    payment->amount = saga->request->amount;
    *payment->detail = '\0';
    return move(saga, (struct move){
                          .to = STEP_INITIATED, .event = "PAYMENT_INITIATED", .status = "PENDING"});
}

/* ---- before the gateway is called ---- */

static enum round debit(struct saga *saga) {
    const char *reason = reason_to_stop(saga);
    struct wallet wallet = {0};
    if (reason == NULL && !wallet_read(saga->app, saga->payment.user, &wallet))
        return ROUND_FAILED;
    if (reason == NULL && (!wallet.found || wallet.balance < saga->payment.amount))
        reason = wallet.found ? "not enough money" : "no wallet";
    if (reason != NULL)
        return move(saga, (struct move){.to = STEP_COMPLETED,
                                        .event = "WALLET_DEBITED",
                                        .status = "FAILED",
                                        .detail = reason,
                                        .ending = ENDING_FAILED});
    return move(saga, (struct move){.to = STEP_DEBITED,
                                    .event = "WALLET_DEBITED",
                                    .status = "SUCCESS",
                                    .wallet = &wallet,
                                    .wallet_cents = -saga->payment.amount});
}

static enum round give_up(struct saga *saga, const char *reason, bool same_call) {
    return move(saga, (struct move){.to = STEP_REFUNDING,
                                    .event = "PAYMENT_PROCESSED",
                                    .status = "FAILED",
                                    .detail = reason,
                                    .same_call = same_call});
}

/* Puts on record that the gateway is about to be called. */
static enum round announce_call(struct saga *saga) {
    bool first = saga->payment.step == STEP_DEBITED;
    enum round round = move(saga, (struct move){.to = STEP_CHARGING,
                                                .event = first ? "PAYMENT_PROCESSED" : NULL,
                                                .status = "PENDING",
                                                .calls = true});
    if (round == ROUND_MOVED) {
        saga->call = saga->payment.calls + 1;
        saga->answered = false;
    }
    return round;
}

static enum round ask_breaker(struct saga *saga) {
    const char *reason = reason_to_stop(saga);
    if (reason != NULL)
        return give_up(saga, reason, false);
    switch (breaker_ask(&saga->breaker)) {
    case BREAKER_LETS_THROUGH:
        saga->let_through = true;
        return announce_call(saga);
    case BREAKER_REFUSES:
        return give_up(saga, "the circuit breaker is open", false);
    case BREAKER_UNREADABLE:
        break;
    }
    return ROUND_FAILED;
}

/* ---- calling the gateway ---- */

/* Says why, and when others may go on. */
static enum round pend(struct saga *saga, const char *why) {
    const struct payment *payment = &saga->payment;
    int64_t wait_ms = WAIT_MS;
    for (int64_t i = 0; i < payment->calls && wait_ms < WAIT_MAX_MS; i++)
        wait_ms *= 2;
    /* At least a few times before it is late, and a few times after. */
    int64_t most_ms = (payment->deadline_ms - payment->began_ms) / 8;
    if (most_ms < wait_ms)
        wait_ms = most_ms < WAIT_MS ? WAIT_MS : most_ms;
    payment_postpone(saga->app, payment, timestamp_now_ms() + wait_ms);
    app_fail(saga->app, "%s is pending: %s", payment->id, why);
    return ROUND_FAILED;
}

/* The payment came from an earlier run to where the gateway may be called. */
static enum round may_call_gateway(struct saga *saga) {
    if (saga->let_through)
        return ROUND_MOVED;
    enum breaker_answer answer = breaker_ask(&saga->breaker);
    saga->let_through = answer == BREAKER_LETS_THROUGH;
    if (answer == BREAKER_REFUSES)
        return pend(saga, "the gateway may have charged, and its circuit breaker is open");
    return saga->let_through ? ROUND_MOVED : ROUND_FAILED;
}

static enum gateway_answer call_gateway(struct saga *saga, const char *verb,
                                        char ret_detail[GATEWAY_DETAIL_SIZE]) {
    char key[PAYMENT_KEY_SIZE];
    payment_key(&saga->payment, key);
    int64_t begin_ms = timestamp_elapsed_ms();
    enum gateway_answer answer =
        gateway_call(&(struct gateway_call){.command = saga->settings->gateway,
                                            .verb = verb,
                                            .key = key,
                                            .amount = saga->payment.amount,
                                            .currency = saga->payment.currency,
                                            .timeout_ms = (int)saga->settings->gateway_timeout_ms},
                     ret_detail);
    saga->let_through = false;
    breaker_report(&saga->breaker, answer == GATEWAY_DONE || answer == GATEWAY_DECLINED);
    metrics_record_ms(saga->app,
                      &(struct metric){"GATEWAY_LATENCY", saga->settings->service, verb,
                                       gateway_answer_name(answer)},
                      timestamp_elapsed_ms() - begin_ms);
    return answer;
}

static enum round no_answer(struct saga *saga, const char *deed, const char *detail) {
    char why[GATEWAY_DETAIL_SIZE + 64];
    snprintf(why, sizeof(why), "nobody knows whether the gateway has %s: %s", deed, detail);
    return pend(saga, why);
}

static enum round complete(struct saga *saga, const char *detail) {
    return move(saga, (struct move){.to = STEP_COMPLETED,
                                    .event = "PAYMENT_PROCESSED",
                                    .status = "SUCCESS",
                                    .detail = detail,
                                    .ending = ENDING_SUCCESS});
}

static enum round charge(struct saga *saga) {
    const char *detail = saga->answer_detail;
    if (saga->call != saga->payment.calls) { /* an earlier run's, of which we know nothing */
        const char *reason = reason_to_stop(saga);
        if (reason != NULL)
            return move(saga, (struct move){.to = STEP_UNDOING,
                                            .event = "PAYMENT_PROCESSED",
                                            .status = "PENDING",
                                            .detail = reason});
        enum round round = may_call_gateway(saga);
        return round == ROUND_MOVED ? announce_call(saga) : round;
    }
    if (!saga->answered) {
        saga->answer = call_gateway(saga, "charge", saga->answer_detail);
        saga->answered = true;
    }
    switch (saga->answer) {
    case GATEWAY_DONE:
        return complete(saga, detail);
    case GATEWAY_DECLINED:
        return give_up(saga, detail, false);
    case GATEWAY_FAILED:
        if (saga->payment.calls == 1)
            return give_up(saga, detail, true);
        break;
    case GATEWAY_UNKNOWN:
        break;
    }
    return no_answer(saga, "charged", detail);
}

/* The gateway is asked to refund. When that is its last word, the wallet gets its money back. */
static enum round undo(struct saga *saga) {
    char detail[GATEWAY_DETAIL_SIZE];
    enum round round = may_call_gateway(saga);
    if (round != ROUND_MOVED)
        return round;
    switch (call_gateway(saga, "refund", detail)) {
    case GATEWAY_DONE:
        if (saga->payment.refund)
            return move(saga, (struct move){.to = STEP_REFUNDING, .detail = detail});
        return give_up(saga, NULL, false);
    case GATEWAY_DECLINED:
        if (saga->payment.refund)
            return move(saga, (struct move){.to = STEP_COMPLETED,
                                            .event = "REFUND_INITIATED",
                                            .status = "FAILED",
                                            .detail = detail,
                                            .keeps_detail = true,
                                            .ending = ENDING_SUCCESS});
        return complete(saga, detail);
    case GATEWAY_FAILED:
    case GATEWAY_UNKNOWN:
        break;
    }
    return no_answer(saga, "refunded", detail);
}

static enum round refund(struct saga *saga) {
    struct wallet wallet;
    if (!wallet_read(saga->app, saga->payment.user, &wallet))
        return ROUND_FAILED;
    if (!wallet.found)
        return pend(saga, "there is no wallet to refund");
    return move(saga,
                (struct move){.to = STEP_COMPLETED,
                              .event = "REFUND_INITIATED",
                              .status = "SUCCESS",
                              .ending = saga->payment.refund ? ENDING_REFUNDED : ENDING_FAILED,
                              .wallet = &wallet,
                              .wallet_cents = saga->payment.amount});
}

/* ---- the loop ---- */

/* What somebody has found in the gateway's books stands for its answer. */
static enum round take_word(struct saga *saga) {
    if (saga->request->wish == WISH_NOT_CHARGED)
        return give_up(saga, "not charged, as the gateway's books show", false);
    return complete(saga, saga->request->reference);
}

static enum round end(struct saga *saga) {
    const struct payment *payment = &saga->payment;
    if (saga->request->wish == WISH_REFUND && payment->ending == ENDING_SUCCESS && !saga->begun)
        return begin_refund(saga);
    return ROUND_ENDED;
}

/* Says so when the wish is not for a payment that has come so far. */
static bool wish_fits(const struct saga *saga) {
    const struct payment *payment = &saga->payment;
    enum wish wish = saga->request->wish;
    const char *what = NULL;
    if (wish == WISH_REFUND && payment->step != STEP_COMPLETED && !payment->refund)
        what = "has not ended; cancel it";
    else if ((wish == WISH_CHARGED || wish == WISH_NOT_CHARGED) && payment->step < STEP_CHARGING)
        what = "has not been at the gateway yet";
    if (what != NULL)
        app_fail(saga->app, "%s %s", payment->id, what);
    return what == NULL;
}

static enum round play_round(struct saga *saga) {
    const struct payment *payment = &saga->payment;
    enum wish wish = saga->request->wish;
    bool at_gateway = payment->step == STEP_CHARGING || payment->step == STEP_UNDOING;
    if (payment->step != STEP_NONE && (!amount_fits(saga) || !wish_fits(saga)))
        return ROUND_FAILED;
    if (at_gateway && (wish == WISH_CHARGED || wish == WISH_NOT_CHARGED))
        return take_word(saga);
    switch (payment->step) {
    case STEP_NONE:
        return initiate(saga);
    case STEP_INITIATED:
        return debit(saga);
    case STEP_DEBITED:
        return ask_breaker(saga);
    case STEP_CHARGING:
        return charge(saga);
    case STEP_UNDOING:
        return undo(saga);
    case STEP_REFUNDING:
        return refund(saga);
    case STEP_COMPLETED:
        break;
    }
    return end(saga);
}

static enum app_status play(struct saga *saga) {
    int losses = 0;
    for (int rounds = 0; rounds < ROUNDS_MAX; rounds++) {
        if (!payment_read(saga->app, &saga->payment))
            return APP_FAILED;
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
    return app_fail(saga->app, "%s is pending: others change it or its wallet all the time",
                    saga->payment.id);
}

static void record_metrics(const struct saga *saga) {
    const struct payment *payment = &saga->payment;
    const char *operation = payment->refund ? "refund_payment" : "process_payment";
    const char *status = payment->ending == ENDING_SUCCESS    ? "success"
                         : payment->ending == ENDING_REFUNDED ? "refunded"
                                                              : "failed";
    metrics_record_ms(saga->app,
                      &(struct metric){"PAYMENT_LATENCY", "payments-adapter", operation, status},
                      timestamp_now_ms() - payment->began_ms);
    metrics_record_money(saga->app,
                         &(struct metric){"PAYMENT_AMOUNT", "payments-adapter", operation, status},
                         payment->amount);
}

static bool find_user(struct app *app, const char *id, char ret_user[PAYMENT_ID_SIZE]) {
    struct story story;
    if (!story_read(app, id, &story))
        return false;
    if (!story.found)
        app_fail(app, "there is no payment %s", id);
    memcpy(ret_user, story.user, PAYMENT_ID_SIZE);
    return story.found;
}

enum app_status saga_run(struct app *app, const struct saga_settings *settings,
                         const struct saga_request *request, struct payment *ret_payment) {
    struct saga saga = {
        .app = app,
        .settings = settings,
        .request = request,
        .breaker = {.app = app,
                    .service = settings->service,
                    .failures_max = settings->breaker_failures,
                    .successes_needed = settings->breaker_successes,
                    .reset_s = settings->breaker_reset_s},
    };
    char correlation_id[CORRELATION_ID_SIZE];
    correlation_id_new(correlation_id);
    saga.payment.correlation_id = correlation_id;
    snprintf(saga.payment.id, sizeof(saga.payment.id), "%s", request->id);
    snprintf(saga.payment.user, sizeof(saga.payment.user), "%s",
             request->user == NULL ? "" : request->user);
    enum app_status status = APP_FAILED;
    if (request->user != NULL || find_user(app, request->id, saga.payment.user))
        status = play(&saga);
    if (status == APP_OK && saga.completed)
        record_metrics(&saga);
    *ret_payment = saga.payment;
    ret_payment->correlation_id = NULL;
    return status;
}
