/* bytes.h - integers as bytes: little-endian for formats, big-endian for keys that must sort,
 * varint for lengths. And bytes as hexadecimal digits. */
#ifndef GRAMME_BASE_BYTES_H
#define GRAMME_BASE_BYTES_H

#include "base/buffer.h"

enum { VARINT_BYTES_MAX = 5 };

static inline uint32_t load_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void store_u32(uint8_t *p, uint32_t n) {
    p[0] = (uint8_t)n;
    p[1] = (uint8_t)(n >> 8);
    p[2] = (uint8_t)(n >> 16);
    p[3] = (uint8_t)(n >> 24);
}

static inline uint64_t load_u64(const uint8_t *p) {
    return (uint64_t)load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

static inline void store_u64(uint8_t *p, uint64_t n) {
    store_u32(p, (uint32_t)n);
    store_u32(p + 4, (uint32_t)(n >> 32));
}

static inline uint32_t load_u32_be(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline void store_u32_be(uint8_t *p, uint32_t n) {
    p[0] = (uint8_t)(n >> 24);
    p[1] = (uint8_t)(n >> 16);
    p[2] = (uint8_t)(n >> 8);
    p[3] = (uint8_t)n;
}

static inline uint64_t load_u64_be(const uint8_t *p) {
    return (uint64_t)load_u32_be(p) << 32 | load_u32_be(p + 4);
}

static inline void store_u64_be(uint8_t *p, uint64_t n) {
    store_u32_be(p, (uint32_t)(n >> 32));
    store_u32_be(p + 4, (uint32_t)n);
}

/* Seven bits a byte, low first; the top bit says that more follow. */
static inline size_t varint_encode(uint8_t *p, uint32_t n) {
    size_t len = 0;
    while (n >= 0x80) {
        p[len++] = (uint8_t)(n | 0x80);
        n >>= 7;
    }
    p[len++] = (uint8_t)n;
    return len;
}

/* For bytes that are known to be well formed; returns the bytes taken. */
static inline size_t varint_decode(const uint8_t *p, uint32_t *ret_n) {
    if (p[0] < 0x80) {
        *ret_n = p[0];
        return 1;
    }
    uint32_t n = 0;
    size_t len = 0;
    int shift = 0;
    do {
        n |= (uint32_t)(p[len] & 0x7f) << shift;
        shift += 7;
    } while (p[len++] & 0x80 && shift < 35);
    *ret_n = n;
    return len;
}

/* For bytes that are not: 0 when they end early or the number does not fit in 32 bits. */
static inline size_t varint_decode_checked(const uint8_t *p, size_t available, uint32_t *ret_n) {
    uint64_t n = 0;
    for (size_t len = 0; len < available && len < VARINT_BYTES_MAX; len++) {
        n |= (uint64_t)(p[len] & 0x7f) << (7 * len);
        if (!(p[len] & 0x80)) {
            if (n > UINT32_MAX)
                return 0;
            *ret_n = (uint32_t)n;
            return len + 1;
        }
    }
    return 0;
}

/* Two digits a byte, without an end. Four bytes at a time: each half byte gets a byte of its own,
 * and from ten on the distance from '9' to 'a'. */
static inline void hex_print(const uint8_t *bytes, size_t size, char *ret_text) {
    const uint8_t *end = bytes + size;
    for (; end - bytes >= 4; bytes += 4, ret_text += 8) {
        uint64_t n = load_u32_be(bytes);
        n = (n | n << 16) & UINT64_C(0x0000ffff0000ffff);
        n = (n | n << 8) & UINT64_C(0x00ff00ff00ff00ff);
        n = (n | n << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        uint64_t letters = (n + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
        store_u64_be((uint8_t *)ret_text,
                     n + UINT64_C(0x3030303030303030) + letters * ('a' - '9' - 1));
    }
    for (; bytes < end; bytes++) {
        *ret_text++ = "0123456789abcdef"[*bytes >> 4];
        *ret_text++ = "0123456789abcdef"[*bytes & 15];
    }
}

static inline void buffer_append_varint(struct buffer *buffer, uint32_t n) {
    uint8_t bytes[VARINT_BYTES_MAX];
    buffer_append(buffer, bytes, varint_encode(bytes, n));
}

#endif
