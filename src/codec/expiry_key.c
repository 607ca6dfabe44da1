/* expiry_key.c - from an item's key to that of its expiry and back. */
#include "codec/expiry_key.h"

#include "base/bytes.h"

enum { ID_BYTES = 4, EXPIRY_BYTES = 8, PREFIX_BYTES = ID_BYTES + EXPIRY_BYTES };

struct slice expiry_key_encode(struct arena *arena, uint32_t ttl_id, uint64_t seconds,
                               struct slice item_key) {
    struct slice tail = slice_skip(item_key, ID_BYTES);
    uint8_t *bytes = arena_alloc(arena, PREFIX_BYTES + tail.len);
    store_u32_be(bytes, ttl_id);
    store_u64_be(bytes + ID_BYTES, seconds);
    memcpy(bytes + PREFIX_BYTES, tail.data, tail.len);
    return slice_of(bytes, PREFIX_BYTES + tail.len);
}

struct slice expiry_key_first(struct arena *arena, uint32_t ttl_id, uint64_t seconds) {
    uint8_t *bytes = arena_alloc(arena, PREFIX_BYTES);
    store_u32_be(bytes, ttl_id);
    store_u64_be(bytes + ID_BYTES, seconds);
    return slice_of(bytes, PREFIX_BYTES);
}

uint64_t expiry_key_seconds(struct slice key) {
    return load_u64_be(key.data + ID_BYTES);
}

struct slice expiry_key_item(struct arena *arena, uint32_t table_id, struct slice key) {
    struct slice tail = slice_skip(key, PREFIX_BYTES);
    uint8_t *bytes = arena_alloc(arena, ID_BYTES + tail.len);
    store_u32_be(bytes, table_id);
    memcpy(bytes + ID_BYTES, tail.data, tail.len);
    return slice_of(bytes, ID_BYTES + tail.len);
}
