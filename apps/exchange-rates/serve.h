/* serve.h - `gramme-exchange-rates serve`: the cache as a service. */
#ifndef EXCHANGE_RATES_SERVE_H
#define EXCHANGE_RATES_SERVE_H

#include "common/app.h"

extern const struct app_option serve_options[];
enum app_status serve_command(struct app *app);

#endif
