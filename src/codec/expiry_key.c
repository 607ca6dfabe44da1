/* expiry_key.c - from an item's key to that of its expiry and back. */
#include "codec/expiry_key.h"

#include "codec/key.h"

enum { PREFIX_BYTES = KEY_ID_BYTES + 8 };

struct slice expiry_key_encode(struct arena *arena, uint32_t ttl_id, uint64_t seconds,
                               struct slice item_key) {
    struct slice tail = key_without_id(item_key);
    uint8_t *bytes = arena_alloc(arena, PREFIX_BYTES + tail.len);
    store_u32_be(bytes, ttl_id);
    store_u64_be(bytes + KEY_ID_BYTES, seconds);
    memcpy(bytes + PREFIX_BYTES, tail.data, tail.len);
    return slice_of(bytes, PREFIX_BYTES + tail.len);
}

struct slice expiry_key_first(struct arena *arena, uint32_t ttl_id, uint64_t seconds) {
    uint8_t *bytes = arena_alloc(arena, PREFIX_BYTES);
    store_u32_be(bytes, ttl_id);
    store_u64_be(bytes + KEY_ID_BYTES, seconds);
    return slice_of(bytes, PREFIX_BYTES);
}

bool expiry_key_is_sound(struct slice key) {
    return key.len >= PREFIX_BYTES + ITEM_KEY_REST_MIN;
}

uint64_t expiry_key_seconds(struct slice key) {
    return load_u64_be(key.data + KEY_ID_BYTES);
}

struct slice expiry_key_item(struct arena *arena, uint32_t table_id, struct slice key) {
    return key_with_id(arena, table_id, slice_skip(key, PREFIX_BYTES));
}
