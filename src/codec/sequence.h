/* sequence.h - the number of the last change, as it is stored.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version: 1
 *   1       8     number (engine/sequence.h), little-endian */
#ifndef GRAMME_CODEC_SEQUENCE_H
#define GRAMME_CODEC_SEQUENCE_H

#include "base/error.h"

struct slice sequence_encode(struct arena *arena, uint64_t number);
/* An absent record: 0, there was no change yet. Fails on damage and on a newer version. */
struct error *sequence_decode(struct arena *arena, struct slice bytes, uint64_t *ret_number);

#endif
