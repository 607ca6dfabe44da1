/* index.c - projecting items and comparing what comes out. Threads: any; memory: the arena that is
 * given. */
#include "engine/index.h"

#include "codec/index_key.h"
#include "model/index_key.h"

/* ---- entries ---- */

/* The projected attributes, stored. The item's entries are in order, so copying them one by one
 * keeps the form canonical. */
static struct slice project(struct arena *arena, const struct table_definition *table,
                            const struct table_index *index, struct value item) {
    uint8_t *bytes = arena_alloc(arena, ITEM_HEADER + item.len);
    uint8_t *next = bytes + ITEM_HEADER + CONTAINER_HEADER;
    uint32_t count = 0, size = 0;
    struct value_iter iter;
    value_iter_init(&iter, item);
    for (const uint8_t *entry = iter.next; value_iter_next(&iter); entry = iter.next) {
        if (!index_projects(table, index, iter.name))
            continue;
        size_t len = (size_t)(iter.next - entry);
        memcpy(next, entry, len);
        next += len;
        count++;
        size += (uint32_t)(iter.name.len + value_size(iter.value));
    }
    uint8_t *map = bytes + ITEM_HEADER;
    bytes[0] = ITEM_VERSION;
    store_u32(bytes + 1, size);
    map[0] = VALUE_M;
    store_u32(map + 1, (uint32_t)(next - map) - CONTAINER_HEADER);
    store_u32(map + 5, count);
    return slice_of(bytes, (size_t)(next - bytes));
}

struct index_entry index_entry_of(struct arena *arena, const struct key_codec *codec,
                                  const struct table_definition *table,
                                  const struct table_index *index, struct slice stored) {
    struct index_entry entry = {SLICE_NONE, SLICE_NONE};
    if (!slice_present(stored))
        return entry;
    struct value item = value_from_slice(slice_skip(stored, ITEM_HEADER));
    entry.key = index_key_encode(arena, codec, table, index, item);
    if (!slice_present(entry.key))
        return entry;
    entry.stored = index->projection == PROJECT_ALL ? stored : project(arena, table, index, item);
    return entry;
}

uint64_t index_entry_size(const struct index_entry *entry) {
    return slice_present(entry->key) ? load_u32(entry->stored.data + 1) : 0;
}

struct index_difference index_difference_of(struct arena *arena, const struct key_codec *codec,
                                            const struct table_definition *table,
                                            const struct table_index *index, struct slice before,
                                            struct slice after) {
    struct index_difference difference = {
        .before = index_entry_of(arena, codec, table, index, before),
        .after = index_entry_of(arena, codec, table, index, after),
    };
    bool was = slice_present(difference.before.key), is = slice_present(difference.after.key);
    difference.key_changed = was && is && !slice_equal(difference.before.key, difference.after.key);
    difference.identical = was == is && !difference.key_changed &&
                           (!is || slice_equal(difference.before.stored, difference.after.stored));
    return difference;
}
