/* statistics.c - see the header. Threads: any; no shared state. */
#include "codec/statistics.h"

#include "base/bytes.h"

enum { STATISTICS_VERSION = 1, STATISTICS_BYTES = 17 };

struct slice statistics_encode(struct arena *arena, int64_t item_count, int64_t size_bytes) {
    uint8_t *bytes = arena_alloc(arena, STATISTICS_BYTES);
    bytes[0] = STATISTICS_VERSION;
    store_u64(bytes + 1, (uint64_t)item_count);
    store_u64(bytes + 9, (uint64_t)size_bytes);
    return slice_of(bytes, STATISTICS_BYTES);
}

struct error *statistics_decode(struct arena *arena, struct slice bytes, int64_t *ret_item_count,
                                int64_t *ret_size_bytes) {
    if (bytes.len != STATISTICS_BYTES || bytes.data[0] != STATISTICS_VERSION)
        return error_local(arena, "the statistics of a table are damaged or of a newer version");
    *ret_item_count = (int64_t)load_u64(bytes.data + 1);
    *ret_size_bytes = (int64_t)load_u64(bytes.data + 9);
    return NULL;
}
