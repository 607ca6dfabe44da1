/* fuzz_number.c - texts, canonical bytes and sums of numbers.
 *
 * The input is one text, or two with a NUL between, and also taken as canonical bytes. */
#include "fuzz.h"
#include "model/number.h"

/* Printed and read again, a number is the same. */
static void check_number(struct slice number) {
    CHECK(number_check(number) && number.len <= NUMBER_BYTES_MAX);
    char text[NUMBER_TEXT_MAX];
    size_t len = number_format(number, text);
    CHECK(len <= NUMBER_TEXT_MAX);
    struct number again;
    CHECK(number_parse(slice_of(text, len), &again) == NUMBER_OK);
    CHECK(slice_equal(number_slice(&again), number));
    CHECK(number_size(number) >= 1 && number_size(number) <= 22);
    int64_t n;
    if (number_to_int(number, &n)) {
        number_from_int(n, &again);
        CHECK(slice_equal(number_slice(&again), number));
    }
}

static void check_sums(struct slice a, struct slice b) {
    struct number sum, swapped, back;
    enum number_status status = number_add(a, b, &sum);
    CHECK(number_add(b, a, &swapped) == status);
    if (status == NUMBER_OK) {
        check_number(number_slice(&sum));
        CHECK(slice_equal(number_slice(&sum), number_slice(&swapped)));
        CHECK(number_subtract(number_slice(&sum), b, &back) == NUMBER_OK);
        CHECK(slice_equal(number_slice(&back), a));
    }
    struct number difference, zero;
    number_from_int(0, &zero);
    status = number_subtract(a, b, &difference);
    if (status == NUMBER_OK) {
        int sign = slice_compare(number_slice(&difference), number_slice(&zero));
        int order = slice_compare(a, b);
        CHECK((sign < 0) == (order < 0) && (sign > 0) == (order > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *nul = size == 0 ? NULL : memchr(data, 0, size);
    size_t first = nul == NULL ? size : (size_t)(nul - data);
    struct number a, b;
    bool a_valid = number_parse(slice_of(data, first), &a) == NUMBER_OK;
    if (a_valid)
        check_number(number_slice(&a));
    if (a_valid && nul != NULL &&
        number_parse(slice_of(nul + 1, size - first - 1), &b) == NUMBER_OK)
        check_sums(number_slice(&a), number_slice(&b));
    if (number_check(slice_of(data, size)))
        check_number(slice_of(data, size));
    return 0;
}
