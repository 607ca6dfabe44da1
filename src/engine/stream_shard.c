/* stream_shard.c - see the header. */
#include "engine/stream_shard.h"

#include <inttypes.h>
#include <stdio.h>

#include "codec/key.h"

static int64_t generation_start_ms(const struct stream_definition *stream, uint32_t generation) {
    return stream->created_ms + (int64_t)generation * SHARD_LIFE_MS;
}

uint32_t generation_at(int64_t created_ms, int64_t ms) {
    int64_t life = ms - created_ms;
    return life <= 0 ? 0 : (uint32_t)(life / SHARD_LIFE_MS);
}

struct stream_extent stream_extent_of(const struct stream_definition *stream, uint64_t last,
                                      int64_t horizon_ms) {
    uint64_t next = stream->ended != 0 ? (uint64_t)stream->ended : last + 1;
    uint32_t newest = generation_at(stream->created_ms, sequence_ms(next));
    uint32_t oldest = generation_at(stream->created_ms, horizon_ms);
    return (struct stream_extent){
        .stream = stream,
        .first = oldest < newest ? oldest : newest,
        .count = newest + 1,
    };
}

uint64_t shard_first(const struct stream_extent *extent, struct stream_shard shard) {
    return sequence_at(generation_start_ms(extent->stream, shard.generation));
}

uint64_t shard_last(const struct stream_extent *extent, struct stream_shard shard) {
    if (shard.generation + 1 < extent->count)
        return sequence_at(generation_start_ms(extent->stream, shard.generation + 1)) - 1;
    return extent->stream->ended != 0 ? (uint64_t)extent->stream->ended : UINT64_MAX;
}

/* Even cuts of the hash. */
uint8_t shard_of_key(int64_t shards, struct slice store_key) {
    return (uint8_t)key_hash_part(key_hash_rank(store_key), (uint32_t)shards);
}

/* Every step can be undone, so no two shards of a stream have the same. */
static uint32_t shard_hash(const struct stream_definition *stream, uint8_t number) {
    uint32_t hash = stream->id * CAPACITY_PARTITIONS_MAX + number;
    hash = (hash ^ hash >> 16) * 0x7feb352dU;
    hash = (hash ^ hash >> 15) * 0x846ca68bU;
    return hash ^ hash >> 16;
}

void shard_order(const struct stream_definition *stream, uint8_t ret_numbers[STREAM_SHARDS_MAX]) {
    for (uint8_t number = 0; number < stream->shards; number++) {
        uint8_t at = number;
        for (; at > 0; at--) {
            if (shard_hash(stream, ret_numbers[at - 1]) < shard_hash(stream, number))
                break;
            ret_numbers[at] = ret_numbers[at - 1];
        }
        ret_numbers[at] = number;
    }
}

void shard_id_print(const struct stream_definition *stream, struct stream_shard shard,
                    char ret_text[SHARD_ID_CHARS + 1]) {
    snprintf(ret_text, SHARD_ID_CHARS + 1, "shardId-%020" PRId64 "-%08" PRIx32,
             generation_start_ms(stream, shard.generation), shard_hash(stream, shard.number));
}

/* There are few shards, and a text has one way to be the id of one of them. */
bool shard_id_find(const struct stream_extent *extent, struct slice id,
                   struct stream_shard *ret_shard) {
    for (uint32_t g = extent->first; g < extent->count; g++) {
        for (uint8_t number = 0; number < extent->stream->shards; number++) {
            char text[SHARD_ID_CHARS + 1];
            struct stream_shard shard = {g, number};
            shard_id_print(extent->stream, shard, text);
            if (!slice_is(id, text))
                continue;
            *ret_shard = shard;
            return true;
        }
    }
    return false;
}

void sequence_print(uint64_t number, char ret_text[SEQUENCE_CHARS + 1]) {
    snprintf(ret_text, SEQUENCE_CHARS + 1, "1%020" PRIu64, number);
}

bool sequence_parse(struct slice text, uint64_t *ret_number) {
    uint64_t number = 0;
    if (text.len != SEQUENCE_CHARS || text.data[0] != '1')
        return false;
    for (size_t i = 1; i < text.len; i++) {
        uint8_t digit = (uint8_t)(text.data[i] - '0');
        if (digit > 9 || number > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *ret_number = number;
    return true;
}
