/* stream.h - streams and their records as bytes.
 *
 * A definition is stored like a table's (catalog.h): a version byte, 1, and a value of type M whose
 * entries are the members by name.
 *
 * The key of a record:
 *
 *   OFFSET  SIZE  MEANING
 *   0       4     the stream's id, big-endian
 *   4       4     generation of the shard, big-endian
 *   8       1     shard
 *   9       8     the change's number (codec/sequence.h), big-endian
 *
 * So the records of a shard stand together, and so do those of a generation, which are deleted
 * together.
 *
 * A record:
 *
 *   OFFSET  SIZE  MEANING
 *   0       5     version and checksum (summed.h)
 *   5       1     bits: 0-1 the event (0 INSERT, 1 MODIFY, 2 REMOVE), 2 it expired, 3 the new image
 *                 is there, 4 the old image is there
 *   6       4     size as DynamoDB counts it: key attributes and images
 *   10      ...   the new image, then the old image, each a value of type M; without both the key
 *                 attributes, as such a value
 *
 * So a record holds what its stream's view shows, and nothing twice. */
#ifndef GRAMME_CODEC_STREAM_H
#define GRAMME_CODEC_STREAM_H

#include "base/error.h"
#include "model/stream.h"

struct slice stream_definition_encode(struct arena *arena,
                                      const struct stream_definition *definition);
/* Texts of the definition point into `bytes`. Fails on bytes of a newer version and on damage. */
struct error *stream_definition_decode(struct arena *arena, struct slice bytes,
                                       struct stream_definition *ret_definition);

/* One of the shards that a stream has at a time, in one of the generations that follow each other.
 */
struct stream_shard {
    uint32_t generation;
    uint8_t number;
};

enum { STREAM_KEY_BYTES = 17 };

struct slice stream_record_key(struct arena *arena, uint32_t stream_id, struct stream_shard shard,
                               uint64_t number);
static inline uint64_t stream_record_number(struct slice key) {
    return load_u64_be(key.data + 9);
}

/* One change to an item, its stored bytes before and after; absent: there was, or is, none. */
struct item_change {
    struct slice before;
    struct slice after;
    bool expired;
};

struct slice stream_record_encode(struct arena *arena, enum stream_view view,
                                  const struct key_schema *keys, const struct item_change *change);
/* The parts of the record point into `bytes`. Fails when they are not those that were encoded, and
 * on a newer version. */
struct error *stream_record_decode(struct arena *arena, struct slice bytes,
                                   struct stream_record *ret_record);

#endif
