/* key.h - the bytes under which items are stored.
 *
 *   OFFSET  SIZE     MEANING
 *   0       4        table id, big-endian
 *   4       16       SipHash-2-4-128 of the partition key's bytes, keyed with the database's secret
 *   20      0..1024  sort key: the bytes of S and B as they are, the canonical bytes of N
 *                    (model/number.h)
 *
 * So the items of one partition key are neighbours in the order of their sort keys, a table's items
 * are one range, and parallel scans cut the hash into even ranges. The partition key itself is in
 * the item. */
#ifndef GRAMME_CODEC_KEY_H
#define GRAMME_CODEC_KEY_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "model/table.h"

enum {
    KEY_ID_BYTES = 4, /* in front of every key but the catalog's */
    ITEM_KEY_PREFIX = KEY_ID_BYTES + SIPHASH_BYTES,
    ITEM_KEY_REST_MIN = SIPHASH_BYTES, /* of a key without its id */
};

/* first <= key < last */
struct key_range {
    struct slice first;
    struct slice last;
};

struct key_codec {
    uint8_t secret[SIPHASH_KEY_BYTES];
};

/* The key of an item; `attributes` has at least the key attributes, checked against the schema. */
struct slice key_encode(struct arena *arena, const struct key_codec *codec, uint32_t table_id,
                        const struct key_schema *keys, struct value attributes);
/* Table id and hash of one partition key. */
struct slice key_encode_partition(struct arena *arena, const struct key_codec *codec,
                                  uint32_t table_id, struct value hash_key);
/* A partition with the bytes of a sort key behind it. */
struct slice key_encode_sort(struct arena *arena, struct slice partition, struct value sort_key);

/* ---- parts of an item's key ---- */

/* Table id and hash: what the keys of its partition start with. */
static inline struct slice key_partition(struct slice key) {
    return slice_first(key, ITEM_KEY_PREFIX);
}

static inline struct slice key_without_id(struct slice key) {
    return slice_skip(key, KEY_ID_BYTES);
}
/* The same item in another range. */
struct slice key_with_id(struct arena *arena, uint32_t id, struct slice rest);

/* Bits of the hash, which are as good as random. */
static inline uint64_t key_hash_bits(struct slice key) {
    return load_u64(key.data + KEY_ID_BYTES);
}
/* Of the sort key, too. */
static inline uint64_t key_whole_hash(struct slice key) {
    uint64_t hash = key_hash_bits(key);
    for (size_t i = ITEM_KEY_PREFIX; i < key.len; i++)
        hash = (hash ^ key.data[i]) * 0x100000001b3U;
    return hash ^ hash >> 32;
}
/* The start of the hash as a number: keys of a table sort by it. */
static inline uint32_t key_hash_rank(struct slice key) {
    return load_u32_be(key.data + KEY_ID_BYTES);
}

/* In which of `count` even parts of all hashes a rank is. */
static inline uint32_t key_hash_part(uint32_t rank, uint32_t count) {
    return (uint32_t)((uint64_t)rank * count >> 32);
}

/* ---- ranges ---- */

/* The smallest key after `key`. */
struct slice key_after(struct arena *arena, struct slice key);
/* The smallest key after all that start with `prefix`. */
struct slice key_after_prefix(struct arena *arena, struct slice prefix);

struct key_range key_range_of_table(struct arena *arena, uint32_t table_id);
/* Segment 0 <= segment < total of a table. */
struct key_range key_range_of_segment(struct arena *arena, uint32_t table_id, uint32_t segment,
                                      uint32_t total);

#endif
