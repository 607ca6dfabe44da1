/* unescape.c - the escapes of JSON's strings to UTF-8. Nothing allocates. */
#include "json/unescape.h"

#include <string.h>

/* Four hexadecimal digits, or -1. */
static int32_t scan_hex4(const uint8_t *p, const uint8_t *end) {
    if (end - p < 4)
        return -1;
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = p[i], lower = c | 0x20;
        if (c >= '0' && c <= '9')
            code = code << 4 | (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            code = code << 4 | (lower - 'a' + 10);
        else
            return -1;
    }
    return code;
}

static uint8_t *put_utf8(uint8_t *out, int32_t code) {
    if (code < 0x80) {
        *out++ = (uint8_t)code;
    } else if (code < 0x800) {
        *out++ = (uint8_t)(0xC0 | code >> 6);
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (uint8_t)(0xE0 | code >> 12);
        *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    } else {
        *out++ = (uint8_t)(0xF0 | code >> 18);
        *out++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    }
    return out;
}

/* After \u: one code point, from two escapes when the first is a high surrogate. A surrogate
 * without its partner has no UTF-8. NULL on an error. */
static const uint8_t *unescape_unicode(const uint8_t *p, const uint8_t *end, uint8_t **out) {
    int32_t code = scan_hex4(p, end);
    p += 4;
    if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF))
        return NULL;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
            return NULL;
        int32_t low = scan_hex4(p + 2, end);
        if (low < 0xDC00 || low > 0xDFFF)
            return NULL;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
    }
    *out = put_utf8(*out, code);
    return p;
}

const uint8_t *json_unescape(const uint8_t *p, const uint8_t *end, uint8_t **out) {
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (end - p < 2)
        return NULL;
    if (p[1] == 'u')
        return unescape_unicode(p + 2, end, out);
    const char *found = p[1] == '\0' ? NULL : strchr(escapes, p[1]);
    if (found == NULL)
        return NULL;
    *(*out)++ = (uint8_t)meanings[found - escapes];
    return p + 2;
}
