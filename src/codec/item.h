/* item.h - an item as it is stored.
 *
 *   OFFSET  SIZE  MEANING
 *   0       5     version and checksum (summed.h)
 *   5       4     the item's size as DynamoDB counts it, little-endian
 *   9       ...   the item: a value of type M (model/value.h)
 *
 * The size is kept so that reading a page costs nothing per attribute for its accounting. */
#ifndef GRAMME_CODEC_ITEM_H
#define GRAMME_CODEC_ITEM_H

#include "base/error.h"
#include "codec/summed.h"
#include "model/table.h"

enum {
    ITEM_SIZE_BYTES = 4,
    ITEM_HEADER = SUMMED_HEADER + ITEM_SIZE_BYTES,
    ITEM_DEPTH_MAX = LIMIT_CURRENT_NESTING + 1, /* levels, the item's own among them */
};

struct stored_item {
    struct value item; /* points into the stored bytes; absent: there is no such item */
    uint32_t size;
};

/* `size` is item_size(item). */
struct slice item_encode(struct arena *arena, struct value item, size_t size);
/* The same of a value that stands at bytes + ITEM_HEADER, of which `len` counts the header, too. */
struct slice item_seal(uint8_t *bytes, size_t len, size_t size);
/* Fails when the bytes are not those that were encoded, by their checksum, or not an item of a
 * known version, or when reading it would lead out of them. An absent slice gives an absent item.
 */
struct error *item_decode(struct arena *arena, struct slice bytes, struct stored_item *ret_item);
/* Only whether the bytes are those that were encoded. */
struct error *stored_item_check(struct arena *arena, struct slice stored);
/* item_decode() without a look inside: for who looks only for single attributes
 * (value_map_find()) or writes the whole (item_write_json()), which mind the bounds themselves, or
 * asks stored_item_is_sound() before anything else. */
struct error *item_decode_unread(struct arena *arena, struct slice bytes,
                                 struct stored_item *ret_item);
bool stored_item_is_sound(const struct stored_item *item);

/* item_decode() of an item that is there, with the key under which it stands: also that the key is
 * one, and that the item has the attributes of `keys` (NULL: any), on which index entries and
 * records of streams rely. */
struct error *item_record_decode(struct arena *arena, const struct key_schema *keys,
                                 struct slice key, struct slice value,
                                 struct stored_item *ret_item);

/* Of a stored item that was decoded before, or made here; absent and 0 of an absent one. */
static inline struct value stored_item_value(struct slice stored) {
    return slice_present(stored)
               ? value_from_slice(slice_skip(summed_rest(stored), ITEM_SIZE_BYTES))
               : VALUE_ABSENT;
}
static inline uint32_t stored_item_size(struct slice stored) {
    return slice_present(stored) ? load_u32(summed_rest(stored).data) : 0;
}
/* Whether both are the same item, or both none, of whatever version. */
static inline bool stored_item_equal(struct slice a, struct slice b) {
    return slice_present(a) == slice_present(b) &&
           (!slice_present(a) || slice_equal(summed_rest(a), summed_rest(b)));
}

#endif
