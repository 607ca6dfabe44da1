/* utf8.h - what well-formed UTF-8 is. */
#ifndef GRAMME_BASE_UTF8_H
#define GRAMME_BASE_UTF8_H

#include "base/slice.h"

static inline bool utf8_continues(const uint8_t *p, uint8_t low, uint8_t high) {
    return *p >= low && *p <= high;
}

/* The length of the well-formed sequence that starts with a byte above 0x7F, or 0. The second
 * byte's range keeps out overlong forms, surrogates and what lies above U+10FFFF. */
static inline size_t utf8_sequence(const uint8_t *p, const uint8_t *end) {
    size_t left = (size_t)(end - p);
    uint8_t lead = p[0];
    if (lead < 0xE0)
        return lead >= 0xC2 && left >= 2 && utf8_continues(p + 1, 0x80, 0xBF) ? 2 : 0;
    if (lead < 0xF0) {
        uint8_t low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
        return left >= 3 && utf8_continues(p + 1, low, high) && utf8_continues(p + 2, 0x80, 0xBF)
                   ? 3
                   : 0;
    }
    uint8_t low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return lead <= 0xF4 && left >= 4 && utf8_continues(p + 1, low, high) &&
                   utf8_continues(p + 2, 0x80, 0xBF) && utf8_continues(p + 3, 0x80, 0xBF)
               ? 4
               : 0;
}

static inline bool utf8_check(struct slice text) {
    const uint8_t *at = text.data, *end = text.data + text.len;
    while (at < end) {
        size_t len = *at < 0x80 ? 1 : utf8_sequence(at, end);
        if (len == 0)
            return false;
        at += len;
    }
    return true;
}

#endif
