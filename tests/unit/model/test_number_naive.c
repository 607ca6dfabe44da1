/* test_number_naive.c - random numbers against naive arithmetic.
 *
 * The naive side keeps a number as a sign and 320 decimal digits with a fixed point, wide enough
 * for every sum of two numbers in range, and does what one does on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/number.h"

/* ---- naive decimals ---- */

enum { PLACES = 180, WIDTH = 320 }; /* digit i is worth 10^(i - PLACES) */

struct naive {
    bool negative;
    uint8_t digits[WIDTH];
};

static int naive_magnitude_compare(const struct naive *a, const struct naive *b) {
    for (int i = WIDTH - 1; i >= 0; i--)
        if (a->digits[i] != b->digits[i])
            return a->digits[i] < b->digits[i] ? -1 : 1;
    return 0;
}

static int naive_compare(const struct naive *a, const struct naive *b) {
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    int order = naive_magnitude_compare(a, b);
    return a->negative ? -order : order;
}

static bool naive_is_zero(const struct naive *n) {
    static const uint8_t zeros[WIDTH];
    return memcmp(n->digits, zeros, WIDTH) == 0;
}

static struct naive naive_add(const struct naive *a, const struct naive *b) {
    struct naive sum = {.negative = a->negative};
    int carry = 0;
    bool add = a->negative == b->negative;
    if (!add && naive_magnitude_compare(a, b) < 0) {
        const struct naive *swap = a;
        a = b;
        b = swap;
        sum.negative = a->negative;
    }
    for (int i = 0; i < WIDTH; i++) {
        int digit = a->digits[i] + (add ? b->digits[i] : -b->digits[i]) + carry;
        carry = digit > 9 ? 1 : digit < 0 ? -1 : 0;
        sum.digits[i] = (uint8_t)(digit - 10 * carry);
    }
    if (naive_is_zero(&sum))
        sum.negative = false;
    return sum;
}

static enum number_status naive_status(const struct naive *n) {
    int high = WIDTH - 1, low = 0;
    while (high >= 0 && n->digits[high] == 0)
        high--;
    if (high < 0)
        return NUMBER_OK;
    while (n->digits[low] == 0)
        low++;
    if (high - PLACES > 125)
        return NUMBER_OVERFLOW;
    if (high - PLACES < -130)
        return NUMBER_UNDERFLOW;
    return high - low + 1 > 38 ? NUMBER_TOO_PRECISE : NUMBER_OK;
}

/* Plain decimal text, as the service prints it. */
static void naive_print(const struct naive *n, char *text) {
    int high = WIDTH - 1, low = 0;
    while (high > PLACES && n->digits[high] == 0)
        high--;
    while (low < PLACES && n->digits[low] == 0)
        low++;
    if (n->negative)
        *text++ = '-';
    for (int i = high; i >= low; i--) {
        if (i == PLACES - 1)
            *text++ = '.';
        *text++ = (char)('0' + n->digits[i]);
    }
    *text = 0;
}

/* 1 + bytes for two digits each, on each side of the point. */
static size_t naive_size(const struct naive *n) {
    int high = WIDTH - 1, low = 0;
    if (naive_is_zero(n))
        return 1;
    while (n->digits[high] == 0)
        high--;
    while (n->digits[low] == 0)
        low++;
    int whole = high >= PLACES ? high - (low > PLACES ? low : PLACES) + 1 : 0;
    int fraction = low < PLACES ? (high < PLACES ? high : PLACES - 1) - low + 1 : 0;
    return (size_t)(1 + (whole + 1) / 2 + (fraction + 1) / 2 + n->negative);
}

static uint64_t seed_state;

static uint32_t next_random(uint32_t below) {
    seed_state = seed_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(seed_state >> 33) % below;
}

/* A number in range: digits that favour zeros and nines, small exponents more often than large. */
static struct naive random_naive(void) {
    struct naive n = {.negative = next_random(2) == 0};
    int count = 1 + (int)next_random(next_random(2) ? 4 : 38);
    int spread = next_random(3) == 0 ? 256 : 12;
    int high =
        spread == 256 ? PLACES - 130 + (int)next_random(256) : PLACES + 6 - (int)next_random(12);
    for (int i = 0; i < count && high - i >= 0; i++) {
        uint32_t kind = next_random(4);
        n.digits[high - i] = kind == 0 ? 0 : kind == 1 ? 9 : (uint8_t)next_random(10);
    }
    if (n.digits[high] == 0)
        n.digits[high] = 1;
    return n;
}

