/* bundle.c - see bundle.h. */
#include "publish/bundle.h"

#include "base/bytes.h"
#include "base/check.h"

enum { VERSION = 1, HEAD_BYTES = 12 };

void bundle_put(struct buffer *bundle, const struct metric *metric, int64_t time_ms,
                const struct sample *sample) {
    struct arena CLEANUP(arena_release) scratch;
    uint8_t head[HEAD_BYTES];
    size_t before = bundle->len;
    arena_init(&scratch);
    if (bundle->overflow)
        return;
    struct slice key = metric_encode(&scratch, metric);
    if (bundle->len == 0)
        buffer_append_byte(bundle, VERSION);
    store_u64(head, (uint64_t)time_ms);
    store_u32(head + 8, (uint32_t)key.len);
    buffer_append(bundle, head, sizeof(head));
    buffer_append_slice(bundle, key);
    sample_encode(sample, bundle);
    if (bundle->overflow)
        bundle->len = before;
}

static bool open_one(struct arena *arena, struct slice *bytes, struct series_store *series) {
    struct metric metric;
    struct sample sample = {.arena = arena};
    if (bytes->len < HEAD_BYTES)
        return false;
    int64_t time_ms = (int64_t)load_u64(bytes->data);
    uint32_t len = load_u32(bytes->data + 8);
    *bytes = slice_skip(*bytes, HEAD_BYTES);
    if (len > bytes->len || !metric_decode(arena, slice_first(*bytes, len), &metric))
        return false;
    *bytes = slice_skip(*bytes, len);
    if (!sample_decode(bytes, &sample))
        return false;
    series_add(series, &metric, time_ms, &sample);
    return true;
}

bool bundle_open(struct slice bytes, struct series_store *series) {
    struct arena CLEANUP(arena_release) arena;
    bool fine = bytes.len == 0 || bytes.data[0] == VERSION;
    arena_init(&arena);
    bytes = bytes.len == 0 ? bytes : slice_skip(bytes, 1);
    while (fine && bytes.len > 0) {
        struct arena_mark mark = arena_mark(&arena);
        fine = open_one(&arena, &bytes, series);
        arena_rewind(&arena, mark);
    }
    return fine;
}
