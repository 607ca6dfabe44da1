/* serve.h - `gramme-payment-saga serve`: payments as a service. */
#ifndef PAYMENT_SAGA_SERVE_H
#define PAYMENT_SAGA_SERVE_H

#include "common/app.h"

extern const struct app_option serve_options[];
enum app_status serve_command(struct app *app);

#endif
