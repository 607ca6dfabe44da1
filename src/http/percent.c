/* percent.c - see percent.h. */
#include "http/percent.h"

static int hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct slice percent_decode(struct arena *arena, struct slice text) {
    if (text.len == 0 || memchr(text.data, '%', text.len) == NULL)
        return text;
    uint8_t *out = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.data[i] == '%' && i + 2 < text.len;
        int high = escape ? hex_digit(text.data[i + 1]) : -1;
        int low = escape ? hex_digit(text.data[i + 2]) : -1;
        if (high >= 0 && low >= 0) {
            out[len++] = (uint8_t)(high << 4 | low);
            i += 2;
        } else {
            out[len++] = text.data[i];
        }
    }
    return slice_of(out, len);
}

static bool is_plain(uint8_t c, uint8_t kept) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~' || (c == kept && kept != 0);
}

struct slice percent_encode(struct arena *arena, struct slice text, uint8_t kept) {
    static const char digits[] = "0123456789ABCDEF";
    size_t plain = 0;
    while (plain < text.len && is_plain(text.data[plain], kept))
        plain++;
    if (plain == text.len)
        return text;
    uint8_t *out = arena_alloc(arena, text.len * 3);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (is_plain(c, kept)) {
            out[len++] = c;
            continue;
        }
        out[len++] = '%';
        out[len++] = (uint8_t)digits[c >> 4];
        out[len++] = (uint8_t)digits[c & 15];
    }
    return slice_of(out, len);
}
