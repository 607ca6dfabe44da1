/* address.h - addresses and their ranges: 10.0.0.0/8, 2001:db8::/32, 127.0.0.1. */
#ifndef GRAMME_POLICY_ADDRESS_H
#define GRAMME_POLICY_ADDRESS_H

#include "base/slice.h"

enum { ADDRESS_BYTES = 16 };

struct address_range {
    uint8_t bytes[ADDRESS_BYTES]; /* of an IPv4 address the first four */
    bool six;
    unsigned bits; /* of the address that count */
};

/* An address without a length is the range of itself. False: it is neither. */
bool address_range_parse(struct slice text, struct address_range *ret_range);
/* False also for a text that is no address. */
bool address_range_contains(const struct address_range *range, struct slice address);

#endif
