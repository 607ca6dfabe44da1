/* key.c - encoding item keys and the ranges that queries and scans walk. */
#include "codec/key.h"

#include "base/check.h"

static void write_partition(uint8_t *out, const struct key_codec *codec, uint32_t table_id,
                            struct value hash_key) {
    store_u32_be(out, table_id);
    siphash128(codec->secret, value_scalar(hash_key), out + KEY_ID_BYTES);
}

struct slice key_encode(struct arena *arena, const struct key_codec *codec, uint32_t table_id,
                        const struct key_schema *keys, struct value attributes) {
    struct slice sort = SLICE_LITERAL("");
    if (keys->range_count > 0)
        sort = value_scalar(value_map_find(attributes, keys->range[0].name));
    uint8_t *key = arena_alloc(arena, ITEM_KEY_PREFIX + sort.len);
    write_partition(key, codec, table_id, value_map_find(attributes, keys->hash[0].name));
    memcpy(key + ITEM_KEY_PREFIX, sort.data, sort.len);
    return slice_of(key, ITEM_KEY_PREFIX + sort.len);
}

struct slice key_encode_partition(struct arena *arena, const struct key_codec *codec,
                                  uint32_t table_id, struct value hash_key) {
    uint8_t *key = arena_alloc(arena, ITEM_KEY_PREFIX);
    write_partition(key, codec, table_id, hash_key);
    return slice_of(key, ITEM_KEY_PREFIX);
}

struct slice key_encode_sort(struct arena *arena, struct slice partition, struct value sort_key) {
    struct slice sort = value_scalar(sort_key);
    uint8_t *key = arena_alloc(arena, partition.len + sort.len);
    memcpy(key, partition.data, partition.len);
    memcpy(key + partition.len, sort.data, sort.len);
    return slice_of(key, partition.len + sort.len);
}

struct slice key_with_id(struct arena *arena, uint32_t id, struct slice rest) {
    uint8_t *key = arena_alloc(arena, KEY_ID_BYTES + rest.len);
    store_u32_be(key, id);
    memcpy(key + KEY_ID_BYTES, rest.data, rest.len);
    return slice_of(key, KEY_ID_BYTES + rest.len);
}

struct slice key_after(struct arena *arena, struct slice key) {
    uint8_t *after = arena_alloc(arena, key.len + 1);
    memcpy(after, key.data, key.len);
    after[key.len] = 0;
    return slice_of(after, key.len + 1);
}

struct slice key_after_prefix(struct arena *arena, struct slice prefix) {
    size_t len = prefix.len;
    while (len > 0 && prefix.data[len - 1] == 0xff)
        len--;
    CHECK(len > 0); /* table ids never reach 0xffffffff */
    uint8_t *after = arena_copy(arena, prefix.data, len);
    after[len - 1]++;
    return slice_of(after, len);
}

struct key_range key_range_of_table(struct arena *arena, uint32_t table_id) {
    uint8_t *first = arena_alloc(arena, KEY_ID_BYTES), *last = arena_alloc(arena, KEY_ID_BYTES);
    store_u32_be(first, table_id);
    store_u32_be(last, table_id + 1);
    return (struct key_range){slice_of(first, KEY_ID_BYTES), slice_of(last, KEY_ID_BYTES)};
}

/* Where segment `i` of `total` starts: the table id and the first 8 bytes of the hash. */
static struct slice segment_start(struct arena *arena, uint32_t table_id, uint32_t i,
                                  uint32_t total) {
    /* floor(i * 2^64 / total), with 2^64 = quotient * total + rest; total is at most a million. */
    uint64_t quotient = UINT64_MAX / total;
    uint64_t rest = UINT64_MAX % total + 1;
    uint64_t start = i * quotient + i * rest / total;
    uint8_t *key = arena_alloc(arena, 12);
    store_u32_be(key, table_id);
    store_u32_be(key + 4, (uint32_t)(start >> 32));
    store_u32_be(key + 8, (uint32_t)start);
    return slice_of(key, 12);
}

struct key_range key_range_of_segment(struct arena *arena, uint32_t table_id, uint32_t segment,
                                      uint32_t total) {
    struct key_range range = key_range_of_table(arena, table_id);
    if (segment > 0)
        range.first = segment_start(arena, table_id, segment, total);
    if (segment + 1 < total)
        range.last = segment_start(arena, table_id, segment + 1, total);
    return range;
}
