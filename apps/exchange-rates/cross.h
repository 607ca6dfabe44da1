/* cross.h - a rate that nobody saved, from two that somebody did.
 *
 * Of USD to EUR and USD to GBP follows EUR to GBP; of EUR to USD follows USD to EUR. */
#ifndef EXCHANGE_RATES_CROSS_H
#define EXCHANGE_RATES_CROSS_H

#include "rate.h"

/* a / b as decimal text, rounded to 12 digits, exactly from 18 digits of each. False: the result
 * is out of range. */
bool cross_divide(const char *a, const char *b, char ret_number[RATE_NUMBER_SIZE]);

/* The rate itself; else the other way round; else by way of `via`, or NULL. An item with the
 * attributes of a rate and, where it was computed, `Via`: the older of both times and the earlier
 * of both ends. NULL: none of these is there, or it has expired. False, with a message, when the
 * table cannot be read. */
bool cross_find(struct app *app, const struct rate *rate, const char *via,
                struct ddb_item **ret_item);

#endif
