/* test_scan.c - what the block functions mark, against looking at one byte after another. Built
 * twice: with the processor's blocks and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/scan.h"

static bool is_special(uint8_t c) {
    return c < 0x20 || c == '"' || c == '\\';
}

/* Every byte at every place of a block, beside bytes one above and one below what is special: a
 * mark must not spill over to them. */
static void every_byte_at_every_place(void **state) {
    (void)state;
    static const uint8_t around[] = {'a', '#', '!', ']', '[', 0x20, 0x7f, 0x80, 0xff, '"', 0};
    for (size_t kind = 0; kind < sizeof(around); kind++) {
        for (int c = 0; c < 256; c++) {
            for (int at = 0; at < BLOCK_BYTES; at++) {
                uint8_t bytes[BLOCK_BYTES];
                memset(bytes, around[kind], sizeof(bytes));
                bytes[at] = (uint8_t)c;
                uint32_t special = 0, wide = 0;
                for (int i = 0; i < BLOCK_BYTES; i++) {
                    special |= (uint32_t)is_special(bytes[i]) << i;
                    wide |= (uint32_t)(bytes[i] >= 0x80) << i;
                }
                scan_block block = scan_block_load(bytes);
                assert_int_equal(scan_block_special(block), special);
                assert_int_equal(scan_block_special_or_wide(block), special | wide);
            }
        }
    }
}

static void words_are_looked_at_byte_by_byte(void **state) {
    (void)state;
    for (int c = 0; c < 256; c++) {
        for (int at = 0; at < SCAN_BYTES; at++) {
            uint8_t bytes[SCAN_BYTES], copy[SCAN_BYTES];
            memset(bytes, '#', sizeof(bytes));
            bytes[at] = (uint8_t)c;
            uint64_t expected = is_special((uint8_t)c) ? UINT64_C(0x80) << (8 * at) : 0;
            assert_true(scan_special(load_u64(bytes)) == expected);
            store_u64(copy, load_u64(bytes));
            assert_memory_equal(copy, bytes, sizeof(bytes));
        }
    }
}

/* What follows the text in its last block does not count, and stays within the size that is told.
 */
static void copies_in_blocks(void **state) {
    (void)state;
    for (size_t len = 0; len <= 50; len++) {
        for (size_t at = 0; at <= len; at++) {
            uint8_t text[80], copy[80];
            memset(text, '"', sizeof(text));
            memset(text, 'x', len);
            memset(copy, '-', sizeof(copy));
            if (at < len)
                text[at] = '\\';
            assert_int_equal(scan_copy(copy, text, len) == 0, at == len);
            assert_memory_equal(copy, text, len);
            assert_int_equal(copy[(len | (BLOCK_BYTES - 1)) + 1], '-');
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_at_every_place),
        cmocka_unit_test(words_are_looked_at_byte_by_byte),
        cmocka_unit_test(copies_in_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
