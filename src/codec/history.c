/* history.c - see the header. Threads: any; no shared state. */
#include "codec/history.h"

#include "base/bytes.h"
#include "base/check.h"
#include "codec/item.h"
#include "codec/key.h"

enum { RECORD_VERSION = 1, RECORD_HEADER = 4 };

struct slice history_key(struct arena *arena, uint32_t table_id, uint64_t sequence) {
    uint8_t *key = arena_alloc(arena, HISTORY_KEY_BYTES);
    store_u32_be(key, table_id);
    store_u64_be(key + 4, sequence);
    return slice_of(key, HISTORY_KEY_BYTES);
}

uint64_t history_key_sequence(struct slice key) {
    CHECK(key.len == HISTORY_KEY_BYTES);
    return load_u64_be(key.data + 4);
}

struct slice history_record_encode(struct arena *arena, const struct history_record *record) {
    size_t len = RECORD_HEADER + record->item_key.len + record->stored.len;
    uint8_t *bytes = arena_alloc(arena, len);
    CHECK(record->item_key.len <= UINT16_MAX);
    bytes[0] = RECORD_VERSION;
    bytes[1] = slice_present(record->stored);
    bytes[2] = (uint8_t)record->item_key.len;
    bytes[3] = (uint8_t)(record->item_key.len >> 8);
    uint8_t *rest = bytes + RECORD_HEADER;
    memcpy(rest, record->item_key.data, record->item_key.len);
    if (record->stored.len > 0)
        memcpy(rest + record->item_key.len, record->stored.data, record->stored.len);
    return slice_of(bytes, len);
}

struct error *history_record_decode(struct arena *arena, struct slice bytes,
                                    struct history_record *ret_record) {
    static const char text[] = "a record of a table's history is damaged or of a newer version";
    if (bytes.len < RECORD_HEADER || bytes.data[0] != RECORD_VERSION || bytes.data[1] > 1)
        return error_local(arena, text);
    bool there = bytes.data[1] == 1;
    size_t key_len = (size_t)bytes.data[2] | (size_t)bytes.data[3] << 8;
    struct slice rest = slice_skip(bytes, RECORD_HEADER);
    if (key_len < ITEM_KEY_REST_MIN || key_len > rest.len)
        return error_local(arena, text);
    struct slice stored = slice_skip(rest, key_len);
    if (there ? stored.len < ITEM_HEADER : stored.len > 0)
        return error_local(arena, text);
    *ret_record =
        (struct history_record){slice_of(rest.data, key_len), there ? stored : SLICE_NONE};
    return NULL;
}
