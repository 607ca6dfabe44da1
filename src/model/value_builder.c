/* value_builder.c - containers are written in place and sorted when they close.
 *
 * Closing a map or a set looks at its elements once. When they are already in order, as clients
 * that sort their keys send them, nothing moves; otherwise they are copied to scratch memory and
 * written back in order.
 *
 * Invariants: while a container is open, the size field of its header holds the start of the next
 * outer one and, unless it is the innermost, the count field its elements so far. A container that
 * is opened when the buffer is already full has no header: `lost` counts those. */
#include "model/value_builder.h"

#include <stdlib.h>

#include "base/check.h"

void value_builder_init(struct value_builder *builder, struct buffer *out, struct arena *scratch) {
    *builder = (struct value_builder){.out = out, .scratch = scratch, .start = VALUE_BUILDER_NONE};
}

/* ---- values ---- */

/* A length and as many bytes, where there is room for both. */
static inline uint8_t *put_bytes(uint8_t *at, struct slice bytes) {
    at += varint_encode(at, (uint32_t)bytes.len);
    if (bytes.len > 0)
        memcpy(at, bytes.data, bytes.len);
    return at + bytes.len;
}

static inline size_t bytes_size(struct slice bytes) {
    size_t header = 1;
    for (size_t rest = bytes.len >> 7; rest > 0; rest >>= 7)
        header++;
    return header + bytes.len;
}

static inline void append_bytes(struct buffer *out, struct slice bytes) {
    if (buffer_reserve(out, bytes_size(bytes)))
        out->len = (size_t)(put_bytes(out->data + out->len, bytes) - out->data);
}

void value_builder_name(struct value_builder *builder, struct slice name) {
    append_bytes(builder->out, name);
}

void value_builder_null(struct value_builder *builder) {
    builder->count++;
    buffer_append_byte(builder->out, VALUE_NULL);
}

void value_builder_bool(struct value_builder *builder, bool truth) {
    builder->count++;
    buffer_append(builder->out, (uint8_t[]){VALUE_BOOL, truth ? 1 : 0}, 2);
}

void value_builder_scalar(struct value_builder *builder, enum value_type type, struct slice bytes) {
    builder->count++;
    struct buffer *out = builder->out;
    if (!buffer_reserve(out, 1 + bytes_size(bytes)))
        return;
    uint8_t *at = out->data + out->len;
    *at++ = (uint8_t)type;
    out->len = (size_t)(put_bytes(at, bytes) - out->data);
}

void value_builder_entry(struct value_builder *builder, struct slice name, enum value_type type,
                         struct slice bytes) {
    builder->count++;
    struct buffer *out = builder->out;
    if (!buffer_reserve(out, bytes_size(name) + 1 + bytes_size(bytes)))
        return;
    uint8_t *at = put_bytes(out->data + out->len, name);
    *at++ = (uint8_t)type;
    out->len = (size_t)(put_bytes(at, bytes) - out->data);
}

void value_builder_value(struct value_builder *builder, struct value value) {
    builder->count++;
    buffer_append_slice(builder->out, value_slice(value));
}

void value_builder_member(struct value_builder *builder, struct slice member) {
    builder->count++;
    append_bytes(builder->out, member);
}

void value_builder_drop(struct value_builder *builder, size_t mark) {
    CHECK(mark <= builder->out->len && builder->count > 0);
    builder->count--;
    builder->out->len = mark;
}

/* ---- containers ---- */

void value_builder_open(struct value_builder *builder, enum value_type type) {
    struct buffer *out = builder->out;
    builder->count++;
    if (out->overflow || !buffer_reserve(out, CONTAINER_HEADER)) {
        out->overflow = true;
        builder->lost++;
        return;
    }
    if (builder->start != VALUE_BUILDER_NONE)
        store_u32(out->data + builder->start + 5, builder->count);
    uint8_t *header = out->data + out->len;
    header[0] = (uint8_t)type;
    store_u32(header + 1, (uint32_t)builder->start);
    builder->start = out->len;
    builder->count = 0;
    out->len += CONTAINER_HEADER;
}

/* An entry of a map or a member of a set while they are sorted. */
struct element {
    uint64_t prefix;   /* the key's first bytes, so that most comparisons need nothing else */
    const uint8_t *at; /* where it was written; the later of two equal names wins */
    uint32_t key_len;
    uint32_t size; /* of the whole element */
};

enum { ELEMENTS_ON_STACK = 32 };

/* Up to eight bytes as a number that sorts as they do. */
static inline uint64_t key_prefix(const uint8_t *key, uint32_t len, const uint8_t *end) {
    uint64_t prefix = 0;
    if (end - key >= 8) {
        prefix = (uint64_t)load_u32_be(key) << 32 | load_u32_be(key + 4);
        return len >= 8 ? prefix : len == 0 ? 0 : prefix & ~UINT64_C(0) << (64 - 8 * len);
    }
    for (uint32_t i = 0; i < 8; i++)
        prefix = prefix << 8 | (i < len ? key[i] : 0);
    return prefix;
}

static inline void element_init(struct element *e, const uint8_t *at, const uint8_t *end,
                                bool map) {
    size_t header = varint_decode(at, &e->key_len);
    size_t size = header + e->key_len;
    e->at = at;
    e->prefix = key_prefix(at + header, e->key_len, end);
    if (map)
        size += value_len_at(at + size);
    e->size = (uint32_t)size;
}

