/* index_key.h - the bytes under which the entries of secondary indexes are stored.
 *
 *   OFFSET  SIZE     MEANING
 *   0       4        index id, big-endian
 *   4       16       SipHash-2-4-128 of the index's partition key, keyed with the database's
 *                    secret. Of one attribute: its bytes; of several: each with its length
 *                    (u32 le) in front
 *   20      0..2056  the sort key attributes, each so that it sorts and ends by itself.
 *                    S and B: 0x00 written as 0x00 0xFF, then 0x00 0x01.
 *                    N: its canonical bytes (model/number.h), then 0x00
 *   last    16       SipHash-2-4-128 of the item's primary key: the partition key with its length
 *                    (u32 le) in front, then the sort key
 *
 * So entries with equal index keys stand in one stable order, and each item has exactly one entry.
 */
#ifndef GRAMME_CODEC_INDEX_KEY_H
#define GRAMME_CODEC_INDEX_KEY_H

#include "codec/key.h"

/* The entry's key, or an absent slice when the item does not belong into the index: an index key
 * attribute is missing, of another type, empty or too long. `item` has the table's key attributes
 * as well. */
struct slice index_key_encode(struct arena *arena, const struct key_codec *codec,
                              const struct table_definition *table, const struct table_index *index,
                              struct value item);

/* Index id and hash of one partition: `hash_values` are the values of the index's HASH attributes
 * in order. */
struct slice index_key_partition(struct arena *arena, const struct key_codec *codec,
                                 const struct table_index *index, const struct value *hash_values);
/* A prefix with one more sort key attribute, whole. */
struct slice index_key_sort(struct arena *arena, struct slice prefix, struct value sort_value);
/* A prefix with the beginning of one more sort key attribute of type S or B. */
struct slice index_key_sort_start(struct arena *arena, struct slice prefix, struct value start);

#endif