/* The same number in another spelling. */
static void random_spelling(const struct naive *n, char *text) {
    char plain[WIDTH + 4];
    naive_print(n, plain);
    const char *digits = plain + (plain[0] == '-');
    if (plain[0] == '-')
        *text++ = '-';
    else if (next_random(4) == 0)
        *text++ = '+';
    for (uint32_t zeros = next_random(3); zeros > 0; zeros--)
        *text++ = '0';
    if (digits[0] == '0' && digits[1] == '.' && next_random(2) == 0)
        digits++;
    switch (next_random(3)) {
    case 0: /* as it is, with zeros after the point */
        text += sprintf(text, "%s%s", digits, strchr(digits, '.') == NULL ? "." : "");
        for (uint32_t zeros = next_random(3); zeros > 0; zeros--)
            *text++ = '0';
        *text = 0;
        break;
    case 1:
        strcpy(text, digits);
        break;
    default: { /* the point moved right by some places */
        int moved = (int)next_random(20), places = 0;
        bool point = false;
        for (; *digits != 0; digits++) {
            if (*digits == '.')
                point = true;
            else if (point && places == moved) {
                *text++ = '.';
                places++;
                *text++ = *digits;
            } else {
                places += point && places < moved;
                *text++ = *digits;
            }
        }
        if (places > moved)
            places = moved;
        sprintf(text, "e%s%d", places == 0 ? "+" : "-", places);
    }
    }
}

static struct number number_of(const struct naive *n) {
    char text[2 * WIDTH];
    struct number number = {0};
    random_spelling(n, text);
    if (number_parse(slice_text(text), &number) != NUMBER_OK)
        print_error("not a number: %s\n", text);
    assert_true(number.len > 0);
    return number;
}

static void random_numbers_print_as_on_paper(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct naive n = random_naive();
        char expected[WIDTH + 4], text[NUMBER_TEXT_MAX + 1];
        naive_print(&n, expected);
        struct number number = number_of(&n);
        text[number_format(number_slice(&number), text)] = 0;
        assert_string_equal(text, expected);
        assert_int_equal(number_size(number_slice(&number)), naive_size(&n));
        assert_true(number_check(number_slice(&number)));
    }
}

static void bytes_sort_as_numbers(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct naive a = random_naive(), b = random_naive();
        if (i % 8 == 0)
            b = a;
        if (i % 4 == 0) /* neighbours: one digit differs */
            b.digits[PLACES - 20 + (int)next_random(26)] ^= 1;
        if (naive_status(&b) != NUMBER_OK)
            continue;
        if (naive_is_zero(&b))
            b.negative = false;
        struct number x = number_of(&a), y = number_of(&b);
        int order = slice_compare(number_slice(&x), number_slice(&y));
        int expected = naive_compare(&a, &b);
        assert_int_equal(order < 0 ? -1 : order > 0, expected);
    }
}

static void check_result(enum number_status status, struct number *result,
                         const struct naive *expected) {
    assert_int_equal(status, naive_status(expected));
    if (status != NUMBER_OK)
        return;
    char text[NUMBER_TEXT_MAX + 1], expected_text[WIDTH + 4];
    text[number_format(number_slice(result), text)] = 0;
    naive_print(expected, expected_text);
    assert_string_equal(text, expected_text);
    assert_true(number_check(number_slice(result)));
}

static void random_sums_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct naive a = random_naive(), b = random_naive();
        if (i % 16 == 0) {
            b = a;
            b.negative = !a.negative;
        }
        struct number x = number_of(&a), y = number_of(&b), result;
        struct naive sum = naive_add(&a, &b);
        enum number_status status = number_add(number_slice(&x), number_slice(&y), &result);
        check_result(status, &result, &sum);
        b.negative = !b.negative;
        struct naive difference = naive_add(&a, &b);
        status = number_subtract(number_slice(&x), number_slice(&y), &result);
        check_result(status, &result, &difference);
    }
}

int main(void) {
    const char *chosen = getenv("GRAMME_SEED");
    seed_state = chosen != NULL ? strtoull(chosen, NULL, 10) : 1;
    printf("# repeat with GRAMME_SEED=%llu\n", (unsigned long long)seed_state);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_print_as_on_paper),
        cmocka_unit_test(bytes_sort_as_numbers),
        cmocka_unit_test(random_sums_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
