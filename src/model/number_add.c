/* number_add.c - exact sums and differences.
 *
 * Both numbers are laid over one window of base-100 digits, from the higher first digit (and room
 * for a carry) to the lower last digit. The window is at most NUMBER_SPAN_MAX digits, so nothing is
 * rounded before the limits are checked. */
#include "base/check.h"
#include "model/number_digits.h"

static int lowest(const struct number_digits *n) {
    return n->exponent - n->count;
}

/* A zeroed window that holds every digit of both, and one more in front. */
static void window_init(struct number_digits *window, const struct number_digits *a,
                        const struct number_digits *b) {
    int high = (a->exponent > b->exponent ? a->exponent : b->exponent) + 1;
    int low = lowest(a) < lowest(b) ? lowest(a) : lowest(b);
    CHECK(high - low <= NUMBER_SPAN_MAX);
    window->exponent = high;
    window->count = high - low;
    memset(window->digits, 0, (size_t)window->count);
}

/* Adds (`sign` 1) or subtracts (-1) the digits of `n`; the result is not negative, and so is inside
 * the window, unless a number was damaged. */
static void window_apply(struct number_digits *window, const struct number_digits *n, int sign) {
    int at = window->exponent - lowest(n) - 1;
    int carry = 0;
    for (int i = n->count - 1; at >= 0 && (i >= 0 || carry != 0); i--, at--) {
        int digit = window->digits[at] + carry + sign * (i >= 0 ? n->digits[i] : 0);
        carry = digit > 99 ? 1 : digit < 0 ? -1 : 0;
        window->digits[at] = (uint8_t)(digit - 100 * carry);
    }
}

/* Compares magnitudes. */
static int magnitude_compare(const struct number_digits *a, const struct number_digits *b) {
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent ? -1 : 1;
    return slice_compare(slice_of(a->digits, (size_t)a->count),
                         slice_of(b->digits, (size_t)b->count));
}

static enum number_status combine(const struct number_digits *a, const struct number_digits *b,
                                  struct number *ret_number) {
    bool a_larger = magnitude_compare(a, b) >= 0;
    const struct number_digits *larger = a_larger ? a : b, *smaller = a_larger ? b : a;
    struct number_digits window;
    window_init(&window, a, b);
    window_apply(&window, larger, 1);
    window_apply(&window, smaller, a->negative == b->negative ? 1 : -1);
    window.negative = larger->negative;
    return number_normalise(&window, ret_number);
}

static enum number_status add(struct slice a, struct slice b, bool negate_b,
                              struct number *ret_number) {
    struct number_digits x, y;
    number_decode(a, &x);
    number_decode(b, &y);
    y.negative = y.negative != negate_b;
    if (y.count == 0) {
        number_encode(&x, ret_number);
        return NUMBER_OK;
    }
    if (x.count == 0) {
        number_encode(&y, ret_number);
        return NUMBER_OK;
    }
    return combine(&x, &y, ret_number);
}

enum number_status number_add(struct slice a, struct slice b, struct number *ret_sum) {
    return add(a, b, false, ret_sum);
}

enum number_status number_subtract(struct slice a, struct slice b, struct number *ret_difference) {
    return add(a, b, true, ret_difference);
}
