/* series_points.c - see series_points.h. */
#include "cloudwatch/series_points.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/check.h"

enum { FIRST_ROOM = 2, BLOCK_HEAD = 5 };

uint32_t points_find(const struct points *points, int32_t minute) {
    uint32_t low = 0, high = points->count;
    if (high > 0 && points->list[high - 1].minute < minute)
        return high; /* mostly it is the newest */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (points->list[middle].minute < minute)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct point *points_at(struct points *points, int32_t minute) {
    uint32_t at = points_find(points, minute);
    if (at < points->count && points->list[at].minute == minute)
        return &points->list[at];
    if (points->count == points->room) {
        points->room = points->room == 0 ? FIRST_ROOM : points->room * 2;
        points->list = realloc(points->list, points->room * sizeof(*points->list));
        CHECK(points->list != NULL);
    }
    memmove(points->list + at + 1, points->list + at, (points->count - at) * sizeof(*points->list));
    points->list[at] = (struct point){.minute = minute};
    points->count++;
    return &points->list[at];
}

void points_release(struct points *points) {
    for (uint32_t i = 0; i < points->count; i++)
        sample_release(&points->list[i].sample);
    free(points->list);
    *points = (struct points){0};
}

void block_begin(struct buffer *out, uint32_t turn) {
    uint8_t head[BLOCK_HEAD] = {SERIES_BLOCK_VERSION};
    store_u32(head + 1, turn);
    buffer_append(out, head, sizeof(head));
}

void block_put(struct buffer *out, const struct point *point) {
    uint8_t minute[4];
    store_u32(minute, (uint32_t)point->minute);
    buffer_append(out, minute, sizeof(minute));
    sample_encode(&point->sample, out);
}

bool block_open(struct slice *bytes, uint32_t *ret_turn) {
    if (bytes->len < BLOCK_HEAD || bytes->data[0] != SERIES_BLOCK_VERSION)
        return false;
    *ret_turn = load_u32(bytes->data + 1);
    *bytes = slice_skip(*bytes, BLOCK_HEAD);
    return true;
}

bool block_next(struct slice *bytes, struct point *point) {
    if (bytes->len < 4)
        return false;
    uint32_t minute = load_u32(bytes->data);
    *bytes = slice_skip(*bytes, 4);
    point->minute = (int32_t)minute;
    return minute <= INT32_MAX && sample_decode(bytes, &point->sample);
}
