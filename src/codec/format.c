/* format.c - see the header. Threads: any; no shared state. */
#include "codec/format.h"

#include "base/bytes.h"

enum { FORMAT_VERSION = 1, SECRET_AT = 1, NEXT_ID_AT = 17, FORMAT_BYTES = 21 };

struct slice format_encode(struct arena *arena, const struct format_record *record) {
    uint8_t *bytes = arena_alloc(arena, FORMAT_BYTES);
    bytes[0] = FORMAT_VERSION;
    memcpy(bytes + SECRET_AT, record->keys.secret, SIPHASH_KEY_BYTES);
    store_u32(bytes + NEXT_ID_AT, record->next_id);
    return slice_of(bytes, FORMAT_BYTES);
}

struct error *format_decode(struct arena *arena, struct slice bytes,
                            struct format_record *ret_record) {
    if (bytes.len > 0 && bytes.data[0] > FORMAT_VERSION)
        return error_local(
            arena,
            "the database has format %d, and this version of gramme knows formats up to "
            "%d: use a newer gramme",
            bytes.data[0], FORMAT_VERSION);
    if (bytes.len != FORMAT_BYTES || bytes.data[0] != FORMAT_VERSION)
        return error_local(arena, "the database is damaged: its format record cannot be read");
    memcpy(ret_record->keys.secret, bytes.data + SECRET_AT, SIPHASH_KEY_BYTES);
    ret_record->next_id = load_u32(bytes.data + NEXT_ID_AT);
    return NULL;
}
