/* address.c - see address.h. */
#include "policy/address.h"

#include <arpa/inet.h>

enum { TEXT_MAX = INET6_ADDRSTRLEN };

static bool read_address(struct slice text, struct address_range *ret_range) {
    char copy[TEXT_MAX + 1];
    struct address_range range = {0};
    if (text.len == 0 || text.len > TEXT_MAX || memchr(text.data, 0, text.len) != NULL)
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = 0;
    range.six = memchr(text.data, ':', text.len) != NULL;
    range.bits = range.six ? 128 : 32;
    *ret_range = range;
    return inet_pton(range.six ? AF_INET6 : AF_INET, copy, ret_range->bytes) == 1;
}

static bool read_bits(struct slice text, unsigned bits_max, unsigned *ret_bits) {
    unsigned bits = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || bits > bits_max)
            return false;
        bits = bits * 10 + (text.data[i] - '0');
    }
    *ret_bits = bits;
    return text.len > 0 && bits <= bits_max;
}

bool address_range_parse(struct slice text, struct address_range *ret_range) {
    const uint8_t *slash = text.len == 0 ? NULL : memchr(text.data, '/', text.len);
    if (slash == NULL)
        return read_address(text, ret_range);
    size_t len = (size_t)(slash - text.data);
    return read_address(slice_first(text, len), ret_range) &&
           read_bits(slice_skip(text, len + 1), ret_range->bits, &ret_range->bits);
}

bool address_range_contains(const struct address_range *range, struct slice address) {
    struct address_range given;
    if (!read_address(address, &given) || given.six != range->six)
        return false;
    size_t whole = range->bits / 8;
    unsigned rest = range->bits % 8;
    if (memcmp(given.bytes, range->bytes, whole) != 0)
        return false;
    return rest == 0 || (given.bytes[whole] ^ range->bytes[whole]) >> (8 - rest) == 0;
}
