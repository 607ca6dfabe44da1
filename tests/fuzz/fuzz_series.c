/* fuzz_series.c - any bytes as a stored metric, and as a block of points: they are refused, or read
 * as something that is written as the same bytes. */
#include "cloudwatch/metric.h"
#include "cloudwatch/series_points.h"
#include "fuzz.h"

enum { BLOCK_BYTES_MAX = 1 << 24 };

static void try_metric(struct arena *arena, struct slice bytes) {
    struct metric metric, again;
    if (!metric_decode(arena, bytes, &metric))
        return;
    struct slice encoded = metric_encode(arena, &metric); /* lengths may be longer than need be */
    CHECK(metric_decode(arena, encoded, &again));
    CHECK(slice_equal(encoded, metric_encode(arena, &again)));
}

static void try_block(struct arena *arena, struct slice bytes) {
    CLEANUP(buffer_release) struct buffer out;
    struct point point = {.sample.arena = arena};
    struct slice rest = bytes;
    uint32_t turn;
    buffer_init(&out, BLOCK_BYTES_MAX);
    if (!block_open(&rest, &turn))
        return;
    block_begin(&out, turn);
    struct sample sum = {.arena = arena};
    size_t taken = bytes.len - rest.len;
    while (block_next(&rest, &point)) {
        double n;
        struct slice before = slice_of(bytes.data + taken, bytes.len - rest.len - taken);
        size_t len = out.len;
        block_put(&out, &point);
        bool same = slice_equal(before, slice_of(out.data + len, out.len - len));
        /* One value may be written in full, too. */
        CHECK(same || (point.sample.count == 1 && point.sample.min == point.sample.max));
        taken = bytes.len - rest.len;
        sample_merge(&sum, &point.sample);
        sample_percentile(&point.sample, 99, &n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    arena_init(&arena);
    try_metric(&arena, slice_of(data, size));
    try_block(&arena, slice_of(data, size));
    arena_release(&arena);
    return 0;
}
