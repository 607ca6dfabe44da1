/* test_number.c - numbers: a table of texts, their bytes, integers, sums at the limits. Random ones
 * are in test_number_naive.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/number.h"

/* ---- the table ---- */

static const struct {
    const char *text;
    enum number_status status;
    const char *canonical;
    size_t size;
} table[] = {
    {"0", NUMBER_OK, "0", 1},
    {"-0", NUMBER_OK, "0", 1},
    {"+0.000", NUMBER_OK, "0", 1},
    {"0000", NUMBER_OK, "0", 1},
    {".0", NUMBER_OK, "0", 1},
    {"0.", NUMBER_OK, "0", 1},
    {"0e125", NUMBER_OK, "0", 1},
    {"0e-130", NUMBER_OK, "0", 1},
    {"1", NUMBER_OK, "1", 2},
    {"-1", NUMBER_OK, "-1", 3},
    {"+5", NUMBER_OK, "5", 2},
    {".5", NUMBER_OK, "0.5", 2},
    {"5.", NUMBER_OK, "5", 2},
    {"1.e5", NUMBER_OK, "100000", 2},
    {"1E+2", NUMBER_OK, "100", 2},
    {"1e2", NUMBER_OK, "100", 2},
    {"1e-2", NUMBER_OK, "0.01", 2},
    {"00042", NUMBER_OK, "42", 2},
    {"1.0", NUMBER_OK, "1", 2},
    {"1.50", NUMBER_OK, "1.5", 3},
    {"10", NUMBER_OK, "10", 2},
    {"100", NUMBER_OK, "100", 2},
    {"1000", NUMBER_OK, "1000", 2},
    {"120", NUMBER_OK, "120", 2},
    {"123", NUMBER_OK, "123", 3},
    {"123456", NUMBER_OK, "123456", 4},
    {"-123456", NUMBER_OK, "-123456", 5},
    {"3.14159", NUMBER_OK, "3.14159", 5},
    {"-3.14159", NUMBER_OK, "-3.14159", 6},
    {"0.0000001", NUMBER_OK, "0.0000001", 2},
    {"0.00123", NUMBER_OK, "0.00123", 3},
    {"100.05", NUMBER_OK, "100.05", 4},
    {"99.99", NUMBER_OK, "99.99", 3},
    {"1234567890123456789", NUMBER_OK, "1234567890123456789", 11},
    {"12345678901234567890", NUMBER_OK, "12345678901234567890", 11},
    {"99999999999999999999999999999999999999", NUMBER_OK, "99999999999999999999999999999999999999",
     20},
    {"1.2345678901234567890123456789012345678", NUMBER_OK,
     "1.2345678901234567890123456789012345678", 21},
    {"100000000000000000000000000000000000000000", NUMBER_OK,
     "100000000000000000000000000000000000000000", 2},
    {"000000000000000000000000000000000000000000001", NUMBER_OK, "1", 2},
    {"1.00000000000000000000000000000000000000000000000", NUMBER_OK, "1", 2},
    {"0.1e1", NUMBER_OK, "1", 2},
    {"1234e-2", NUMBER_OK, "12.34", 3},
    {"1e00000000000000000000000000005", NUMBER_OK, "100000", 2},
    {"10e124", NUMBER_OK,
     "100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "0"
     "00000000000000000000000000000000",
     2},
    {"1E125", NUMBER_OK,
     "100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "0"
     "00000000000000000000000000000000",
     2},
    {"-1E-130", NUMBER_OK,
     "-0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "0000000000000000000000000000000000000001",
     3},
    {"9.9999999999999999999999999999999999999E+125", NUMBER_OK,
     "999999999999999999999999999999999999990000000000000000000000000000000000000000000000000000000"
     "0"
     "00000000000000000000000000000000",
     20},
    /* Out of range. */
    {"1e126", NUMBER_OVERFLOW, NULL, 0},
    {"-1e126", NUMBER_OVERFLOW, NULL, 0},
    {"10e125", NUMBER_OVERFLOW, NULL, 0},
    {"0e126", NUMBER_OVERFLOW, NULL, 0},
    {"1e99999999999", NUMBER_OVERFLOW, NULL, 0},
    {"1e9223372036854775807", NUMBER_OVERFLOW, NULL, 0},
    {"11e9223372036854775807", NUMBER_OVERFLOW, NULL, 0},
    {"1e-131", NUMBER_UNDERFLOW, NULL, 0},
    {"0.1e-130", NUMBER_UNDERFLOW, NULL, 0},
    {"0e-131", NUMBER_UNDERFLOW, NULL, 0},
    {"1e-99999999999", NUMBER_UNDERFLOW, NULL, 0},
    {"0.01e-9223372036854775808", NUMBER_UNDERFLOW, NULL, 0},
    /* 39 digits. */
    {"999999999999999999999999999999999999999", NUMBER_TOO_PRECISE, NULL, 0},
    {"1.00000000000000000000000000000000000001", NUMBER_TOO_PRECISE, NULL, 0},
    {"-0.123456789012345678901234567890123456789", NUMBER_TOO_PRECISE, NULL, 0},
    {"100000000000000000000000000000000000001e0", NUMBER_TOO_PRECISE, NULL, 0},
    /* Not numbers. */
    {"", NUMBER_INVALID, NULL, 0},
    {"-", NUMBER_INVALID, NULL, 0},
    {"+", NUMBER_INVALID, NULL, 0},
    {".", NUMBER_INVALID, NULL, 0},
    {"-.", NUMBER_INVALID, NULL, 0},
    {"e5", NUMBER_INVALID, NULL, 0},
    {".e5", NUMBER_INVALID, NULL, 0},
    {"1e", NUMBER_INVALID, NULL, 0},
    {"1e+", NUMBER_INVALID, NULL, 0},
    {"1e5.0", NUMBER_INVALID, NULL, 0},
    {"1e5e5", NUMBER_INVALID, NULL, 0},
    {"1.2.3", NUMBER_INVALID, NULL, 0},
    {"--1", NUMBER_INVALID, NULL, 0},
    {"+-1", NUMBER_INVALID, NULL, 0},
    {"1-", NUMBER_INVALID, NULL, 0},
    {" 1", NUMBER_INVALID, NULL, 0},
    {"1 ", NUMBER_INVALID, NULL, 0},
    {"1_000", NUMBER_INVALID, NULL, 0},
    {"1,5", NUMBER_INVALID, NULL, 0},
    {"0x10", NUMBER_INVALID, NULL, 0},
    {"NaN", NUMBER_INVALID, NULL, 0},
    {"Infinity", NUMBER_INVALID, NULL, 0},
    {"12a4", NUMBER_INVALID, NULL, 0},
    {"1e9223372036854775808", NUMBER_INVALID, NULL, 0},
    {"1e-9223372036854775809", NUMBER_INVALID, NULL, 0},
    {"1e99999999999999999999999", NUMBER_INVALID, NULL, 0},
};

