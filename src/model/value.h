/* value.h - an attribute value, and an item, as flat bytes.
 *
 * The same bytes go from the request to the disk and back to the reply; nothing builds a tree. A
 * value is canonical: sets are sorted and without duplicates, maps are sorted by name, numbers have
 * one form. So two values are equal exactly when their bytes are. An item is a value of type M.
 *
 *   type          bytes
 *   NULL          tag
 *   BOOL          tag, 0 or 1
 *   N             tag, u8 length, number (number.h)
 *   S, B          tag, varint length, bytes
 *   SS, NS, BS    tag, u32 size, u32 count, then per member: varint length, bytes
 *   L             tag, u32 size, u32 count, values
 *   M             tag, u32 size, u32 count, then per entry: varint length of the name, name, value
 *
 * The size is that of the bytes after the count. Integers are little-endian. Values are borrowed:
 * they live as long as the buffer they point into.
 * Functions here trust the bytes; bytes of unknown origin pass value_check() first, those from the
 * store value_is_bounded(). */
#ifndef GRAMME_MODEL_VALUE_H
#define GRAMME_MODEL_VALUE_H

#include "base/bytes.h"
#include "base/check.h"
#include "model/number.h"

enum value_type {
    VALUE_NONE = 0, /* absent: never stored */
    VALUE_S = 1,
    VALUE_N = 2,
    VALUE_B = 3,
    VALUE_BOOL = 4,
    VALUE_NULL = 5,
    VALUE_SS = 6,
    VALUE_NS = 7,
    VALUE_BS = 8,
    VALUE_L = 9,
    VALUE_M = 10,
};

enum { VALUE_TYPE_COUNT = 11, CONTAINER_HEADER = 9 };

struct value {
    const uint8_t *bytes; /* NULL: absent */
    size_t len;
};

#define VALUE_ABSENT ((struct value){NULL, 0})

static inline bool value_present(struct value v) {
    return v.bytes != NULL;
}

static inline enum value_type value_type(struct value v) {
    return v.bytes == NULL ? VALUE_NONE : (enum value_type)v.bytes[0];
}

static inline struct slice value_slice(struct value v) {
    return slice_of(v.bytes, v.len);
}

static inline struct value value_from_slice(struct slice bytes) {
    return (struct value){bytes.data, bytes.len};
}

/* "S", "N", ... as in JSON. */
const char *value_type_name(enum value_type type);
/* VALUE_NONE when the text is no type's name. */
enum value_type value_type_from_name(struct slice name);

static inline bool value_type_is_set(enum value_type type) {
    return type == VALUE_SS || type == VALUE_NS || type == VALUE_BS;
}

/* The type of a set's members. */
static inline enum value_type value_member_type(enum value_type set) {
    return set == VALUE_SS ? VALUE_S : set == VALUE_NS ? VALUE_N : VALUE_B;
}

/* How many bytes the value takes that starts at `at`. S and N first: nearly all are one of these.
 */
static inline size_t value_len_at(const uint8_t *at) {
    uint32_t len;
    size_t header;
    if (at[0] == VALUE_S && at[1] < 0x80)
        return 2 + (size_t)at[1];
    switch ((enum value_type)at[0]) {
    case VALUE_N:
        return 2 + (size_t)at[1];
    case VALUE_S:
    case VALUE_B:
        header = 1 + varint_decode(at + 1, &len);
        return header + len;
    case VALUE_NULL:
        return 1;
    case VALUE_BOOL:
        return 2;
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        return CONTAINER_HEADER + (size_t)load_u32(at + 1);
    case VALUE_NONE:
        break;
    }
    CHECK(false); /* no such tag */
    return 0;
}

static inline struct value value_at(const uint8_t *at) {
    return (struct value){at, value_len_at(at)};
}

/* Where the value ends that is the last of `count`, the first of which starts at `at`. */
const uint8_t *value_skip(const uint8_t *at, uint32_t count);

/* S and B: their bytes. N: the canonical number, whose length is a varint of one byte. */
static inline struct slice value_scalar(struct value v) {
    uint32_t len;
    size_t header = 1 + varint_decode(v.bytes + 1, &len);
    return slice_of(v.bytes + header, len);
}
bool value_bool(struct value v);
/* Members of a set, elements of a list, entries of a map. */
uint32_t value_count(struct value v);

/* Walks a set, a list or a map in stored order. */
struct value_iter {
    const uint8_t *next;
    const uint8_t *end;
    struct slice name;   /* map entry */
    struct slice member; /* set member */
    struct value value;  /* list element or map entry */
    enum value_type container;
};

void value_iter_init(struct value_iter *iter, struct value container);
bool value_iter_next(struct value_iter *iter);

/* Absent when there is no such entry or element, or when `v` is no map (list). To find the entry of
 * a map, `v` need not be checked, if only its length is right. */
struct value value_map_find(struct value v, struct slice name);
struct value value_list_at(struct value v, uint32_t index);
bool value_set_has(struct value set, struct slice member);

static inline bool value_equal(struct value a, struct value b) {
    return slice_equal(value_slice(a), value_slice(b));
}

/* Order of two S, two N or two B. */
static inline int value_compare(struct value a, struct value b) {
    return slice_compare(value_scalar(a), value_scalar(b));
}

/* DynamoDB's size in bytes of a value, and of an item: names and values, without what a nested map
 * adds for itself. */
size_t value_size(struct value v);
size_t item_size(struct value item);

/* 1 for a scalar or a set, 1 + the deepest child for L and M. */
uint32_t value_depth(struct value v);

/* True when the bytes are exactly one well-formed canonical value, nested no deeper than
 * `depth_max`. */
bool value_check(struct slice bytes, uint32_t depth_max);
/* True when whoever reads the bytes as a value stays inside them and meets only numbers that are
 * some: what the functions here rely on. Names and members may be in any order. */
bool value_is_bounded(struct slice bytes, uint32_t depth_max);

#endif
