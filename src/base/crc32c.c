/* crc32c.c - by the processor's instruction where it has one, else by a table.
 * Threads: any; the table is constant. */
#include "base/crc32c.h"

#define ROW(n) STEP(n), STEP((n) + 1), STEP((n) + 2), STEP((n) + 3)
#define ROWS(n) ROW(n), ROW((n) + 4), ROW((n) + 8), ROW((n) + 12)
#define HALF(c) (((c) >> 1) ^ (UINT32_C(0x82f63b78) & (UINT32_C(0) - ((c)&1))))
#define NIBBLE(c) HALF(HALF(HALF(HALF(c))))
#define STEP(n) NIBBLE(UINT32_C(n))

/* What half a byte does to the checksum. */
static const uint32_t nibbles[16] = {ROWS(0)};

static uint32_t by_table(uint32_t crc, const uint8_t *at, size_t len) {
    for (size_t i = 0; i < len; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *at,
                                                                 size_t len) {
    uint64_t wide = crc;
    for (; len >= 8; at += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; len > 0; at++, len--)
        crc = __builtin_ia32_crc32qi(crc, *at);
    return crc;
}

static bool has_instruction(void) {
    return __builtin_cpu_supports("sse4.2") != 0;
}
#else
#define by_instruction by_table

static bool has_instruction(void) {
    return false;
}
#endif

uint32_t crc32c(uint32_t before, struct slice bytes) {
    uint32_t crc = ~before;
    crc = has_instruction() ? by_instruction(crc, bytes.data, bytes.len)
                            : by_table(crc, bytes.data, bytes.len);
    return ~crc;
}
