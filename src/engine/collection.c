/* collection.c - counting item collections. Threads: commit thread. */
#include "engine/collection.h"

#include "base/bytes.h"
#include "model/index_key.h"

enum { COLLECTION_VERSION = 1, COLLECTION_BYTES = 9 };

struct store_key collection_key(struct slice item_key) {
    return (struct store_key){KEYSPACE_INDEXES, slice_of(item_key.data, ITEM_KEY_PREFIX)};
}

uint64_t collection_bytes_of(const struct table_definition *table, struct slice stored) {
    if (!slice_present(stored))
        return 0;
    return index_local_bytes(table, value_from_slice(slice_skip(stored, ITEM_HEADER)),
                             load_u32(stored.data + 1));
}

struct error *collection_decode(struct arena *arena, struct slice record, uint64_t *ret_bytes) {
    *ret_bytes = 0;
    if (!slice_present(record))
        return NULL;
    if (record.len != COLLECTION_BYTES || record.data[0] != COLLECTION_VERSION)
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                         "the record of an item collection is damaged or of a newer version");
    *ret_bytes = load_u64(record.data + 1);
    return NULL;
}

struct slice collection_encode(struct arena *arena, uint64_t bytes) {
    uint8_t *record = arena_alloc(arena, COLLECTION_BYTES);
    record[0] = COLLECTION_VERSION;
    store_u64(record + 1, bytes);
    return slice_of(record, COLLECTION_BYTES);
}

struct error *collection_change(const struct engine *engine, struct arena *arena,
                                struct slot *collection, struct slice before, struct slice after,
                                uint64_t *ret_bytes) {
    const struct table_definition *table = &collection->table->definition;
    uint64_t now;
    TRY(collection_decode(arena, collection->current, &now));
    uint64_t removed = collection_bytes_of(table, before);
    uint64_t added = collection_bytes_of(table, after);
    uint64_t changed = now - removed + added;
    if (added > removed && changed > engine->options.collection_bytes_max)
        return error_new(arena, ERROR_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED,
                         "Collection size exceeded.");
    *ret_bytes = changed;
    if (changed == now)
        return NULL;
    collection->current = changed == 0 ? SLICE_NONE : collection_encode(arena, changed);
    return NULL;
}
