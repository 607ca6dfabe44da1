/* saga.h - `payment-saga pay`. */
#ifndef PAYMENT_SAGA_SAGA_H
#define PAYMENT_SAGA_SAGA_H

#include "common/app.h"

extern const struct app_option saga_pay_options[];
enum app_status saga_pay(struct app *app);

#endif
