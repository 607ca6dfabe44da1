/* test_base64.c - base64 both ways, and every text that decoding must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base64.h"

static void texts_of_the_rfc(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xFF\xFE\xFB\xEF", "//777w=="},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct slice bytes = slice_text(cases[i][0]), text = slice_text(cases[i][1]);
        uint8_t out[32];
        size_t len = 99;
        assert_int_equal(base64_encoded_len(bytes.len), text.len);
        base64_encode(bytes, out);
        assert_memory_equal(out, text.data, text.len);
        assert_int_equal(base64_decode(text, out, &len), BASE64_OK);
        assert_true(slice_equal(slice_of(out, len), bytes));
    }
}

static void every_byte_comes_back(void **state) {
    (void)state;
    uint8_t bytes[256], text[400], again[300];
    for (int i = 0; i < 256; i++)
        bytes[i] = (uint8_t)(i * 167);
    for (size_t len = 0; len <= 256; len++) {
        size_t decoded = 0;
        base64_encode(slice_of(bytes, len), text);
        assert_int_equal(base64_decode(slice_of(text, base64_encoded_len(len)), again, &decoded),
                         BASE64_OK);
        assert_int_equal(decoded, len);
        assert_memory_equal(again, bytes, len);
    }
}

static void other_texts_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum base64_status status;
    } cases[] = {
        {"A", BASE64_LENGTH},
        {"AA", BASE64_LENGTH},
        {"AAA", BASE64_LENGTH},
        {"AAAAA", BASE64_LENGTH},
        {"A===", BASE64_CHARACTER},
        {"====", BASE64_CHARACTER},
        {"AA=A", BASE64_CHARACTER},
        {"=AAA", BASE64_CHARACTER},
        {"AB==", BASE64_CHARACTER},
        {"AAB=", BASE64_CHARACTER},
        {"AA==AAAA", BASE64_CHARACTER},
        {"AAA=AAAA", BASE64_CHARACTER},
        {"AA A", BASE64_CHARACTER},
        {"AA-_", BASE64_CHARACTER},
        {"AAA\n", BASE64_CHARACTER},
        {"\xC3\xA9"
         "AA",
         BASE64_CHARACTER},
        {"A*AAAAAA", BASE64_CHARACTER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t out[16];
        size_t len = 99;
        assert_int_equal(base64_decode(slice_text(cases[i].text), out, &len), cases[i].status);
        assert_int_equal(len, 99);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_the_rfc),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
