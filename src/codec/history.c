/* history.c - see the header. Threads: any; no shared state. */
#include "codec/history.h"

#include "base/bytes.h"
#include "base/check.h"
#include "codec/item.h"
#include "codec/key.h"
#include "codec/summed.h"

enum { RECORD_HEADER = 3 }; /* behind version and checksum */

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
    size_t len = SUMMED_HEADER + RECORD_HEADER + record->item_key.len + record->stored.len;
    uint8_t *bytes = arena_alloc(arena, len);
    CHECK(record->item_key.len <= UINT16_MAX);
    uint8_t *head = bytes + SUMMED_HEADER, *rest = head + RECORD_HEADER;
    head[0] = slice_present(record->stored);
    head[1] = (uint8_t)record->item_key.len;
    head[2] = (uint8_t)(record->item_key.len >> 8);
    memcpy(rest, record->item_key.data, record->item_key.len);
    if (record->stored.len > 0)
        memcpy(rest + record->item_key.len, record->stored.data, record->stored.len);
    return summed_seal(bytes, len);
}

struct error *history_record_decode(struct arena *arena, struct slice bytes,
                                    struct history_record *ret_record) {
    static const char text[] = "a record of a table's history is damaged or of a newer version";
    struct slice head = summed_open(bytes);
    if (head.len < RECORD_HEADER || head.data[0] > 1)
        return error_local(arena, text);
    bool there = head.data[0] == 1;
    size_t key_len = (size_t)head.data[1] | (size_t)head.data[2] << 8;
    struct slice rest = slice_skip(head, RECORD_HEADER);
    if (key_len < ITEM_KEY_REST_MIN || key_len > rest.len)
        return error_local(arena, text);
    struct slice stored = slice_skip(rest, key_len);
    if (there ? stored.len < UNSUMMED_HEADER + ITEM_SIZE_BYTES : stored.len > 0)
        return error_local(arena, text);
    *ret_record = (struct history_record){slice_first(rest, key_len), there ? stored : SLICE_NONE};
    return NULL;
}
