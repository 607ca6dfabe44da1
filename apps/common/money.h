/* money.h - amounts of money: decimal text outside, a whole number of cents inside, never a double.
 *
 * DynamoDB's numbers are exact decimals, so an amount travels as the text "100.50" and the server
 * does the sums. */
#ifndef APPS_COMMON_MONEY_H
#define APPS_COMMON_MONEY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/app.h"

#define MONEY_CENTS_MAX INT64_C(1000000000000000) /* ten trillions: sums of thousands still fit */

enum { MONEY_TEXT_SIZE = 24 };

/* "5", "5.5", "5.50", "-5.50": at most two decimals, and not beyond MONEY_CENTS_MAX. */
bool money_parse(const char *text, int64_t *ret_cents);
/* Always with two decimals. */
void money_format(int64_t cents, char ret_text[MONEY_TEXT_SIZE]);

/* An attribute. Reading says nothing: false when it is absent or not an amount. */
void money_set(struct ddb_item *item, const char *name, int64_t cents);
bool money_get(const struct ddb_item *item, const char *name, int64_t *ret_cents);
/* The value of an option, at least `low` cents. Says what is wrong when it returns false. */
bool money_option(const struct app *app, const char *name, int64_t low, int64_t *ret_cents);
/* --currency: three capital letters. */
bool money_check_currency(const struct app *app, const char *currency);

#endif
