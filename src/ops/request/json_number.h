/* json_number.h - numbers as JSON writes them, where the API wants whole ones. */
#ifndef GRAMME_OPS_JSON_NUMBER_H
#define GRAMME_OPS_JSON_NUMBER_H

#include "base/arena.h"

/* Of what JSON calls a number without fraction and exponent; false when it does not fit. */
bool json_number_integer(struct slice text, int64_t *ret_n);
/* Of any number; the arena is as it was afterwards. */
double json_number_double(struct arena *arena, struct slice text);
/* Cuts the fraction off; false when the number does not fit. */
bool json_number_decimal(struct arena *arena, struct slice text, int64_t *ret_n);
/* False when it is not only digits, or does not fit. */
bool json_number_digits(struct slice text, int64_t *ret_n);

#endif
