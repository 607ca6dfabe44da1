/* index_entry.c - projecting stored items. Threads: any; no shared state. */
#include "codec/index_entry.h"

#include "base/bytes.h"
#include "model/index_key.h"

/* The item's entries are in order, so copying them one by one keeps the form canonical. */
struct slice index_entry_encode(struct arena *arena, const struct table_definition *table,
                                const struct table_index *index, struct slice stored) {
    if (index->projection == PROJECT_ALL)
        return stored;
    uint8_t *bytes = arena_alloc(arena, ITEM_HEADER + stored_item_value(stored).len);
    uint8_t *map = bytes + ITEM_HEADER, *next = map + CONTAINER_HEADER;
    uint32_t count = 0, size = 0;
    struct value_iter iter;
    value_iter_init(&iter, stored_item_value(stored));
    for (const uint8_t *entry = iter.next; value_iter_next(&iter); entry = iter.next) {
        if (!index_projects(table, index, iter.name))
            continue;
        size_t len = (size_t)(iter.next - entry);
        memcpy(next, entry, len);
        next += len;
        count++;
        size += (uint32_t)(iter.name.len + value_size(iter.value));
    }
    map[0] = VALUE_M;
    store_u32(map + 1, (uint32_t)(next - map) - CONTAINER_HEADER);
    store_u32(map + 5, count);
    return item_seal(bytes, (size_t)(next - bytes), size);
}
