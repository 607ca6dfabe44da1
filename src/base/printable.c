/* printable.c - see printable.h. Bytes that are no UTF-8 stay: terminals show them as such. */
#include "base/printable.h"

#include <stdint.h>
#include <string.h>

static bool is_control(uint8_t c, bool lines) {
    return (c < 0x20 && !(lines && (c == '\n' || c == '\t'))) || c == 0x7f;
}

/* U+202A to U+202E and U+2066 to U+2069. */
static bool is_direction(const uint8_t *c) {
    return c[0] == 0xe2 && ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
                            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

/* How many bytes from here on are not to be shown. */
static size_t hidden_at(const uint8_t *c, size_t left, bool lines) {
    if (is_control(c[0], lines))
        return 1;
    if (left >= 2 && c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
        return 2;
    return left >= 3 && is_direction(c) ? 3 : 0;
}

void make_printable(char *text, size_t len, bool lines) {
    for (size_t i = 0; i < len;) {
        size_t hidden = hidden_at((const uint8_t *)text + i, len - i, lines);
        memset(text + i, '?', hidden);
        i += hidden == 0 ? 1 : hidden;
    }
}
