/* number.h - DynamoDB's numbers: decimals of up to 38 significant digits, exact.
 *
 * A number has one canonical form, and its bytes sort as the numbers do, so equality is equality of
 * bytes, order is memcmp, and the same bytes serve as a value, as a set member and as a sort key:
 *
 *   OFFSET  SIZE    MEANING
 *   0       1       zero: 0x80, and nothing follows
 *                   positive: 0x80 + (E + 64), negative: 0x7F - (E + 64), where the value is
 *                   +-0.D1D2D3... x 100^E with base-100 digits D, D1 not 0, E from -64 to 63
 *   1       1..20   the digits without trailing zero digits:
 *                   D + 1 when positive, 254 - D when negative
 *   then    0 or 1  0xFF when negative, so that -1 sorts after -1.5
 *
 * A positive number is never followed by a zero byte of its own, so keys may put 0x00 after it as
 * an end mark. */
#ifndef GRAMME_MODEL_NUMBER_H
#define GRAMME_MODEL_NUMBER_H

#include "base/slice.h"
#include "model/limits.h"

enum {
    NUMBER_DIGITS_MAX = LIMIT_NUMBER_DIGITS,
    NUMBER_BYTES_MAX = 22,
    NUMBER_TEXT_MAX = 176, /* sign, "0.", 130 places and 38 digits, with room to spare */
};

struct number {
    uint8_t len;
    uint8_t bytes[NUMBER_BYTES_MAX];
};

enum number_status {
    NUMBER_OK,
    NUMBER_INVALID,
    NUMBER_OVERFLOW,
    NUMBER_UNDERFLOW,
    NUMBER_TOO_PRECISE,
};

static inline struct slice number_slice(const struct number *number) {
    return slice_of(number->bytes, number->len);
}

enum number_status number_parse(struct slice text, struct number *ret_number);
/* The message the service gives, without any prefix, e.g. "Number overflow. Attempting to ...". For
 * NUMBER_INVALID the service appends a colon, a space and the text it was given: the caller does
 * that. */
const char *number_status_text(enum number_status status);
/* What the service's older layer says of a text that number_parse refused with `status`. It reads
 * numbers as Java's BigDecimal does: a scale beyond 32 bits is no number, and the largest exponent
 * wraps around to an underflow. */
enum number_status number_status_older(enum number_status status, struct slice text);

/* Plain decimal, never an exponent. Returns the length; the text is not NUL-terminated. */
size_t number_format(struct slice number, char ret_text[NUMBER_TEXT_MAX]);

static inline bool number_is_negative(struct slice number) {
    return number.data[0] < 0x80;
}

/* Exact; too many digits or out of range is a status. */
enum number_status number_add(struct slice a, struct slice b, struct number *ret_sum);
enum number_status number_subtract(struct slice a, struct slice b, struct number *ret_difference);

void number_from_int(int64_t n, struct number *ret_number);
/* False when the number is not an integer or does not fit. */
bool number_to_int(struct slice number, int64_t *ret_n);
/* The same for the number without its fraction. */
bool number_integer_part(struct slice number, int64_t *ret_n);

/* What the service counts for it (section "Sizes" of docs/COMPATIBILITY.md). */
size_t number_size(struct slice number);

/* True when the bytes are the canonical form of some number. */
bool number_check(struct slice number);

#endif
