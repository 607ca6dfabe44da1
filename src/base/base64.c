/* base64.c - three bytes to four characters and back. */
#include "base/base64.h"

static const char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint8_t *encode_group(uint32_t bits, uint8_t *out) {
    out[0] = (uint8_t)alphabet[bits >> 18];
    out[1] = (uint8_t)alphabet[bits >> 12 & 63];
    out[2] = (uint8_t)alphabet[bits >> 6 & 63];
    out[3] = (uint8_t)alphabet[bits & 63];
    return out + 4;
}

void base64_encode(struct slice bytes, uint8_t *ret_text) {
    const uint8_t *p = bytes.data;
    uint8_t *out = ret_text;
    size_t left = bytes.len;
    for (; left >= 3; left -= 3, p += 3)
        out = encode_group((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2], out);
    if (left == 0)
        return;
    out = encode_group((uint32_t)p[0] << 16 | (left == 2 ? (uint32_t)p[1] << 8 : 0), out);
    out[-1] = '=';
    if (left == 1)
        out[-2] = '=';
}

/* The six bits of each character plus one; zero is no character of the alphabet. */
static const uint8_t decoded[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

/* False when one of the characters is outside the alphabet. */
static bool decode_group(const uint8_t *p, uint32_t *ret_bits) {
    uint32_t a = decoded[p[0]], b = decoded[p[1]], c = decoded[p[2]], d = decoded[p[3]];
    if (a == 0 || b == 0 || c == 0 || d == 0)
        return false;
    *ret_bits = (a - 1) << 18 | (b - 1) << 12 | (c - 1) << 6 | (d - 1);
    return true;
}

/* The last group, which may end in one or two pads; bits under a pad must be zero. */
static bool decode_last(const uint8_t *p, uint8_t **out) {
    int pads = p[3] != '=' ? 0 : p[2] != '=' ? 1 : 2;
    uint8_t group[4] = {p[0], p[1], pads == 2 ? 'A' : p[2], pads >= 1 ? 'A' : p[3]};
    uint32_t bits;
    if (!decode_group(group, &bits) || (bits & ((1U << (8 * pads)) - 1)) != 0)
        return false;
    for (int i = 0; i < 3 - pads; i++)
        *(*out)++ = (uint8_t)(bits >> (16 - 8 * i));
    return true;
}

enum base64_status base64_decode(struct slice text, uint8_t *ret_bytes, size_t *ret_len) {
    if (text.len % 4 != 0)
        return BASE64_LENGTH;
    uint8_t *out = ret_bytes;
    const uint8_t *p = text.data;
    for (size_t left = text.len; left > 4; left -= 4, p += 4, out += 3) {
        uint32_t bits;
        if (!decode_group(p, &bits))
            return BASE64_CHARACTER;
        out[0] = (uint8_t)(bits >> 16);
        out[1] = (uint8_t)(bits >> 8);
        out[2] = (uint8_t)bits;
    }
    if (text.len > 0 && !decode_last(p, &out))
        return BASE64_CHARACTER;
    *ret_len = (size_t)(out - ret_bytes);
    return BASE64_OK;
}
