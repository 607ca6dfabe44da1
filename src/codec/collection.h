/* collection.h - how much one partition key of a table with local indexes holds, as it is stored.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version: 1
 *   1       8     bytes of the items and of their entries in local indexes, little-endian
 *
 * Its key is what the keys of its items have in common (key.h), in the indexes' keyspace. */
#ifndef GRAMME_CODEC_COLLECTION_H
#define GRAMME_CODEC_COLLECTION_H

#include "base/error.h"

struct slice collection_encode(struct arena *arena, uint64_t size_bytes);
/* An absent record: 0 bytes. Fails on damage and on a newer version. */
struct error *collection_decode(struct arena *arena, struct slice bytes, uint64_t *ret_size_bytes);

#endif
