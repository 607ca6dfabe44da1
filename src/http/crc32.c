/* crc32.c - the checksum of a reply's body, which every reply carries.
 *
 * zlib looks at a few bytes per step; for a reply of some kilobytes that costs as much as writing
 * its JSON. Where the processor multiplies polynomials, 64 bytes are folded into one another per
 * step, and what is left in the end is divided by multiplying, too.
 *
 * Folding: bytes that stand n bits before others count x^n times as much, modulo the CRC's
 * polynomial. So a block is multiplied by the constant for the distance to the next block, added to
 * it (an exclusive or), and can be forgotten. Here both are done for the halves of a block at once.
 * Bits are reflected, as in the CRC itself: the first bit of a byte is its lowest. */
#include <zlib.h>

#include "base/block.h"
#include "http/reply.h"

static uint32_t crc32_plain(struct slice body) {
    return (uint32_t)crc32_z(0, body.data, body.len);
}

#if defined(__x86_64__) && defined(__SSE2__)
#include <smmintrin.h>
#include <wmmintrin.h>

enum { STEP_BYTES = 4 * BLOCK_BYTES };

/* x^(distance + 32) for the lower half and x^(distance - 32) for the upper one, modulo the
 * polynomial; reflected, and shifted by one because the product of two reflected numbers is one bit
 * short. The distance is that of a step, 512 bits, or of a block, 128. */
#define FOLD_STEP _mm_set_epi64x(0x1c6e41596, 0x154442bd4)
#define FOLD_BLOCK _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)

#define FOLDING __attribute__((target("pclmul,sse4.1")))

static inline FOLDING __m128i fold(__m128i block, __m128i factors, __m128i onto) {
    __m128i lower = _mm_clmulepi64_si128(block, factors, 0x00);
    __m128i upper = _mm_clmulepi64_si128(block, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(lower, upper), onto);
}

static inline FOLDING __m128i first_block(const uint8_t *bytes) {
    return _mm_xor_si128(block_at(bytes), _mm_cvtsi32_si128(-1)); /* where a CRC starts */
}

/* Whole steps, one at least, to one block. */
static FOLDING __m128i fold_steps(const uint8_t *bytes, const uint8_t *end) {
    __m128i a = first_block(bytes), b = block_at(bytes + BLOCK_BYTES);
    __m128i c = block_at(bytes + 2 * BLOCK_BYTES), d = block_at(bytes + 3 * BLOCK_BYTES);
    for (bytes += STEP_BYTES; bytes != end; bytes += STEP_BYTES) {
        a = fold(a, FOLD_STEP, block_at(bytes));
        b = fold(b, FOLD_STEP, block_at(bytes + BLOCK_BYTES));
        c = fold(c, FOLD_STEP, block_at(bytes + 2 * BLOCK_BYTES));
        d = fold(d, FOLD_STEP, block_at(bytes + 3 * BLOCK_BYTES));
    }
    return fold(fold(fold(a, FOLD_BLOCK, b), FOLD_BLOCK, c), FOLD_BLOCK, d);
}

/* Fewer bytes than a block, after one: as many of the block's bytes go in front of it, where they
 * are folded onto the rest of it and the new ones. Shuffling moves bytes by the distance at which
 * its pattern is read from the table; what comes from outside a block is zero. */
static FOLDING __m128i fold_rest(__m128i block, const uint8_t *end, size_t len) {
    static const uint8_t pattern[3 * BLOCK_BYTES] = {
#define EIGHT(n) n, n, n, n, n, n, n, n
        EIGHT(0x80), EIGHT(0x80), 0,  1,  2,  3,  4,  5,           6,          7, 8,
        9,           10,          11, 12, 13, 14, 15, EIGHT(0x80), EIGHT(0x80)
#undef EIGHT
    };
    __m128i to_end = block_at(pattern + len), to_front = block_at(pattern + BLOCK_BYTES + len);
    __m128i before = _mm_shuffle_epi8(block, to_end);
    /* The bytes at the end of the last block are new; the pattern's high bits mark the others. */
    __m128i last =
        _mm_blendv_epi8(block_at(end - BLOCK_BYTES), _mm_shuffle_epi8(block, to_front), to_end);
    return fold(before, FOLD_BLOCK, last);
}

/* The block times x^32, modulo the polynomial. It is folded to 96 bits, then to 64; of these the
 * multiple of the polynomial that has the same upper half (here the lower one) is taken away. How
 * many times that is comes from multiplying by x^64 divided by the polynomial. */
static FOLDING uint32_t reduce(__m128i block) {
    const __m128i fold_half = _mm_cvtsi64_si128(0x0ccaa009e);    /* x^96 */
    const __m128i fold_quarter = _mm_cvtsi64_si128(0x163cd6124); /* x^64 */
    const __m128i divisor = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i quarter = _mm_cvtsi32_si128(-1);
    __m128i bits96 =
        _mm_xor_si128(_mm_clmulepi64_si128(block, fold_half, 0x00), _mm_srli_si128(block, 8));
    __m128i bits64 =
        _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(bits96, quarter), fold_quarter, 0x00),
                      _mm_srli_si128(bits96, 4));
    __m128i times = _mm_clmulepi64_si128(_mm_and_si128(bits64, quarter), divisor, 0x10);
    __m128i multiple = _mm_clmulepi64_si128(_mm_and_si128(times, quarter), divisor, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(bits64, multiple), 1);
}

/* For a body of a block or more. */
static FOLDING uint32_t crc32_folded(const uint8_t *bytes, size_t len) {
    const uint8_t *at = bytes + BLOCK_BYTES, *end = bytes + len;
    __m128i block;
    if (len < STEP_BYTES) {
        block = first_block(bytes);
    } else {
        at = bytes + len / STEP_BYTES * STEP_BYTES;
        block = fold_steps(bytes, at);
    }
    for (; end - at >= BLOCK_BYTES; at += BLOCK_BYTES)
        block = fold(block, FOLD_BLOCK, block_at(at));
    if (at < end)
        block = fold_rest(block, end, (size_t)(end - at));
    return ~reduce(block);
}

uint32_t http_crc32(struct slice body) {
    if (body.len >= BLOCK_BYTES && __builtin_cpu_supports("pclmul") &&
        __builtin_cpu_supports("sse4.1"))
        return crc32_folded(body.data, body.len);
    return crc32_plain(body);
}

#else

uint32_t http_crc32(struct slice body) {
    return crc32_plain(body);
}

#endif
