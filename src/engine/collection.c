/* collection.c - counting item collections. Threads: commit thread. */
#include "engine/collection.h"

#include "codec/collection.h"
#include "engine/keyspaces.h"
#include "model/index_key.h"

struct store_key collection_key(struct slice item_key) {
    return (struct store_key){KEYSPACE_INDEXES, key_partition(item_key)};
}

uint64_t collection_bytes_of(const struct table_definition *table, struct slice stored) {
    if (!slice_present(stored))
        return 0;
    return index_local_bytes(table, stored_item_value(stored), stored_item_size(stored));
}

struct error *collection_change(struct arena *arena, struct slot *collection, struct slice before,
                                struct slice after, uint64_t bytes_max, uint64_t *ret_bytes) {
    const struct table_definition *table = &collection->table->definition;
    uint64_t now;
    TRY(collection_decode(arena, collection->current, &now));
    uint64_t removed = collection_bytes_of(table, before);
    uint64_t added = collection_bytes_of(table, after);
    uint64_t changed = now - removed + added;
    if (added > removed && changed > bytes_max)
        return error_new(arena, ERROR_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED,
                         "Collection size exceeded.");
    *ret_bytes = changed;
    if (changed == now)
        return NULL;
    collection->current = changed == 0 ? SLICE_NONE : collection_encode(arena, changed);
    return NULL;
}
