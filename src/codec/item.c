/* item.c - the header around an item's value. */
#include "codec/item.h"

struct slice item_encode(struct arena *arena, struct value item, size_t size) {
    uint8_t *bytes = arena_alloc(arena, ITEM_HEADER + item.len);
    bytes[0] = ITEM_VERSION;
    store_u32(bytes + ITEM_SIZE_AT, (uint32_t)size);
    memcpy(bytes + ITEM_HEADER, item.bytes, item.len);
    return slice_of(bytes, ITEM_HEADER + item.len);
}

struct error *item_decode(struct arena *arena, struct slice bytes, struct stored_item *ret_item) {
    if (!slice_present(bytes)) {
        *ret_item = (struct stored_item){VALUE_ABSENT, 0};
        return NULL;
    }
    /* The store has its own checksums; this catches a newer version and bytes that are no item at
     * all. */
    bool whole = bytes.len >= ITEM_HEADER + CONTAINER_HEADER && bytes.data[0] == ITEM_VERSION &&
                 bytes.data[ITEM_HEADER] == VALUE_M &&
                 value_at(bytes.data + ITEM_HEADER).len == bytes.len - ITEM_HEADER;
    if (!whole)
        return error_local(arena, "A stored item is damaged");
    *ret_item = (struct stored_item){value_from_slice(slice_skip(bytes, ITEM_HEADER)),
                                     load_u32(bytes.data + ITEM_SIZE_AT)};
    return NULL;
}
