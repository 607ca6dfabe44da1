/* value_bounds.c - whether who reads bytes as a value stays inside them.
 *
 * Every item that comes from the store is asked this before anybody reads it. What is stored was
 * canonical when it was written and the store has checksums; but bytes that were wrong before they
 * got their checksum, by a failing memory or by whoever made them, must show as an error and not
 * lead anywhere. So this asks for no more than that, in one quick walk: sizes, counts and tags, but
 * not the order of names nor what digits a number has, which do no harm to who reads them.
 *
 * What passes a value returns where the next one starts, or NULL. Recursion is bounded by
 * `depth_left`. Memory: none. Threads: any. */
#include "model/value.h"

static const uint8_t *pass_value(const uint8_t *at, const uint8_t *end, uint32_t depth_left);

/* A length and so many bytes, at most `len_max`. */
static const uint8_t *pass_bytes(const uint8_t *at, const uint8_t *end, size_t len_min,
                                 size_t len_max) {
    uint32_t len;
    size_t taken = varint_decode_checked(at, (size_t)(end - at), &len);
    at += taken;
    if (taken == 0 || len > (size_t)(end - at) || len < len_min || len > len_max)
        return NULL;
    return at + len;
}

static inline bool is_short_number(const uint8_t *len) {
    return (uint8_t)(*len - 1) < NUMBER_BYTES_MAX;
}

/* The entries of a map, most of which are short scalars under short names. What ends behind `end`
 * is found by the next one, or by the caller. */
static const uint8_t *pass_entries(const uint8_t *at, const uint8_t *end, uint32_t count,
                                   uint32_t depth_left) {
    for (; count > 0; count--) {
        if (at >= end)
            return NULL;
        const uint8_t *value = *at < 0x80 ? at + 1 + *at : pass_bytes(at, end, 0, SIZE_MAX);
        bool whole = value != NULL && end - value >= 2;
        if (whole && *value == VALUE_S && value[1] < 0x80)
            at = value + 2 + value[1];
        else if (whole && *value == VALUE_N && is_short_number(value + 1))
            at = value + 2 + value[1];
        else
            at = value == NULL ? NULL : pass_value(value, end, depth_left);
        if (at == NULL)
            return NULL;
    }
    return at;
}

static const uint8_t *pass_members(const uint8_t *at, const uint8_t *end, uint32_t count,
                                   enum value_type set) {
    size_t len_min = set == VALUE_NS ? 1 : 0,
           len_max = set == VALUE_NS ? NUMBER_BYTES_MAX : SIZE_MAX;
    for (; count > 0 && at != NULL; count--)
        at = pass_bytes(at, end, len_min, len_max);
    return at;
}

static const uint8_t *pass_elements(const uint8_t *at, const uint8_t *end, uint32_t count,
                                    uint32_t depth_left) {
    for (; count > 0 && at != NULL; count--)
        at = pass_value(at, end, depth_left);
    return at;
}

static const uint8_t *pass_container(const uint8_t *at, const uint8_t *end, uint32_t depth_left) {
    if (end - at < CONTAINER_HEADER || load_u32(at + 1) > (size_t)(end - at) - CONTAINER_HEADER)
        return NULL;
    const uint8_t *first = at + CONTAINER_HEADER;
    const uint8_t *inner_end = first + load_u32(at + 1);
    enum value_type type = (enum value_type) * at;
    uint32_t count = load_u32(at + 5);
    const uint8_t *last;
    if (type == VALUE_M)
        last = pass_entries(first, inner_end, count, depth_left - 1);
    else if (type == VALUE_L)
        last = pass_elements(first, inner_end, count, depth_left - 1);
    else
        last = pass_members(first, inner_end, count, type);
    return last == inner_end ? last : NULL;
}

static const uint8_t *pass_value(const uint8_t *at, const uint8_t *end, uint32_t depth_left) {
    if (depth_left == 0 || at >= end)
        return NULL;
    switch ((enum value_type) * at) {
    case VALUE_NULL:
        return at + 1;
    case VALUE_BOOL:
        return end - at < 2 ? NULL : at + 2;
    case VALUE_N:
        return pass_bytes(at + 1, end, 1, NUMBER_BYTES_MAX);
    case VALUE_S:
    case VALUE_B:
        return pass_bytes(at + 1, end, 0, SIZE_MAX);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        return pass_container(at, end, depth_left);
    case VALUE_NONE:
        break;
    }
    return NULL;
}

bool value_is_bounded(struct slice bytes, uint32_t depth_max) {
    const uint8_t *end = bytes.data + bytes.len;
    return slice_present(bytes) && pass_value(bytes.data, end, depth_max) == end;
}
