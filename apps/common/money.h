/* money.h - amounts of money: decimal text outside, a whole number of cents inside, never a double.
 *
 * DynamoDB's numbers are exact decimals, so an amount travels as the text "100.50" and the server
 * does the sums.
 *
 * An amount belongs to one transaction. A sum adds up many amounts: a balance, a total.
 * It has a wider type and a limit of its own, because a thousand amounts at the limit are valid. */
#ifndef APPS_COMMON_MONEY_H
#define APPS_COMMON_MONEY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/app.h"

__extension__ typedef __int128 money_sum; /* cents */

#define MONEY_CENTS_MAX INT64_C(1000000000000000) /* of an amount: ten trillions */
/* Of a sum: 38 digits, as many as a number of DynamoDB has. The server refuses what would be more.
 * It takes 10^23 amounts to get there, so sums of amounts that were read need no check. */
#define MONEY_SUM_MAX ((money_sum)MONEY_CENTS_MAX * MONEY_CENTS_MAX * 100000000 - 1)

enum { MONEY_TEXT_SIZE = 48 };

/* "5", "5.5", "5.50", "-5.50": at most two decimals, and not beyond the limit. */
bool money_parse(const char *text, int64_t *ret_cents);
bool money_sum_parse(const char *text, money_sum *ret_cents);
/* Always with two decimals. */
void money_format(money_sum cents, char ret_text[MONEY_TEXT_SIZE]);

/* An attribute. Reading says nothing: false when it is absent, not an amount or not a sum. */
void money_set(struct ddb_item *item, const char *name, money_sum cents);
bool money_get(const struct ddb_item *item, const char *name, int64_t *ret_cents);
bool money_sum_get(const struct ddb_item *item, const char *name, money_sum *ret_cents);
/* The value of an option, at least `low` cents. Says what is wrong when it returns false. */
bool money_option(const struct app *app, const char *name, int64_t low, int64_t *ret_cents);
/* --currency: three capital letters. */
bool money_check_currency(const struct app *app, const char *currency);

#endif