static struct number parse(const char *text) {
    struct number number = {0};
    if (number_parse(slice_text(text), &number) != NUMBER_OK)
        print_error("not a number: %s\n", text);
    assert_true(number.len > 0);
    return number;
}

static void texts_of_the_table(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct number number = {.len = 77};
        enum number_status status = number_parse(slice_text(table[i].text), &number);
        if (status != table[i].status)
            print_error("%s: status %d\n", table[i].text, status);
        assert_int_equal(status, table[i].status);
        if (status != NUMBER_OK) {
            assert_int_equal(number.len, 77); /* untouched */
            continue;
        }
        char text[NUMBER_TEXT_MAX + 1];
        text[number_format(number_slice(&number), text)] = 0;
        assert_string_equal(text, table[i].canonical);
        assert_int_equal(number_size(number_slice(&number)), table[i].size);
        assert_true(number_check(number_slice(&number)));
    }
}

static void messages(void **state) {
    (void)state;
    assert_string_equal(number_status_text(NUMBER_INVALID),
                        "The parameter cannot be converted to a numeric value");
    assert_string_equal(number_status_text(NUMBER_OVERFLOW),
                        "Number overflow. Attempting to store a number with magnitude larger than "
                        "supported range");
    assert_string_equal(number_status_text(NUMBER_UNDERFLOW),
                        "Number underflow. Attempting to store a number with magnitude smaller "
                        "than supported range");
    assert_string_equal(number_status_text(NUMBER_TOO_PRECISE),
                        "Attempting to store more than 38 significant digits in a Number");
}

