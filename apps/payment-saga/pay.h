/* pay.h - the commands that make, cancel, refund and settle a payment. */
#ifndef PAYMENT_SAGA_PAY_H
#define PAYMENT_SAGA_PAY_H

#include "common/app.h"
#include "journal.h"

/* The line that tells how a payment has ended, the same however often it is asked for. */
void print_ending(const struct payment *payment);

extern const struct app_option pay_options[];
enum app_status pay(struct app *app);
extern const struct app_option pay_undo_options[];
enum app_status pay_cancel(struct app *app);
enum app_status pay_refund(struct app *app);
extern const struct app_option pay_resolve_options[];
enum app_status pay_resolve(struct app *app);

#endif
