/* store.h - rates in the table: found, saved, marked, deleted. One request each, as rate.h lays the
 * table out. On failure each says why; what is not there is no failure. */
#ifndef EXCHANGE_RATES_STORE_H
#define EXCHANGE_RATES_STORE_H

#include "rate.h"

enum { STORE_LIFETIME_S = 24 * 60 * 60 }; /* of a rate, when --ttl is not given */

/* NULL: it is not there. */
bool store_find(struct app *app, const struct rate *rate, struct ddb_item **ret_item);
bool store_save(struct app *app, const struct ddb_item *item);
/* All of them or, with a message, only some. */
bool store_save_all(struct app *app, const struct rate *rates, size_t count);
bool store_delete(struct app *app, const struct rate *rate, bool *ret_was_there);
/* The item as it is then; NULL: it is not there. */
bool store_mark_stale(struct app *app, const struct rate *rate, struct ddb_item **ret_item);

/* The rates of a base currency, by target; free all of it with store_list_free(). */
struct store_list {
    struct ddb_item **items;
    size_t count;
};
bool store_by_base(struct app *app, const char *base, bool even_expired,
                   struct store_list *ret_list);
void store_list_free(struct store_list *list);

#endif
