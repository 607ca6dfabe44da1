/* number_digits.h - a number taken apart, for the files that compute with it.
 *
 * The value is +-0.D1D2D3... x 100^exponent with base-100 digits D; a count of 0 is zero. Digits of
 * a decoded number start and end with one that is not zero. */
#ifndef GRAMME_MODEL_NUMBER_DIGITS_H
#define GRAMME_MODEL_NUMBER_DIGITS_H

#include "model/number.h"

enum {
    NUMBER_ZERO_BYTE = 0x80,
    NUMBER_EXPONENT_MIN = -64, /* base 100: 10^-130 */
    NUMBER_EXPONENT_MAX = 63,  /* base 100: 10^125 */
    NUMBER_PAIRS_MAX = 20,
    /* Where two numbers overlap least: from 100^63, with a carry, down to 100^(-64 - 20). */
    NUMBER_SPAN_MAX = 160,
};

struct number_digits {
    int exponent;
    int count;
    bool negative;
    uint8_t digits[NUMBER_SPAN_MAX];
};

/* The digits must be canonical and in range. */
void number_encode(const struct number_digits *digits, struct number *ret_number);
/* The bytes may be anything of 1 to NUMBER_BYTES_MAX bytes (number_check() needs that). */
void number_decode(struct slice number, struct number_digits *ret_digits);
/* Strips zeros at both ends, checks the limits, and encodes. */
enum number_status number_normalise(struct number_digits *digits, struct number *ret_number);

#endif
