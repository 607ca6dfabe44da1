/* quote.h - a quote from the cache, or else from the source.
 *
 * The source is a command. It is called with the symbol as its only argument and prints one JSON
 * object, the quote, which has at least the symbol and a price. It ends with status 0, or it has
 * failed. */
#ifndef STOCK_CACHE_QUOTE_H
#define STOCK_CACHE_QUOTE_H

#include "common/app.h"

extern const struct app_option quote_options[];
enum app_status quote(struct app *app);

/* simulator.c: a source to try it with. */
extern const struct app_option source_simulate_options[];
enum app_status source_simulate(struct app *app);

#endif
