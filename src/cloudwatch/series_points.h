/* series_points.h - samples by the minute, in order; and as the bytes of a block.
 *
 * Private to this folder. Memory: points own their samples. */
#ifndef GRAMME_CLOUDWATCH_SERIES_POINTS_H
#define GRAMME_CLOUDWATCH_SERIES_POINTS_H

#include "cloudwatch/sample.h"

enum { SERIES_BLOCK_VERSION = 1 };

struct point {
    int32_t minute; /* since 1970 */
    bool dirty;     /* changed since it was written to the journal */
    struct sample sample;
};

struct points {
    struct point *list; /* by minute, each once */
    uint32_t count;
    uint32_t room;
};

/* That of the minute, made when there is none. Valid until the next call. */
struct point *points_at(struct points *points, int32_t minute);
/* The first at or after the minute; may be points->count. */
uint32_t points_find(const struct points *points, int32_t minute);
void points_release(struct points *points);

/* A block: the points of a series in a stretch of time.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version, 1
 *   1       4     the turn (series_records.h) whose points are in it already
 *   5             of each point: 4 minute, then its sample (sample.h)
 * all little-endian. */
void block_begin(struct buffer *out, uint32_t turn);
void block_put(struct buffer *out, const struct point *point);
/* Takes the head off. False: it is no block. */
bool block_open(struct slice *bytes, uint32_t *ret_turn);
/* Takes a point off; its buckets are where its arena says. False: there is none. */
bool block_next(struct slice *bytes, struct point *point);

#endif