static void long_texts_are_read_in_one_pass(void **state) {
    (void)state;
    size_t len = 16 << 20;
    char *text = malloc(len);
    assert_non_null(text);
    struct number number;
    memset(text, '0', len);
    assert_int_equal(number_parse(slice_of(text, len), &number), NUMBER_OK);
    assert_int_equal(number.len, 1);
    text[len - 1] = '7';
    assert_int_equal(number_parse(slice_of(text, len), &number), NUMBER_OK);
    assert_true(slice_equal(number_slice(&number), (struct slice){(const uint8_t *)"\xC1\x08", 2}));
    text[0] = '1';
    assert_int_equal(number_parse(slice_of(text, len), &number), NUMBER_OVERFLOW);
    text[1] = '.';
    assert_int_equal(number_parse(slice_of(text, len), &number), NUMBER_TOO_PRECISE);
    text[len / 2] = 'x';
    assert_int_equal(number_parse(slice_of(text, len), &number), NUMBER_INVALID);
    memset(text, '9', len);
    memcpy(text, "1e", 2);
    assert_int_equal(number_parse(slice_of(text, len), &number), NUMBER_INVALID);
    free(text);
}

static void bytes_are_as_drawn(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *bytes;
    } cases[] = {
        {"0", "\x80"},
        {"1", "\xC1\x02"},
        {"42", "\xC1\x2B"},
        {"100", "\xC2\x02"},
        {"1234", "\xC2\x0D\x23"},
        {"0.5", "\xC0\x33"},
        {"0.05", "\xC0\x06"},
        {"0.005", "\xBF\x33"},
        {"1e-130", "\x80\x02"},
        {"9.9e125", "\xFF\x64"},
        {"-1", "\x3E\xFD\xFF"},
        {"-1.5", "\x3E\xFD\xCC\xFF"},
        {"-9.9e125", "\x00\x9B\xFF"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct number number = parse(cases[i].text);
        size_t len = i == 12 ? 3 : strlen(cases[i].bytes);
        if (!slice_equal(number_slice(&number), slice_of(cases[i].bytes, len)))
            print_error("%s\n", cases[i].text);
        assert_true(slice_equal(number_slice(&number), slice_of(cases[i].bytes, len)));
    }
}

static void check_refuses_other_bytes(void **state) {
    (void)state;
    static const struct slice bad[] = {
        {(const uint8_t *)"", 0},
        {(const uint8_t *)"\x81", 1},         /* no digits */
        {(const uint8_t *)"\x7F", 1},         /* no digits */
        {(const uint8_t *)"\x7F\xFF", 2},     /* no digits */
        {(const uint8_t *)"\xC1\x01", 2},     /* first digit zero */
        {(const uint8_t *)"\xC1\x02\x01", 3}, /* last digit zero */
        {(const uint8_t *)"\xC1\x00", 2},     /* no digit */
        {(const uint8_t *)"\xC1\x65", 2},     /* digit 100 */
        {(const uint8_t *)"\x3E\xFD", 2},     /* no end mark */
        {(const uint8_t *)"\x3E\xFE\xFF", 3}, /* first digit zero */
        {(const uint8_t *)"\x3E\x9A\xFF", 3}, /* digit 100 */
        {(const uint8_t *)"\x3E\xFF\xFF", 3}, /* digit -1 */
        /* 39 digits, then 40, then 21 base-100 digits. */
        {(const uint8_t *)"\xC1\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02"
                          "\x02\x02\x02",
         21},
        {(const uint8_t *)"\xC1\x0C\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02"
                          "\x02\x02\x02",
         21},
        {(const uint8_t *)"\xC1\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02"
                          "\x02\x02\x02\x0B",
         22},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(number_check(bad[i]));
    /* One digit in front and one at the end: 38 in 20 base-100 digits. */
    assert_true(number_check(
        slice_of("\xC1\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02"
                 "\x0B",
                 21)));
}

static void integers(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        const char *text;
    } cases[] = {
        {0, "0"},
        {1, "1"},
        {-1, "-1"},
        {10, "10"},
        {100, "100"},
        {-100, "-100"},
        {12345, "12345"},
        {1000000000000, "1000000000000"},
        {-99, "-99"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct number number, parsed = parse(cases[i].text);
        number_from_int(cases[i].n, &number);
        assert_true(slice_equal(number_slice(&number), number_slice(&parsed)));
        int64_t n = 5;
        assert_true(number_to_int(number_slice(&number), &n));
        assert_true(n == cases[i].n);
    }
    static const char *const others[] = {
        "0.5", "1.5", "9223372036854775808", "-9223372036854775809", "1e125", "-1e100", "1e-130"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct number number = parse(others[i]);
        int64_t n = 5;
        assert_false(number_to_int(number_slice(&number), &n));
        assert_int_equal(n, 5);
    }
}

static void integer_parts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t n;
    } cases[] = {
        {"0", 0},
        {"0.5", 0},
        {"-0.5", 0},
        {"1.5", 1},
        {"-1.5", -1},
        {"1e-130", 0},
        {"1700000000.999999", 1700000000},
        {"9223372036854775807.9", INT64_MAX},
        {"-9223372036854775808.9", INT64_MIN},
    };
    int64_t n = 5;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct number number = parse(cases[i].text);
        assert_true(number_integer_part(number_slice(&number), &n));
        assert_true(n == cases[i].n);
        assert_int_equal(number_is_negative(number_slice(&number)), cases[i].text[0] == '-');
    }
    static const char *const others[] = {"9223372036854775808.5", "-9223372036854775809", "1e125"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct number number = parse(others[i]);
        assert_false(number_integer_part(number_slice(&number), &n));
    }
}

