/* market.h - made-up sources: prices of shares and rates of currencies that move with the time. */
#ifndef DEMO_MARKET_H
#define DEMO_MARKET_H

#include "common/app.h"

/* `quote SYMBOL`, for `gramme-stock-cache --source`. Now and then it fails. */
enum app_status market_quote(struct app *app);
/* `rates BASE`, for `gramme-exchange-rates --source`. */
enum app_status market_rates(struct app *app);

#endif
