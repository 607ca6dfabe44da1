/* catalog_records.c - keys and values of the catalog's keyspace, besides the table definitions
 * (codec/catalog.h).
 *
 *   KEY                        VALUE
 *   "F"                        format record (format.c)
 *   "T", table name            table definition
 *   "B", index id (u32 be)     store key of the last item that a backfill has done (backfill.c)
 *   "I", "X"                   request tokens (token.h)
 *   "S", table id (u32 be)     version 1 (u8), item count (u64 le), size in bytes (u64 le)
 *   "D", table name, 0, label  a stream (stream.h)
 *   "K", ms, id                a backup (backup.h)
 *   "C", id                    a copy that is under way (copy.h)
 *   "H", table id, number      a definition before a change (history.h)
 *   "L"                        the last change's number (sequence.c) */
#include "base/bytes.h"
#include "engine/state.h"

enum { STATS_VERSION = 1, STATS_BYTES = 17 };

struct store_key catalog_table_key(struct arena *arena, struct slice name) {
    uint8_t *key = arena_alloc(arena, 1 + name.len);
    key[0] = 'T';
    memcpy(key + 1, name.data, name.len);
    return (struct store_key){KEYSPACE_CATALOG, slice_of(key, 1 + name.len)};
}

struct store_key catalog_stats_key(struct arena *arena, uint32_t table_id) {
    uint8_t *key = arena_alloc(arena, 5);
    key[0] = 'S';
    store_u32_be(key + 1, table_id);
    return (struct store_key){KEYSPACE_CATALOG, slice_of(key, 5)};
}

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
