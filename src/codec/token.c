/* token.c - see the header. Threads: any; no shared state. */
#include "codec/token.h"

#include "base/bytes.h"
#include "base/check.h"

enum {
    TOKEN_VERSION = 1,
    FINGERPRINT_AT = 9,
    SIZES_AT = FINGERPRINT_AT + TOKEN_FINGERPRINT_BYTES,
};

struct slice token_encode(struct arena *arena, const struct token_record *record) {
    size_t len = SIZES_AT + 4 * record->size_count;
    uint8_t *bytes = arena_alloc(arena, len);
    CHECK(record->fingerprint.len == TOKEN_FINGERPRINT_BYTES);
    bytes[0] = TOKEN_VERSION;
    store_u64(bytes + 1, record->end_ms);
    memcpy(bytes + FINGERPRINT_AT, record->fingerprint.data, TOKEN_FINGERPRINT_BYTES);
    for (size_t i = 0; i < record->size_count; i++)
        store_u32(bytes + SIZES_AT + 4 * i, record->sizes[i]);
    return slice_of(bytes, len);
}

static const uint32_t *decode_sizes(struct arena *arena, struct slice bytes, size_t count) {
    uint32_t *sizes = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        sizes[i] = load_u32(bytes.data + 4 * i);
    return sizes;
}

struct error *token_decode(struct arena *arena, struct slice bytes,
                           struct token_record *ret_record) {
    if (!slice_present(bytes)) {
        *ret_record = (struct token_record){.end_ms = 0};
        return NULL;
    }
    if (bytes.len < SIZES_AT || bytes.data[0] != TOKEN_VERSION)
        return error_local(arena, "the record of a request token is damaged or of a newer version");
    size_t size_count = (bytes.len - SIZES_AT) / 4;
    *ret_record = (struct token_record){
        .end_ms = load_u64(bytes.data + 1),
        .fingerprint = slice_part(bytes, FINGERPRINT_AT, TOKEN_FINGERPRINT_BYTES),
        .sizes = decode_sizes(arena, slice_skip(bytes, SIZES_AT), size_count),
        .size_count = size_count,
    };
    return NULL;
}
