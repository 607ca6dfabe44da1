/* item.c - the header around an item's value. Threads: any; no shared state. */
#include "codec/item.h"

#include "codec/key.h"
#include "model/key.h"

struct slice item_seal(uint8_t *bytes, size_t len, size_t size) {
    store_u32(bytes + ITEM_HEADER - ITEM_SIZE_BYTES, (uint32_t)size);
    return summed_seal(bytes, len);
}

struct slice item_encode(struct arena *arena, struct value item, size_t size) {
    uint8_t *bytes = arena_alloc(arena, ITEM_HEADER + item.len);
    memcpy(bytes + ITEM_HEADER, item.bytes, item.len);
    return item_seal(bytes, ITEM_HEADER + item.len, size);
}

struct error *item_decode(struct arena *arena, struct slice bytes, struct stored_item *ret_item) {
    TRY(item_decode_unread(arena, bytes, ret_item));
    if (slice_present(bytes) && !stored_item_is_sound(ret_item))
        return error_local(arena, "it is no item");
    return NULL;
}

struct error *stored_item_check(struct arena *arena, struct slice stored) {
    struct slice rest = summed_open(stored);
    if (!slice_present(rest))
        return error_local(arena, "its checksum is wrong, or its version");
    bool whole = rest.len >= ITEM_SIZE_BYTES + CONTAINER_HEADER &&
                 rest.data[ITEM_SIZE_BYTES] == VALUE_M &&
                 value_at(rest.data + ITEM_SIZE_BYTES).len == rest.len - ITEM_SIZE_BYTES;
    return whole ? NULL : error_local(arena, "it is no item");
}

struct error *item_decode_unread(struct arena *arena, struct slice bytes,
                                 struct stored_item *ret_item) {
    *ret_item = (struct stored_item){VALUE_ABSENT, 0};
    if (!slice_present(bytes))
        return NULL;
    TRY(stored_item_check(arena, bytes));
    *ret_item = (struct stored_item){stored_item_value(bytes), stored_item_size(bytes)};
    return NULL;
}

struct error *item_record_decode(struct arena *arena, const struct key_schema *keys,
                                 struct slice key, struct slice value,
                                 struct stored_item *ret_item) {
    if (key.len < ITEM_KEY_PREFIX)
        return error_local(arena, "its key is too short");
    TRY(item_decode(arena, value, ret_item));
    if (keys != NULL && !key_is_good(keys, ret_item->item))
        return error_local(arena, "it lacks its key");
    return NULL;
}

bool stored_item_is_sound(const struct stored_item *item) {
    return value_is_bounded(value_slice(item->item), ITEM_DEPTH_MAX);
}
