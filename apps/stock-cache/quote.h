/* quote.h - a quote, by way of the cache.
 *
 * A quote that is fresh comes from the table. Else one of those who want it asks the source, and
 * the others wait for its answer. What is to be known for that is an entry beside the quote, of
 * type "quote#source", which is kept for a week:
 *   leaseUntil     N  until when, in milliseconds, somebody is asking; 0: nobody
 *   lastQuote      M  what the source said last: what one gets, with its age, when it fails
 *   lastTimestamp  N  when
 *
 * The source gives an object with at least `symbol`, the same one, and `price`, a number. */
#ifndef STOCK_CACHE_QUOTE_H
#define STOCK_CACHE_QUOTE_H

#include "common/service.h"
#include "common/source.h"

enum quote_outcome { QUOTE_HIT, QUOTE_MISS, QUOTE_STALE };

struct quote_settings {
    struct source source;
    int64_t lifetime_s;
};

struct quote {
    enum quote_outcome outcome;
    struct ddb_item *entry; /* yours to free */
    int64_t age_s;
};

/* "hit", "miss" or "stale". */
const char *quote_outcome_name(enum quote_outcome outcome);

/* As the options say. */
bool quote_settings_of(const struct app *app, bool source_required,
                       struct quote_settings *ret_settings);
/* `symbol` is one of entry_symbol(). With `always` the source is asked also when there is a fresh
 * one. Of a stale quote app_message() tells why it is; on failure it tells why there is none. */
enum app_status quote_read(struct app *app, const struct quote_settings *settings,
                           const char *symbol, bool always, struct quote *ret_quote);

extern const struct app_option quote_options[];
enum app_status quote_command(struct app *app);

extern struct service_counter quote_counters[];

/* simulator.c */
extern const struct app_option source_simulate_options[];
enum app_status source_simulate(struct app *app);

#endif
