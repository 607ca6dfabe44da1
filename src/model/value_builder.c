/* value_builder.c - containers are written in place and sorted when they close.
 *
 * Closing walks the entries once. When they are already in order, as clients that sort their keys
 * send them, nothing moves; otherwise the entries are copied to scratch memory and written back in
 * order. */
#include "model/value_builder.h"

#include <stdlib.h>

#include "base/check.h"

struct open_container {
    struct open_container *outer;
    size_t start; /* of the tag, in the buffer */
    uint32_t count;
    enum value_type type;
};

/* An entry or a member while it is sorted. */
struct entry {
    struct slice key;
    struct slice whole;
    uint32_t position; /* as written: the later of two equal names wins */
};

void value_builder_init(struct value_builder *builder, struct buffer *out, struct arena *scratch) {
    *builder = (struct value_builder){.out = out, .scratch = scratch};
}

static void count_element(struct value_builder *builder) {
    if (builder->open != NULL)
        builder->open->count++;
}

void value_builder_name(struct value_builder *builder, struct slice name) {
    buffer_append_varint(builder->out, (uint32_t)name.len);
    buffer_append_slice(builder->out, name);
}

void value_builder_null(struct value_builder *builder) {
    count_element(builder);
    buffer_append_byte(builder->out, VALUE_NULL);
}

void value_builder_bool(struct value_builder *builder, bool truth) {
    count_element(builder);
    buffer_append_byte(builder->out, VALUE_BOOL);
    buffer_append_byte(builder->out, truth ? 1 : 0);
}

void value_builder_scalar(struct value_builder *builder, enum value_type type, struct slice bytes) {
    count_element(builder);
    buffer_append_byte(builder->out, (uint8_t)type);
    buffer_append_varint(builder->out, (uint32_t)bytes.len);
    buffer_append_slice(builder->out, bytes);
}

void value_builder_value(struct value_builder *builder, struct value value) {
    count_element(builder);
    buffer_append_slice(builder->out, value_slice(value));
}

void value_builder_member(struct value_builder *builder, struct slice member) {
    count_element(builder);
    buffer_append_varint(builder->out, (uint32_t)member.len);
    buffer_append_slice(builder->out, member);
}

void value_builder_open(struct value_builder *builder, enum value_type type) {
    count_element(builder);
    struct open_container *open = ARENA_NEW(builder->scratch, struct open_container);
    *open = (struct open_container){builder->open, builder->out->len, 0, type};
    builder->open = open;
    uint8_t header[CONTAINER_HEADER] = {(uint8_t)type};
    buffer_append(builder->out, header, sizeof(header));
}

static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    int order = slice_compare(x->key, y->key);
    return order != 0 ? order : x->position < y->position ? -1 : 1;
}

/* The key of the element at `at`, and the element whole. */
static struct entry entry_at(const uint8_t *at, enum value_type container, uint32_t position) {
    uint32_t len;
    size_t header = varint_decode(at, &len);
    struct slice key = slice_of(at + header, len);
    size_t size = header + len;
    if (container == VALUE_M)
        size += value_at(at + size).len;
    return (struct entry){key, slice_of(at, size), position};
}

static bool already_sorted(const struct open_container *open, const uint8_t *start) {
    struct slice previous = SLICE_NONE;
    for (uint32_t i = 0; i < open->count; i++) {
        struct entry entry = entry_at(start, open->type, i);
        if (slice_present(previous) && slice_compare(previous, entry.key) >= 0)
            return false;
        previous = entry.key;
        start += entry.whole.len;
    }
    return true;
}

/* Sorts the elements of the open map or set; true when some were equal (the last one stays). */
static bool sort_elements(struct value_builder *builder, struct open_container *open) {
    uint8_t *start = builder->out->data + open->start + CONTAINER_HEADER;
    if (already_sorted(open, start))
        return false;
    struct arena_mark mark = arena_mark(builder->scratch);
    size_t size = builder->out->len - open->start - CONTAINER_HEADER;
    const uint8_t *copy = arena_copy(builder->scratch, start, size);
    struct entry *entries = ARENA_ARRAY(builder->scratch, struct entry, open->count);
    for (uint32_t i = 0; i < open->count; i++) {
        entries[i] = entry_at(copy, open->type, i);
        copy += entries[i].whole.len;
    }
    qsort(entries, open->count, sizeof(*entries), compare_entries);
    builder->out->len = open->start + CONTAINER_HEADER;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < open->count; i++) {
        if (i + 1 < open->count && slice_equal(entries[i].key, entries[i + 1].key))
            continue;
        buffer_append_slice(builder->out, entries[i].whole);
        kept++;
    }
    bool duplicates = kept < open->count;
    open->count = kept;
    arena_rewind(builder->scratch, mark);
    return duplicates;
}

static bool close_container(struct value_builder *builder) {
    struct open_container *open = builder->open;
    CHECK(open != NULL);
    bool duplicates = false;
    if (!builder->out->overflow) {
        if (open->type != VALUE_L)
            duplicates = sort_elements(builder, open);
        uint8_t *header = builder->out->data + open->start;
        store_u32(header + 1, (uint32_t)(builder->out->len - open->start - CONTAINER_HEADER));
        store_u32(header + 5, open->count);
    }
    builder->open = open->outer;
    return duplicates;
}

void value_builder_close(struct value_builder *builder) {
    close_container(builder);
}

bool value_builder_close_set(struct value_builder *builder) {
    return close_container(builder);
}

struct value value_builder_finish(struct value_builder *builder, struct arena *arena) {
    CHECK(builder->open == NULL && !builder->out->overflow && builder->out->len > 0);
    return value_from_slice(arena_slice(arena, buffer_slice(builder->out)));
}
