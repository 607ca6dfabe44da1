/* sequence.c - see the header. Threads: any; no shared state. */
#include "codec/sequence.h"

#include "base/bytes.h"

enum { SEQUENCE_VERSION = 1, SEQUENCE_BYTES = 9 };

struct slice sequence_encode(struct arena *arena, uint64_t number) {
    uint8_t *bytes = arena_alloc(arena, SEQUENCE_BYTES);
    bytes[0] = SEQUENCE_VERSION;
    store_u64(bytes + 1, number);
    return slice_of(bytes, SEQUENCE_BYTES);
}

struct error *sequence_decode(struct arena *arena, struct slice bytes, uint64_t *ret_number) {
    if (!slice_present(bytes)) {
        *ret_number = 0;
        return NULL;
    }
    if (bytes.len != SEQUENCE_BYTES || bytes.data[0] != SEQUENCE_VERSION)
        return error_local(arena, "the record of the last change is damaged or of a newer version");
    *ret_number = load_u64(bytes.data + 1);
    return NULL;
}
