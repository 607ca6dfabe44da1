/* history.h - what an item was before a change: the records by which an earlier state is restored.
 *
 * A record stands in the changes' keyspace under the table's id (u32 be) and the change's number
 * (u64 be, codec/sequence.h), so that the records of a table are one range in the order of its
 * changes. Its value:
 *
 *   OFFSET  SIZE  MEANING
 *   0       5     version and checksum (summed.h)
 *   5       1     1: there was an item; 0: there was none
 *   6       2     length of the item's key without the table id, little-endian
 *   8       ...   that key (codec/key.h)
 *   then    rest  the item as it was stored (codec/item.h); nothing when there was none */
#ifndef GRAMME_CODEC_HISTORY_H
#define GRAMME_CODEC_HISTORY_H

#include "base/error.h"

enum { HISTORY_KEY_BYTES = 4 + 8 };

struct history_record {
    struct slice item_key; /* without the table id */
    struct slice stored;   /* absent: there was none */
};

/* The key of a record; also a bound of a range of records. */
struct slice history_key(struct arena *arena, uint32_t table_id, uint64_t sequence);
/* The number in such a key. */
uint64_t history_key_sequence(struct slice key);

struct slice history_record_encode(struct arena *arena, const struct history_record *record);
/* The slices point into `bytes`. Fails on damage and on a newer version. */
struct error *history_record_decode(struct arena *arena, struct slice bytes,
                                    struct history_record *ret_record);

#endif
