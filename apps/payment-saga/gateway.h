/* gateway.h - the payment gateway: a command of the user's, and one that plays it for tests.
 *
 * It is called as `CMD charge USER:PAYMENT AMOUNT CURRENCY` and answers with its exit status:
 *   0        charged; the first line of its output is its reference
 *   1        refused: not charged; the first line may say why
 *   another  nobody knows; also when it is killed, takes too long or says too much
 *
 * The contract on which the whole saga stands: USER:PAYMENT names the payment. However often the
 * gateway is called with it, it charges at most once, and after an answer of 0 or 1 it gives the
 * same answer for ever. */
#ifndef PAYMENT_SAGA_GATEWAY_H
#define PAYMENT_SAGA_GATEWAY_H

#include "common/app.h"
#include "common/process.h"

enum gateway_answer { GATEWAY_CHARGED, GATEWAY_REFUSED, GATEWAY_UNKNOWN };

struct gateway_call {
    const char *command;
    const char *key;
    int64_t amount;
    const char *currency;
    int timeout_ms;
};

enum { GATEWAY_DETAIL_SIZE = PROCESS_TEXT_SIZE };
/* The detail is the gateway's first line, or what happened to it; printable, never empty. */
enum gateway_answer gateway_charge(const struct gateway_call *call,
                                   char ret_detail[GATEWAY_DETAIL_SIZE]);

extern const struct app_option gateway_simulate_options[];
enum app_status gateway_simulate(struct app *app);

#endif