static void sums_at_the_limits(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        enum number_status sum;
        const char *sum_text;
        enum number_status difference;
        const char *difference_text;
    } cases[] = {
        {"0", "0", NUMBER_OK, "0", NUMBER_OK, "0"},
        {"1", "2", NUMBER_OK, "3", NUMBER_OK, "-1"},
        {"5", "-5", NUMBER_OK, "0", NUMBER_OK, "10"},
        {"0", "-7", NUMBER_OK, "-7", NUMBER_OK, "7"},
        {"0.1", "0.2", NUMBER_OK, "0.3", NUMBER_OK, "-0.1"},
        {"99", "1", NUMBER_OK, "100", NUMBER_OK, "98"},
        {"9999999999", "0.0000000001", NUMBER_OK, "9999999999.0000000001", NUMBER_OK,
         "9999999998.9999999999"},
        {"99999999999999999999999999999999999999", "1", NUMBER_OK,
         "100000000000000000000000000000000000000", NUMBER_OK,
         "99999999999999999999999999999999999998"},
        {"99999999999999999999999999999999999999", "2", NUMBER_TOO_PRECISE, NULL, NUMBER_OK,
         "99999999999999999999999999999999999997"},
        {"1e38", "1", NUMBER_TOO_PRECISE, NULL, NUMBER_OK,
         "99999999999999999999999999999999999999"},
        {"1e125", "1e-130", NUMBER_TOO_PRECISE, NULL, NUMBER_TOO_PRECISE, NULL},
        {"9e125", "1e125", NUMBER_OVERFLOW, NULL, NUMBER_OK,
         "8000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "00000000000000000000000000000000000000"},
        {"-9e125", "-1e125", NUMBER_OVERFLOW, NULL, NUMBER_OK,
         "-800000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "000000000000000000000000000000000000000"},
        {"1.5e-130", "1e-130", NUMBER_OK,
         "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "000000000000000000000000000000000000000000025",
         NUMBER_UNDERFLOW, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct number a = parse(cases[i].a), b = parse(cases[i].b), result;
        char text[NUMBER_TEXT_MAX + 1];
        assert_int_equal(number_add(number_slice(&a), number_slice(&b), &result), cases[i].sum);
        if (cases[i].sum == NUMBER_OK) {
            text[number_format(number_slice(&result), text)] = 0;
            assert_string_equal(text, cases[i].sum_text);
        }
        assert_int_equal(number_subtract(number_slice(&a), number_slice(&b), &result),
                         cases[i].difference);
        if (cases[i].difference == NUMBER_OK) {
            text[number_format(number_slice(&result), text)] = 0;
            assert_string_equal(text, cases[i].difference_text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_the_table),
        cmocka_unit_test(messages),
        cmocka_unit_test(long_texts_are_read_in_one_pass),
        cmocka_unit_test(bytes_are_as_drawn),
        cmocka_unit_test(check_refuses_other_bytes),
        cmocka_unit_test(integers),
        cmocka_unit_test(integer_parts),
        cmocka_unit_test(sums_at_the_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
