/* scan.h - what JSON escapes, found and copied in blocks, for the reader and for writers. */
#ifndef GRAMME_JSON_SCAN_H
#define GRAMME_JSON_SCAN_H

#include "base/block.h"

enum { SCAN_BYTES = 8 };

/* The top bit of each of eight bytes that is a quote, a backslash or a control character. */
static inline uint64_t scan_special(uint64_t word) {
    uint64_t hits = word_zeros(word ^ EVERY_BYTE('"')) | word_zeros(word ^ EVERY_BYTE('\\')) |
                    word_zeros(word & EVERY_BYTE(0xe0));
    return hits & EVERY_BYTE(0x80);
}

/* ---- blocks of sixteen bytes ---- */

#if defined(__SSE2__)

typedef __m128i scan_block;

static inline scan_block scan_block_load(const uint8_t *p) {
    return block_at(p);
}

static inline void scan_block_store(uint8_t *p, scan_block block) {
    _mm_storeu_si128((__m128i *)(void *)p, block);
}

/* A bit for each byte that is a quote, a backslash or a control character, the first byte's lowest.
 * With one bit turned over, the quote comes next to the control characters. */
static inline uint32_t scan_block_special(scan_block block) {
    __m128i turned = _mm_xor_si128(block, _mm_set1_epi8('"' ^ 0x20));
    __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(turned, _mm_set1_epi8(0x20)), turned);
    __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(low, backslash));
}

/* The same, and for bytes above 0x7F: those are negative. */
static inline uint32_t scan_block_special_or_wide(scan_block block) {
    __m128i turned = _mm_xor_si128(block, _mm_set1_epi8('"' ^ 0x20));
    __m128i low = _mm_cmpgt_epi8(_mm_set1_epi8(0x21), turned);
    __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(low, backslash));
}

#else

typedef struct {
    uint64_t words[2];
} scan_block;

static inline scan_block scan_block_load(const uint8_t *p) {
    return (scan_block){{load_u64(p), load_u64(p + SCAN_BYTES)}};
}

static inline void scan_block_store(uint8_t *p, scan_block block) {
    store_u64(p, block.words[0]);
    store_u64(p + SCAN_BYTES, block.words[1]);
}

static inline uint32_t scan_block_special(scan_block block) {
    return word_bits(scan_special(block.words[0])) | word_bits(scan_special(block.words[1]))
                                                         << SCAN_BYTES;
}

static inline uint32_t scan_block_special_or_wide(scan_block block) {
    return word_bits(scan_special(block.words[0]) | block.words[0]) |
           word_bits(scan_special(block.words[1]) | block.words[1]) << SCAN_BYTES;
}

#endif

/* Copies a text in whole blocks: up to a block behind it is read and written. Returns 0 when there
 * was nothing to escape in it. */
static inline uint32_t scan_copy(uint8_t *out, const uint8_t *p, size_t len) {
    uint32_t special = 0;
    size_t i = 0;
    for (; i + BLOCK_BYTES < len; i += BLOCK_BYTES) {
        scan_block block = scan_block_load(p + i);
        scan_block_store(out + i, block);
        special |= scan_block_special(block);
    }
    scan_block last = scan_block_load(p + i);
    scan_block_store(out + i, last);
    return special | (scan_block_special(last) & ((UINT32_C(1) << (len - i)) - 1));
}

#endif
