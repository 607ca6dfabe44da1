/* stream_shard.h - the shards of a stream: which there are, what they are called, what they hold.
 *
 * A stream has `shards` of them at a time, by the hash of the partition key, and all of them are
 * followed by new ones every SHARD_LIFE_MS: generation g holds the numbers from created_ms + g *
 * SHARD_LIFE_MS up to the next one's. Nothing is stored about them: which generations there are
 * follows from the stream's definition and from the last number of the database. A generation is
 * closed when that number is past its end, so that no record can come to it any more, whatever the
 * clock does.
 *
 * Pure functions; any thread. */
#ifndef GRAMME_ENGINE_STREAM_SHARD_H
#define GRAMME_ENGINE_STREAM_SHARD_H

#include "codec/stream.h"
#include "engine/sequence.h"

enum { SHARD_LIFE_MS = 4 * 60 * 60 * 1000 };

/* The generation of a time in a stream that began then; earlier times count as the first one's. */
uint32_t generation_at(int64_t created_ms, int64_t ms);

/* How far a stream has come. */
struct stream_extent {
    const struct stream_definition *stream;
    uint32_t first; /* the oldest generation that may still have records */
    uint32_t count; /* of generations so far: the last one is count - 1 */
};

/* `last` is the last number of the database, `horizon_ms` the time before which nothing is kept. */
struct stream_extent stream_extent_of(const struct stream_definition *stream, uint64_t last,
                                      int64_t horizon_ms);

/* The stream ended so long ago that nothing is left of it. */
static inline bool stream_is_gone(const struct stream_definition *stream, int64_t horizon_ms) {
    return stream->ended != 0 && sequence_ms((uint64_t)stream->ended) <= horizon_ms;
}

/* The first number that a shard may have, and the last; UINT64_MAX: it is open. */
uint64_t shard_first(const struct stream_extent *extent, struct stream_shard shard);
uint64_t shard_last(const struct stream_extent *extent, struct stream_shard shard);

/* Of as many shards, that of an item with that store key. */
uint8_t shard_of_key(int64_t shards, struct slice store_key);

/* All shards of a generation in the order of their ids. */
void shard_order(const struct stream_definition *stream, uint8_t ret_numbers[STREAM_SHARDS_MAX]);

/* shardId-00000001700000000000-0123abcd: the start of its generation in ms, and a hash. */
enum { SHARD_ID_CHARS = 37, SEQUENCE_CHARS = 21 };
void shard_id_print(const struct stream_definition *stream, struct stream_shard shard,
                    char ret_text[SHARD_ID_CHARS + 1]);
/* False when the stream has no such shard (any more). */
bool shard_id_find(const struct stream_extent *extent, struct slice id,
                   struct stream_shard *ret_shard);

/* Numbers on the wire: 21 digits. */
void sequence_print(uint64_t number, char ret_text[SEQUENCE_CHARS + 1]);
bool sequence_parse(struct slice text, uint64_t *ret_number);

#endif
