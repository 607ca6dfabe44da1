/* serve.h - `gramme-stock-cache serve`: the cache as a service. */
#ifndef STOCK_CACHE_SERVE_H
#define STOCK_CACHE_SERVE_H

#include "common/app.h"

extern const struct app_option serve_options[];
enum app_status serve_command(struct app *app);

#endif
