/* collection.c - see the header. Threads: any; no shared state. */
#include "codec/collection.h"

#include "base/bytes.h"

enum { COLLECTION_VERSION = 1, COLLECTION_BYTES = 9 };

struct slice collection_encode(struct arena *arena, uint64_t size_bytes) {
    uint8_t *bytes = arena_alloc(arena, COLLECTION_BYTES);
    bytes[0] = COLLECTION_VERSION;
    store_u64(bytes + 1, size_bytes);
    return slice_of(bytes, COLLECTION_BYTES);
}

struct error *collection_decode(struct arena *arena, struct slice bytes, uint64_t *ret_size_bytes) {
    if (!slice_present(bytes)) {
        *ret_size_bytes = 0;
        return NULL;
    }
    if (bytes.len != COLLECTION_BYTES || bytes.data[0] != COLLECTION_VERSION)
        return error_local(arena,
                           "the record of an item collection is damaged or of a newer version");
    *ret_size_bytes = load_u64(bytes.data + 1);
    return NULL;
}
