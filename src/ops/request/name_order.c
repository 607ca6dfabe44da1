/* name_order.c - what iterating a Java HashMap gives.
 *
 * The service prints AttributeDefinitions and the keys used as it holds them, in hash tables, so
 * their order in its texts is that of java.util.HashMap: by bucket, and within a bucket as they
 * came. The bucket is the low bits of the string's hash, folded once; the table doubles when it is
 * more than three quarters full. Recorded answers agree with it (tests/unit/ops). */
#include "ops/request/name_order.h"

#include <stdlib.h>

struct placed_name {
    struct slice name;
    size_t position; /* in the list that was given */
    uint32_t bucket;
};

/* Code points of UTF-8, which has been checked; Java hashes UTF-16 code units. */
static uint32_t hash_code_point(uint32_t hash, uint32_t point) {
    if (point < 0x10000)
        return hash * 31 + point;
    point -= 0x10000;
    hash = hash * 31 + (0xd800 + (point >> 10));
    return hash * 31 + (0xdc00 + (point & 0x3ff));
}

static uint32_t hash_of(struct slice name) {
    uint32_t hash = 0, point = 0, rest = 0;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t byte = name.data[i];
        if (rest > 0) {
            point = point << 6 | (byte & 0x3f);
            rest--;
        } else {
            rest = byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
            point = rest == 0 ? byte : byte & (0x3fU >> rest);
        }
        if (rest == 0)
            hash = hash_code_point(hash, point);
    }
    return hash ^ hash >> 16;
}

static int compare_names(const void *a, const void *b) {
    const struct placed_name *x = a, *y = b;
    int order = slice_compare(x->name, y->name);
    return order != 0 ? order : x->position < y->position ? -1 : 1;
}

static int compare_places(const void *a, const void *b) {
    const struct placed_name *x = a, *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

/* Leaves out all but the first of equal names. */
static size_t keep_first(struct placed_name *placed, size_t count) {
    size_t kept = 0;
    qsort(placed, count, sizeof(*placed), compare_names);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !slice_equal(placed[kept - 1].name, placed[i].name))
            placed[kept++] = placed[i];
    return kept;
}

size_t name_order(struct arena *arena, const struct slice *names, size_t count, size_t buckets_min,
                  struct slice **ret_names) {
    struct placed_name *placed = ARENA_ARRAY(arena, struct placed_name, count);
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed_name){names[i], i, 0};
    count = keep_first(placed, count);
    size_t buckets = buckets_min;
    while (buckets * 3 / 4 < count)
        buckets *= 2;
    for (size_t i = 0; i < count; i++)
        placed[i].bucket = hash_of(placed[i].name) & (uint32_t)(buckets - 1);
    qsort(placed, count, sizeof(*placed), compare_places);
    *ret_names = ARENA_ARRAY(arena, struct slice, count);
    for (size_t i = 0; i < count; i++)
        (*ret_names)[i] = placed[i].name;
    return count;
}
