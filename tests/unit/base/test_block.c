/* test_block.c - every byte value at every place of a block, against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/block.h"
#include "base/check.h"

static bool is_printable(uint8_t c) {
    return c >= ' ' && c <= '~';
}

static bool is_wordlike(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static void check_masks(const uint8_t *block) {
    unsigned printable = 0, wordlike = 0, either = 0;
    for (unsigned i = 0; i < BLOCK_BYTES; i++) {
        printable |= (unsigned)is_printable(block[i]) << i;
        wordlike |= (unsigned)is_wordlike(block[i]) << i;
        either |= (unsigned)(block[i] == ',' || block[i] == 0xac) << i;
    }
    assert_int_equal(block_printable(block), printable);
    assert_int_equal(block_either(block, ',', 0xac), either);
    assert_int_equal(block_wordlike(block) & ~wordlike, 0);
#if defined(__SSE2__)
    assert_int_equal(block_wordlike(block), wordlike);
#endif
    uint64_t word = load_u64(block);
    assert_int_equal(word_printable(word), printable & 0xff);
    assert_int_equal(word_either(word, ',', 0xac), either & 0xff);
}

/* Neighbours matter where numbers carry: the largest, the smallest, and the bounds between. */
static void masks_are_exact(void **state) {
    (void)state;
    static const uint8_t neighbours[] = {0x00, 0x1f, 0x20, ',', '9', 'z', 0x7e, 0x7f, 0x80, 0xff};
    for (size_t n = 0; n < sizeof(neighbours); n++)
        for (unsigned place = 0; place < BLOCK_BYTES; place++)
            for (unsigned value = 0; value < 256; value++) {
                uint8_t block[BLOCK_BYTES];
                memset(block, neighbours[n], sizeof(block));
                block[place] = (uint8_t)value;
                check_masks(block);
            }
}

/* In memory of the exact size, so that the sanitiser sees a look behind the end. */
static void bytes_are_found_in_texts_of_every_length(void **state) {
    (void)state;
    for (size_t len = 0; len <= 50; len++) {
        uint8_t *text = malloc(len + (len == 0)), *end = text + len;
        CHECK(text != NULL);
        memset(text, '-', len);
        assert_ptr_equal(block_find(text, end, ','), end);
        assert_ptr_equal(block_find_either(text, end, ',', ' '), end);
        for (uint8_t *at = end; at-- > text;) { /* one more each time: the first one counts */
            *at = ',';
            assert_ptr_equal(block_find(text, end, ','), at);
            assert_ptr_equal(block_find_either(text, end, ',', ' '), at);
            assert_ptr_equal(block_find_either(text, end, ' ', ','), at);
        }
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_exact),
        cmocka_unit_test(bytes_are_found_in_texts_of_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
