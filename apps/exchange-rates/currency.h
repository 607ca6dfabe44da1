/* currency.h - the codes of ISO 4217. */
#ifndef EXCHANGE_RATES_CURRENCY_H
#define EXCHANGE_RATES_CURRENCY_H

#include <stdbool.h>

enum { CURRENCY_SIZE = 4 }; /* with its NUL */

bool currency_exists(const char *code);

#endif
