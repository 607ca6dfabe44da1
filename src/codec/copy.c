/* copy.c - see the header. Threads: any; no shared state. */
#include "codec/copy.h"

#include "base/bytes.h"
#include "base/check.h"
#include "codec/key.h"

enum { COPY_VERSION = 1, COPY_HEADER = 51, CURSOR_NUMBER_BYTES = 8 };

struct slice copy_state_encode(struct arena *arena, const struct copy_state *state) {
    size_t len = COPY_HEADER + state->cursor.len;
    uint8_t *bytes = arena_alloc(arena, len);
    bytes[0] = COPY_VERSION;
    bytes[1] = (uint8_t)state->kind;
    bytes[2] = (uint8_t)state->phase;
    store_u32(bytes + 3, state->source);
    store_u32(bytes + 7, state->target);
    store_u64(bytes + 11, (uint64_t)state->backup_ms);
    store_u64(bytes + 19, state->until);
    store_u64(bytes + 27, (uint64_t)state->items_expected);
    store_u64(bytes + 35, (uint64_t)state->item_count);
    store_u64(bytes + 43, (uint64_t)state->size_bytes);
    if (state->cursor.len > 0)
        memcpy(bytes + COPY_HEADER, state->cursor.data, state->cursor.len);
    return slice_of(bytes, len);
}

static bool cursor_fits(enum copy_phase phase, struct slice cursor) {
    if (phase == COPY_UNDO)
        return cursor.len == CURSOR_NUMBER_BYTES;
    return cursor.len == 0 || cursor.len >= ITEM_KEY_REST_MIN;
}

struct error *copy_state_decode(struct arena *arena, struct slice bytes,
                                struct copy_state *ret_state) {
    static const char text[] = "the record of a copy is damaged or of a newer version";
    if (bytes.len < COPY_HEADER || bytes.data[0] != COPY_VERSION || bytes.data[1] == COPY_NONE ||
        bytes.data[1] > COPY_RESTORE_TABLE || bytes.data[2] > COPY_BUILD)
        return error_local(arena, text);
    struct copy_state state = {
        .kind = (enum copy_kind)bytes.data[1],
        .phase = (enum copy_phase)bytes.data[2],
        .source = load_u32(bytes.data + 3),
        .target = load_u32(bytes.data + 7),
        .backup_ms = (int64_t)load_u64(bytes.data + 11),
        .until = load_u64(bytes.data + 19),
        .items_expected = (int64_t)load_u64(bytes.data + 27),
        .item_count = (int64_t)load_u64(bytes.data + 35),
        .size_bytes = (int64_t)load_u64(bytes.data + 43),
        .cursor = slice_skip(bytes, COPY_HEADER),
    };
    if (!cursor_fits(state.phase, state.cursor))
        return error_local(arena, text);
    *ret_state = state;
    return NULL;
}

struct slice copy_cursor_encode(struct arena *arena, uint64_t number) {
    uint8_t *bytes = arena_alloc(arena, CURSOR_NUMBER_BYTES);
    store_u64_be(bytes, number);
    return slice_of(bytes, CURSOR_NUMBER_BYTES);
}

uint64_t copy_cursor_number(struct slice cursor) {
    CHECK(cursor.len == CURSOR_NUMBER_BYTES);
    return load_u64_be(cursor.data);
}
