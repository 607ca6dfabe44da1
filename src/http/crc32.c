/* crc32.c - the checksum of a reply's body, which every reply carries.
 *
 * zlib looks at a few bytes per step; for a reply of some kilobytes that costs as much as writing
 * its JSON. Where the processor multiplies polynomials, 64 bytes are folded into one another per
 * step, and only the 16 that are left go through zlib.
 *
 * Folding: bytes that stand n bits before others count x^n times as much, modulo the CRC's
 * polynomial. So a block is multiplied by the constant for the distance to the next block, added to
 * it (an exclusive or), and can be forgotten. Here both are done for the halves of a block at once.
 * Bits are reflected, as in the CRC itself: the first bit of a byte is its lowest. */
#include <zlib.h>

#include "http/reply.h"

static uint32_t crc32_update(uint32_t crc, const uint8_t *bytes, size_t len) {
    return (uint32_t)crc32_z(crc, bytes, len);
}

#if defined(__x86_64__)
#include <wmmintrin.h>

enum { BLOCK = sizeof(__m128i), STEP = 4 * BLOCK };

/* x^(distance + 32) for the lower half and x^(distance - 32) for the upper one, modulo the
 * polynomial; reflected, and shifted by one because the product of two reflected numbers is one bit
 * short. The distance is that of a step, 512 bits, or of a block, 128. */
#define FOLD_STEP _mm_set_epi64x(0x1c6e41596, 0x154442bd4)
#define FOLD_BLOCK _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)

#define FOLDING __attribute__((target("pclmul")))

static inline FOLDING __m128i block_at(const uint8_t *bytes) {
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

static inline FOLDING __m128i fold(__m128i block, __m128i factors, __m128i onto) {
    __m128i lower = _mm_clmulepi64_si128(block, factors, 0x00);
    __m128i upper = _mm_clmulepi64_si128(block, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(lower, upper), onto);
}

/* For a body of STEP bytes or more. */
static FOLDING uint32_t crc32_folded(const uint8_t *bytes, size_t len) {
    __m128i blocks[4];
    for (size_t i = 0; i < 4; i++)
        blocks[i] = block_at(bytes + i * BLOCK);
    blocks[0] = _mm_xor_si128(blocks[0], _mm_cvtsi32_si128(-1)); /* where a CRC starts */
    size_t at = STEP;
    for (; len - at >= STEP; at += STEP)
        for (size_t i = 0; i < 4; i++)
            blocks[i] = fold(blocks[i], FOLD_STEP, block_at(bytes + at + i * BLOCK));
    __m128i last = blocks[0];
    for (size_t i = 1; i < 4; i++)
        last = fold(last, FOLD_BLOCK, blocks[i]);
    for (; len - at >= BLOCK; at += BLOCK)
        last = fold(last, FOLD_BLOCK, block_at(bytes + at));
    uint8_t rest[BLOCK];
    _mm_storeu_si128((__m128i *)(void *)rest, last);
    uint32_t crc = crc32_update(UINT32_MAX, rest, BLOCK); /* the start is in the blocks already */
    return crc32_update(crc, bytes + at, len - at);
}

uint32_t http_crc32(struct slice body) {
    if (body.len >= STEP && __builtin_cpu_supports("pclmul"))
        return crc32_folded(body.data, body.len);
    return crc32_update(0, body.data, body.len);
}

#else

uint32_t http_crc32(struct slice body) {
    return crc32_update(0, body.data, body.len);
}

#endif
