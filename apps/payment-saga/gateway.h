/* gateway.h - the payment gateway: a command of the user's, and one that plays it for tests.
 *
 * It is called as `CMD charge USER:PAYMENT AMOUNT CURRENCY` or `CMD refund USER:PAYMENT AMOUNT
 * CURRENCY` and answers with its exit status:
 *
 *                  charge                               refund
 *     0 done       charged; the first line is its       not charged: never was, or not any more
 *                  reference
 *     1 declined   not charged; the line may say why    charged, and stays so
 *     2 failed     this call has done nothing           this call has done nothing
 *     126, 127     the same: the shell's words for a command that cannot be run
 *     another      nobody knows; also when it is killed, takes too long or says too much
 *
 * The contract on which the whole saga stands: USER:PAYMENT names the payment. However often the
 * gateway is called with it, it charges at most once; after an answer of 0 or 1 it gives the same
 * answer to the same question for ever; and once it has answered 0 to `refund`, it declines to
 * charge. */
#ifndef PAYMENT_SAGA_GATEWAY_H
#define PAYMENT_SAGA_GATEWAY_H

#include "common/app.h"
#include "common/process.h"

enum gateway_answer { GATEWAY_DONE, GATEWAY_DECLINED, GATEWAY_FAILED, GATEWAY_UNKNOWN };
/* "done", "declined", "failed", "unknown" */
const char *gateway_answer_name(enum gateway_answer answer);

struct gateway_call {
    const char *command;
    const char *verb; /* "charge" or "refund" */
    const char *key;
    int64_t amount;
    const char *currency;
    int timeout_ms;
};

enum { GATEWAY_DETAIL_SIZE = PROCESS_TEXT_SIZE };
/* The detail is the gateway's first line, or what happened to it; printable, never empty. */
enum gateway_answer gateway_call(const struct gateway_call *call,
                                 char ret_detail[GATEWAY_DETAIL_SIZE]);

extern const struct app_option gateway_simulate_options[];
enum app_status gateway_simulate(struct app *app);

#endif
