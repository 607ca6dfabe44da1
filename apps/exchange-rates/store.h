/* store.h - the commands that save, find, mark and delete single rates. */
#ifndef EXCHANGE_RATES_STORE_H
#define EXCHANGE_RATES_STORE_H

#include "rate.h"

enum { STORE_LIFETIME_S = 24 * 60 * 60 }; /* of a rate, when --ttl is not given */

extern const struct app_option store_save_options[];
enum app_status store_save(struct app *app);
enum app_status store_get(struct app *app);
enum app_status store_get_stale(struct app *app);
extern const struct app_option store_by_base_options[];
enum app_status store_by_base(struct app *app);
enum app_status store_delete(struct app *app);
enum app_status store_mark_stale(struct app *app);

#endif
