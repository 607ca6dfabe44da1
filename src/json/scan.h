/* scan.h - looking at text eight or sixteen bytes at a time, for the reader and the writer. */
#ifndef GRAMME_JSON_SCAN_H
#define GRAMME_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { SCAN_BYTES = 8, SCAN_BLOCK = 16 };

#define SCAN_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight bytes with the first one lowest. */
static inline uint64_t scan_load(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The top bit of each byte that is a quote, a backslash or a control character. Bytes after the
 * first hit may be marked wrongly, the first one is exact: a borrow only travels upwards. */
static inline uint64_t scan_special(uint64_t word) {
    uint64_t quote = word ^ SCAN_EACH('"');
    uint64_t backslash = word ^ SCAN_EACH('\\');
    uint64_t hit = ((quote - SCAN_EACH(1)) & ~quote) | ((backslash - SCAN_EACH(1)) & ~backslash) |
                   ((word - SCAN_EACH(0x20)) & ~word);
    return hit & SCAN_EACH(0x80);
}

/* The same, and bytes above 0x7F: as those count too, nothing needs to be masked out. */
static inline uint64_t scan_special_or_wide(uint64_t word) {
    uint64_t quote = word ^ SCAN_EACH('"');
    uint64_t backslash = word ^ SCAN_EACH('\\');
    return ((quote - SCAN_EACH(1)) | (backslash - SCAN_EACH(1)) | (word - SCAN_EACH(0x20)) | word) &
           SCAN_EACH(0x80);
}

/* Whether one of sixteen bytes is a quote, a backslash or a control character. */
static inline bool scan_block_special(const uint8_t *p) {
#if defined(__SSE2__)
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)) != 0;
#else
    return (scan_special(scan_load(p)) | scan_special(scan_load(p + SCAN_BYTES))) != 0;
#endif
}

/* How many bytes come before the first marked one; the mask is not zero. */
static inline int scan_first(uint64_t mask) {
    return __builtin_ctzll(mask) / 8;
}

#endif