static struct slice element_key(const struct element *e) {
    uint32_t len;
    return slice_of(e->at + varint_decode(e->at, &len), e->key_len);
}

static inline int compare_keys(const struct element *x, const struct element *y) {
    if (x->prefix != y->prefix)
        return x->prefix < y->prefix ? -1 : 1;
    return slice_compare(element_key(x), element_key(y));
}

static int compare_elements(const void *a, const void *b) {
    const struct element *x = a, *y = b;
    int order = compare_keys(x, y);
    return order != 0 ? order : x->at < y->at ? -1 : x->at > y->at;
}

static void insertion_sort(struct element *elements, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        struct element moving = elements[i];
        uint32_t j = i;
        for (; j > 0 && compare_keys(&elements[j - 1], &moving) > 0; j--)
            elements[j] = elements[j - 1];
        elements[j] = moving;
    }
}

/* True when the keys rise from element to element. Up to ELEMENTS_ON_STACK elements are kept in
 * `ret_few` on the way. */
static bool list_elements(const uint8_t *at, const uint8_t *end, uint32_t count, bool map,
                          struct element *ret_few) {
    bool sorted = true;
    struct element more[2]; /* of those that are not kept: the last one and the one before */
    const struct element *previous = NULL;
    for (uint32_t i = 0; i < count && (sorted || i < ELEMENTS_ON_STACK); i++) {
        struct element *element = i < ELEMENTS_ON_STACK ? &ret_few[i] : &more[i % 2];
        element_init(element, at, end, map);
        sorted = sorted && (previous == NULL || compare_keys(previous, element) < 0);
        at += element->size;
        previous = element;
    }
    return sorted;
}

/* Writes the elements in their new order; returns how many stayed: of equal keys the last. */
static uint32_t write_sorted(struct value_builder *builder, const struct element *elements,
                             uint32_t count) {
    uint8_t *out = builder->out->data + builder->start + CONTAINER_HEADER;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct element *e = &elements[i];
        if (i + 1 < count && compare_keys(e, e + 1) == 0)
            continue;
        memcpy(out, e->at, e->size);
        out += e->size;
        kept++;
    }
    builder->out->len = (size_t)(out - builder->out->data);
    return kept;
}

/* Sorts few elements, which lie at `from`: their bytes move to scratch memory, so that they can be
 * written back over themselves. */
static void sort_few(struct value_builder *builder, const uint8_t *from, size_t size,
                     struct element *elements) {
    const uint8_t *copy = arena_copy(builder->scratch, from, size);
    for (uint32_t i = 0; i < builder->count; i++)
        elements[i].at = copy + (elements[i].at - from);
    insertion_sort(elements, builder->count);
    builder->count = write_sorted(builder, elements, builder->count);
}

static void sort_many(struct value_builder *builder, const uint8_t *from, size_t size, bool map) {
    uint32_t count = builder->count;
    uint8_t *copy = arena_try_alloc(builder->scratch, size);
    struct element *elements = arena_try_alloc(builder->scratch, count * sizeof(*elements));
    if (copy == NULL || elements == NULL) {
        builder->out->overflow = true;
        return;
    }
    const uint8_t *end = copy + size;
    memcpy(copy, from, size);
    for (uint32_t i = 0; i < count; i++) {
        element_init(&elements[i], copy, end, map);
        copy += elements[i].size;
    }
    qsort(elements, count, sizeof(*elements), compare_elements);
    builder->count = write_sorted(builder, elements, count);
}

/* Sorts the elements of the open map or set; true when some were equal. */
static bool sort_elements(struct value_builder *builder, bool map) {
    uint32_t count = builder->count;
    if (count < 2)
        return false;
    const uint8_t *from = builder->out->data + builder->start + CONTAINER_HEADER;
    size_t size = builder->out->len - builder->start - CONTAINER_HEADER;
    struct element few[ELEMENTS_ON_STACK];
    if (list_elements(from, from + size, count, map, few))
        return false;
    struct arena_mark mark = arena_mark(builder->scratch);
    if (count <= ELEMENTS_ON_STACK)
        sort_few(builder, from, size, few);
    else
        sort_many(builder, from, size, map);
    arena_rewind(builder->scratch, mark);
    return builder->count < count;
}

void value_builder_close(struct value_builder *builder) {
    value_builder_close_set(builder);
}

bool value_builder_close_set(struct value_builder *builder) {
    if (builder->lost > 0) {
        builder->lost--;
        return false;
    }
    CHECK(builder->start != VALUE_BUILDER_NONE);
    struct buffer *out = builder->out;
    uint8_t *header = out->data + builder->start;
    bool duplicates = false;
    if (header[0] != VALUE_L && !out->overflow)
        duplicates = sort_elements(builder, header[0] == VALUE_M);
    uint32_t outer = load_u32(header + 1);
    store_u32(header + 1, (uint32_t)(out->len - builder->start - CONTAINER_HEADER));
    store_u32(header + 5, builder->count);
    builder->start = outer;
    builder->count = outer == VALUE_BUILDER_NONE ? 1 : load_u32(out->data + outer + 5);
    return duplicates;
}

struct value value_builder_finish(struct value_builder *builder, struct arena *arena) {
    CHECK(builder->start == VALUE_BUILDER_NONE && builder->lost == 0);
    CHECK(!builder->out->overflow && builder->out->len > 0);
    return value_from_slice(arena_slice(arena, buffer_slice(builder->out)));
}
