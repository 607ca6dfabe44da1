/* main.c - `gramme-payment-saga`: the commands. */
#include "breaker.h"
#include "events.h"
#include "gateway.h"
#include "metrics.h"
#include "pay.h"
#include "serve.h"
#include "wallet.h"
#include "work.h"

static const struct app_command commands[] = {
    {"pay", NULL, "pays once, however often it is run", pay, pay_options},
    {"cancel", "PAYMENT", "ends a payment that is under way; the wallet gets its money back",
     pay_cancel, pay_undo_options},
    {"refund", "PAYMENT", "gives back what was paid", pay_refund, pay_undo_options},
    {"resolve", "PAYMENT", "ends a payment by what the gateway's books show", pay_resolve,
     pay_resolve_options},
    {"pending", NULL, "lists the payments that have not ended, the oldest first", work_show_pending,
     work_pending_options},
    {"work", NULL, "goes on with the payments that were left", work, work_options},
    {"serve", NULL, "answers over HTTP, and goes on with the payments that were left",
     serve_command, serve_options},
    {"wallet create", "USER", "makes a wallet", wallet_create, wallet_create_options},
    {"wallet show", "USER", "tells what is in a wallet", wallet_show, NULL},
    {"wallet top-up", "USER", "puts money into a wallet", wallet_top_up, wallet_top_up_options},
    {"wallet verify", "[USER]", "checks that balances are what the events make", wallet_verify,
     NULL},
    {"status", "PAYMENT", "tells what happened to a payment", events_status, NULL},
    {"history", "USER", "tells what a user's payments did, the newest first", events_history,
     events_history_options},
    {"breaker", "SERVICE", "tells the state of a circuit breaker", breaker_show, NULL},
    {"metrics", "TYPE DATE [TO]", "counts and sums up a day's measurements, or several days'",
     metrics_show, metrics_show_options},
    {"simulate-gateway", "charge|refund KEY AMOUNT CURRENCY",
     "plays a payment gateway, for --gateway", gateway_simulate, gateway_simulate_options},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {
        "gramme-payment-saga", "payments that are made once or not at all", commands};
    return app_main(&program, argc, argv);
}
