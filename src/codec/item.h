/* item.h - an item as it is stored.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version: 1
 *   1       4     the item's size as DynamoDB counts it, little-endian
 *   5       ...   the item: a value of type M (model/value.h)
 *
 * The size is kept so that reading a page costs nothing per attribute for its accounting. */
#ifndef GRAMME_CODEC_ITEM_H
#define GRAMME_CODEC_ITEM_H

#include "base/error.h"
#include "model/value.h"

enum { ITEM_VERSION = 1, ITEM_SIZE_AT = 1, ITEM_HEADER = 5 };

struct stored_item {
    struct value item; /* points into the stored bytes; absent: there is no such item */
    uint32_t size;
};

/* `size` is item_size(item). */
struct slice item_encode(struct arena *arena, struct value item, size_t size);
/* Fails when the bytes are not an item of a known version. An absent slice gives an absent item. */
struct error *item_decode(struct arena *arena, struct slice bytes, struct stored_item *ret_item);

/* Of a stored item that was decoded before, or made here; absent and 0 of an absent one. */
static inline struct value stored_item_value(struct slice stored) {
    return slice_present(stored) ? value_from_slice(slice_skip(stored, ITEM_HEADER)) : VALUE_ABSENT;
}
static inline uint32_t stored_item_size(struct slice stored) {
    return slice_present(stored) ? load_u32(stored.data + ITEM_SIZE_AT) : 0;
}

#endif
