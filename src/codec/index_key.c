/* index_key.c - encoding the keys of index entries. */
#include "codec/index_key.h"

#include "base/bytes.h"
#include "model/index_key.h"
#include "model/limits.h"

/* A key while it is written: memory for the longest it can become, taken from the arena at once. */
struct key_writer {
    uint8_t *start;
    uint8_t *next;
};

static struct key_writer writer_begin(struct arena *arena, size_t bytes_max) {
    uint8_t *start = arena_alloc(arena, bytes_max);
    return (struct key_writer){start, start};
}

static struct slice writer_end(const struct key_writer *w) {
    return slice_of(w->start, (size_t)(w->next - w->start));
}

static void append(struct key_writer *w, struct slice bytes) {
    memcpy(w->next, bytes.data, bytes.len);
    w->next += bytes.len;
}

static void append_with_length(struct key_writer *w, struct slice bytes) {
    store_u32(w->next, (uint32_t)bytes.len);
    w->next += 4;
    append(w, bytes);
}

/* Of several attributes, the hash covers their lengths too, so that ("a", "bc") and ("ab", "c")
 * differ. */
static void append_partition(struct key_writer *w, const struct key_codec *codec,
                             const struct table_index *index, const struct value *hash_values) {
    store_u32_be(w->next, index->id);
    if (index->keys.hash_count == 1) {
        siphash128(codec->secret, value_scalar(hash_values[0]), w->next + 4);
    } else {
        uint8_t joined[KEY_PARTS_MAX * (LIMIT_HASH_KEY_BYTES + 4)];
        struct key_writer parts = {joined, joined};
        for (size_t i = 0; i < index->keys.hash_count; i++)
            append_with_length(&parts, value_scalar(hash_values[i]));
        siphash128(codec->secret, writer_end(&parts), w->next + 4);
    }
    w->next += ITEM_KEY_PREFIX;
}

static void append_escaped(struct key_writer *w, struct slice bytes) {
    for (size_t i = 0; i < bytes.len; i++) {
        *w->next++ = bytes.data[i];
        if (bytes.data[i] == 0)
            *w->next++ = 0xff;
    }
}

static void append_sort(struct key_writer *w, struct value value) {
    if (value_type(value) == VALUE_N) {
        append(w, value_scalar(value));
        *w->next++ = 0x00;
        return;
    }
    append_escaped(w, value_scalar(value));
    *w->next++ = 0x00;
    *w->next++ = 0x01;
}

/* The most that append_sort writes. */
static size_t sort_bytes_max(struct value value) {
    return 2 * value_scalar(value).len + 2;
}

static void append_primary_hash(struct key_writer *w, const struct key_codec *codec,
                                const struct table_definition *table, struct value item) {
    uint8_t joined[LIMIT_HASH_KEY_BYTES + LIMIT_RANGE_KEY_BYTES + 4];
    struct key_writer parts = {joined, joined};
    append_with_length(&parts, value_scalar(value_map_find(item, table->keys.hash[0].name)));
    if (table->keys.range_count > 0)
        append(&parts, value_scalar(value_map_find(item, table->keys.range[0].name)));
    siphash128(codec->secret, writer_end(&parts), w->next);
    w->next += SIPHASH_BYTES;
}

struct slice index_key_encode(struct arena *arena, const struct key_codec *codec,
                              const struct table_definition *table, const struct table_index *index,
                              struct value item) {
    const struct key_schema *keys = &index->keys;
    struct index_key_values values;
    if (!index_key_find(index, item, &values))
        return SLICE_NONE;
    size_t bytes_max = ITEM_KEY_PREFIX + SIPHASH_BYTES;
    for (size_t i = 0; i < keys->range_count; i++)
        bytes_max += sort_bytes_max(values.range[i]);
    struct key_writer w = writer_begin(arena, bytes_max);
    append_partition(&w, codec, index, values.hash);
    for (size_t i = 0; i < keys->range_count; i++)
        append_sort(&w, values.range[i]);
    append_primary_hash(&w, codec, table, item);
    return writer_end(&w);
}

struct slice index_key_partition(struct arena *arena, const struct key_codec *codec,
                                 const struct table_index *index, const struct value *hash_values) {
    struct key_writer w = writer_begin(arena, ITEM_KEY_PREFIX);
    append_partition(&w, codec, index, hash_values);
    return writer_end(&w);
}

struct slice index_key_sort(struct arena *arena, struct slice prefix, struct value sort_value) {
    struct key_writer w = writer_begin(arena, prefix.len + sort_bytes_max(sort_value));
    append(&w, prefix);
    append_sort(&w, sort_value);
    return writer_end(&w);
}

struct slice index_key_sort_start(struct arena *arena, struct slice prefix, struct value start) {
    struct key_writer w = writer_begin(arena, prefix.len + sort_bytes_max(start));
    append(&w, prefix);
    append_escaped(&w, value_scalar(start));
    return writer_end(&w);
}
