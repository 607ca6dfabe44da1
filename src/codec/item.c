/* item.c - the header around an item's value. */
#include "codec/item.h"

#include "codec/key.h"
#include "model/key.h"

struct slice item_encode(struct arena *arena, struct value item, size_t size) {
    uint8_t *bytes = arena_alloc(arena, ITEM_HEADER + item.len);
    bytes[0] = ITEM_VERSION;
    store_u32(bytes + ITEM_SIZE_AT, (uint32_t)size);
    memcpy(bytes + ITEM_HEADER, item.bytes, item.len);
    return slice_of(bytes, ITEM_HEADER + item.len);
}

struct error *item_decode(struct arena *arena, struct slice bytes, struct stored_item *ret_item) {
    TRY(item_decode_unread(arena, bytes, ret_item));
    if (slice_present(bytes) && !stored_item_is_sound(ret_item))
        return error_local(arena, "a stored item is damaged");
    return NULL;
}

struct error *item_decode_unread(struct arena *arena, struct slice bytes,
                                 struct stored_item *ret_item) {
    if (!slice_present(bytes)) {
        *ret_item = (struct stored_item){VALUE_ABSENT, 0};
        return NULL;
    }
    bool whole = bytes.len >= ITEM_HEADER + CONTAINER_HEADER && bytes.data[0] == ITEM_VERSION &&
                 bytes.data[ITEM_HEADER] == VALUE_M &&
                 value_at(bytes.data + ITEM_HEADER).len == bytes.len - ITEM_HEADER;
    if (!whole)
        return error_local(arena, "a stored item is damaged");
    *ret_item = (struct stored_item){value_from_slice(slice_skip(bytes, ITEM_HEADER)),
                                     load_u32(bytes.data + ITEM_SIZE_AT)};
    return NULL;
}

struct error *item_record_decode(struct arena *arena, const struct key_schema *keys,
                                 struct slice key, struct slice value,
                                 struct stored_item *ret_item) {
    if (key.len < ITEM_KEY_PREFIX)
        return error_local(arena, "the key of a stored item is damaged");
    TRY(item_decode(arena, value, ret_item));
    if (keys != NULL && !key_is_good(keys, ret_item->item))
        return error_local(arena, "a stored item is damaged: it lacks its key");
    return NULL;
}

bool stored_item_is_sound(const struct stored_item *item) {
    return value_is_bounded(value_slice(item->item), ITEM_DEPTH_MAX);
}
