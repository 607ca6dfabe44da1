/* sequence.h - numbers of changes, and the record of the last one.
 *
 * A number is a time in ms since 1970, shifted left, plus a count; so the changes up to a moment
 * are those below sequence_at() of the ms after it, without an index by time. The record:
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version: 1
 *   1       8     number, little-endian */
#ifndef GRAMME_CODEC_SEQUENCE_H
#define GRAMME_CODEC_SEQUENCE_H

#include "base/clock.h"
#include "base/error.h"

enum { SEQUENCE_COUNT_BITS = 20 };
_Static_assert(CLOCK_MAX_MS < INT64_MAX >> SEQUENCE_COUNT_BITS, "some are stored as int64_t");

/* The first number of a ms. */
static inline uint64_t sequence_at(int64_t ms) {
    return (uint64_t)ms << SEQUENCE_COUNT_BITS;
}

static inline int64_t sequence_ms(uint64_t sequence) {
    return (int64_t)(sequence >> SEQUENCE_COUNT_BITS);
}

struct slice sequence_encode(struct arena *arena, uint64_t number);
/* An absent record: 0, there was no change yet. Fails on damage and on a newer version. */
struct error *sequence_decode(struct arena *arena, struct slice bytes, uint64_t *ret_number);

#endif
