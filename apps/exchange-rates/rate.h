/* rate.h - one exchange rate, and the item that holds it.
 *
 *   PK         S     RATE#USD#EUR      the table's key: direct look-up of a pair
 *   Base       S     USD               the key of BaseCurrencyIndex: all rates of a base
 *   Target     S     EUR
 *   Rate       N     0.85              how many of Target one of Base is worth
 *   RateText   S     0.850             the same as it was given, where that differs
 *   Timestamp  N     1704067200        when it was saved
 *   Stale      BOOL  false             somebody has marked it as out of date
 *   ttl        N     1704153600        when DynamoDB may delete it */
#ifndef EXCHANGE_RATES_RATE_H
#define EXCHANGE_RATES_RATE_H

#include "common/app.h"
#include "currency.h"

#define RATE_TABLE "ExchangeRates"
#define RATE_INDEX "BaseCurrencyIndex"

enum { RATE_KEY_SIZE = 16, RATE_NUMBER_SIZE = 64, RATE_PROBLEM_SIZE = 200 };

struct rate {
    char base[CURRENCY_SIZE];
    char target[CURRENCY_SIZE];
    char number[RATE_NUMBER_SIZE]; /* decimal text: a double would round it */
    int64_t timestamp;
    bool stale;
    int64_t ttl;
};

/* Sets one field from text, by the name of its attribute, and checks it. PK may be given too, and
 * then has to fit what was set before. False: `ret_problem` says why. */
bool rate_set(struct rate *rate, const char *name, const char *text,
              char ret_problem[RATE_PROBLEM_SIZE]);
/* Checks what only the whole can be checked for: that the three fields which a rate needs are
 * there, and that it is not the rate of a currency in itself. */
bool rate_check(const struct rate *rate, char ret_problem[RATE_PROBLEM_SIZE]);

/* {"PK": "RATE#USD#EUR"} and the whole item; yours to free. */
struct ddb_item *rate_key(const char *base, const char *target);
struct ddb_item *rate_item(const struct rate *rate);
/* The number as it was given: "0.850". */
const char *rate_text(const struct ddb_item *item);
/* "USD EUR 0.85 saved 2024-01-01T00:00:00Z expires 2024-01-02T00:00:00Z", and "stale" at the end
 * when it is marked so or has expired; and by which way it was computed, if it was. */
void rate_print(const struct ddb_item *item);

#endif
