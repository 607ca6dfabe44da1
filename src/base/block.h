/* block.h - looking at text sixteen bytes at a time.
 *
 * A mask has a bit for each byte of a block, the first byte's is the lowest. Without SSE2 the same
 * masks are made of two words: slower, but with the same answers. */
#ifndef GRAMME_BASE_BLOCK_H
#define GRAMME_BASE_BLOCK_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/bytes.h"

enum { BLOCK_BYTES = 16, BLOCK_ALL = 0xffff };

#define EVERY_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* ---- words ---- */

/* A bit for each of the eight bytes whose highest bit is set. */
static inline unsigned word_bits(uint64_t word) {
    return (unsigned)(((word & EVERY_BYTE(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

/* The highest bit of each byte that is zero; no carry leaves a byte. */
static inline uint64_t word_zeros(uint64_t word) {
    return ~(((word & EVERY_BYTE(0x7f)) + EVERY_BYTE(0x7f)) | word);
}

static inline unsigned word_either(uint64_t word, uint8_t one, uint8_t other) {
    return word_bits(word_zeros(word ^ EVERY_BYTE(one)) | word_zeros(word ^ EVERY_BYTE(other)));
}

/* Of the lower seven bits: adding 0x60 carries from 0x20 on, adding 1 from 0x7F. */
static inline unsigned word_printable(uint64_t word) {
    uint64_t low = word & EVERY_BYTE(0x7f);
    return word_bits((low + EVERY_BYTE(0x60)) & ~(low + EVERY_BYTE(0x01)) & ~word);
}

/* ---- blocks ---- */

#if defined(__SSE2__)

static inline __m128i block_at(const uint8_t *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* The bytes that are one or the other. */
static inline unsigned block_either(const uint8_t *p, uint8_t one, uint8_t other) {
    __m128i block = block_at(p);
    __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8((char)one)),
                                _mm_cmpeq_epi8(block, _mm_set1_epi8((char)other)));
    return (unsigned)_mm_movemask_epi8(hits);
}

/* The bytes from ' ' to '~'. One more than any of them is above 0x20 as a signed number: one more
 * than '~' is negative already. */
static inline unsigned block_printable(const uint8_t *p) {
    __m128i more = _mm_add_epi8(block_at(p), _mm_set1_epi8(1));
    return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(more, _mm_set1_epi8(0x20)));
}

/* The letters, digits and hyphens, as far as they are easily told. Letters: with 5 added only they
 * are above 0x65 as signed numbers; digits: with 0x46 added only they are above 0x75. */
static inline unsigned block_wordlike(const uint8_t *p) {
    __m128i block = block_at(p), small = _mm_or_si128(block, _mm_set1_epi8(0x20));
    __m128i letters = _mm_cmpgt_epi8(_mm_add_epi8(small, _mm_set1_epi8(5)), _mm_set1_epi8(0x65));
    __m128i digits = _mm_cmpgt_epi8(_mm_add_epi8(block, _mm_set1_epi8(0x46)), _mm_set1_epi8(0x75));
    __m128i hyphens = _mm_cmpeq_epi8(block, _mm_set1_epi8('-'));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letters, digits), hyphens));
}

#else

static inline unsigned block_either(const uint8_t *p, uint8_t one, uint8_t other) {
    return word_either(load_u64(p), one, other) | word_either(load_u64(p + 8), one, other) << 8;
}

static inline unsigned block_printable(const uint8_t *p) {
    return word_printable(load_u64(p)) | word_printable(load_u64(p + 8)) << 8;
}

/* Here none is easily told. */
static inline unsigned block_wordlike(const uint8_t *p) {
    (void)p;
    return 0;
}

#endif

/* How many bytes come before the first marked one; the mask is not zero. */
static inline unsigned block_first(unsigned mask) {
    return (unsigned)__builtin_ctz(mask);
}

/* The first such byte in [at, end); `end` when there is none. */
static inline const uint8_t *block_find(const uint8_t *at, const uint8_t *end, uint8_t byte) {
    for (; end - at >= BLOCK_BYTES; at += BLOCK_BYTES) {
        unsigned mask = block_either(at, byte, byte);
        if (mask != 0)
            return at + block_first(mask);
    }
    while (at < end && *at != byte)
        at++;
    return at;
}

/* The same for two bytes, and for longer texts. */
static inline const uint8_t *block_find_either(const uint8_t *at, const uint8_t *end, uint8_t one,
                                               uint8_t other) {
    ptrdiff_t len = end - at;
    for (ptrdiff_t left = len; left >= BLOCK_BYTES; left -= BLOCK_BYTES) {
        unsigned mask = block_either(at, one, other);
        if (mask != 0)
            return at + block_first(mask);
        at += BLOCK_BYTES;
    }
    if (len >= BLOCK_BYTES) { /* the rest, behind bytes that were looked at already */
        unsigned mask = block_either(end - BLOCK_BYTES, one, other);
        return mask == 0 ? end : end - BLOCK_BYTES + block_first(mask);
    }
    while (at < end && *at != one && *at != other)
        at++;
    return at;
}

#endif
