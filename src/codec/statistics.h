/* statistics.h - how much a table, an index or a table's range of expiries holds.
 *
 *   OFFSET  SIZE  MEANING (integers little-endian)
 *   0       1     version: 1
 *   1       8     number of items
 *   9       8     size of the items, as DynamoDB counts it
 *
 * Written in the same commit as the items that they count. */
#ifndef GRAMME_CODEC_STATISTICS_H
#define GRAMME_CODEC_STATISTICS_H

#include "base/error.h"

struct slice statistics_encode(struct arena *arena, int64_t item_count, int64_t size_bytes);
/* Fails on damage and on a newer version; they are never missing. */
struct error *statistics_decode(struct arena *arena, struct slice bytes, int64_t *ret_item_count,
                                int64_t *ret_size_bytes);

#endif
