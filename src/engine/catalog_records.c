/* catalog_records.c - the statistics of a table or an index: version 1 (u8), item count (u64 le),
 * size in bytes (u64 le). */
#include "base/bytes.h"
#include "engine/state.h"

enum { STATS_VERSION = 1, STATS_BYTES = 17 };

struct slice catalog_stats_encode(struct arena *arena, int64_t item_count, int64_t size_bytes) {
    uint8_t *bytes = arena_alloc(arena, STATS_BYTES);
    bytes[0] = STATS_VERSION;
    store_u64(bytes + 1, (uint64_t)item_count);
    store_u64(bytes + 9, (uint64_t)size_bytes);
    return slice_of(bytes, STATS_BYTES);
}

struct error *catalog_stats_decode(struct arena *arena, struct slice bytes, int64_t *ret_item_count,
                                   int64_t *ret_size_bytes) {
    if (bytes.len != STATS_BYTES || bytes.data[0] != STATS_VERSION)
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                         "the statistics of a table are damaged or of a newer version");
    *ret_item_count = (int64_t)load_u64(bytes.data + 1);
    *ret_size_bytes = (int64_t)load_u64(bytes.data + 9);
    return NULL;
}
