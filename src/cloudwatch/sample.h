/* sample.h - what was measured in a stretch of time: how often, how much, and how it is spread.
 *
 * A sample is its sum, count, minimum and maximum, and where it is known a distribution: buckets
 * of values, each SAMPLE_GROWTH times as high as the one below it, so that percentiles come out
 * within 2.5 %. All values being the same needs no buckets. It is not known when a sample was given
 * as statistics only, and as in the service when a value is negative; a sample that such a one is
 * merged into has none any more.
 *
 * Memory: a sample owns its buckets, which sample_release() frees, unless it was made with an
 * arena. A zeroed sample is an empty one. */
#ifndef GRAMME_CLOUDWATCH_SAMPLE_H
#define GRAMME_CLOUDWATCH_SAMPLE_H

#include "base/arena.h"
#include "base/buffer.h"

enum { SAMPLE_BUCKETS_MAX = 160 };
#define SAMPLE_GROWTH 1.05

/* Values from SAMPLE_GROWTH to the power of `place` up to the next. */
struct sample_bucket {
    int16_t place; /* SAMPLE_ZERO: exactly 0 */
    float weight;
};

enum { SAMPLE_ZERO = INT16_MIN };

struct sample {
    double sum;
    double count;
    double min; /* not looked at while count is 0, as max */
    double max;
    struct arena *arena; /* of the buckets; NULL: the heap */
    struct sample_bucket *buckets;
    uint16_t bucket_count; /* 0: all values are `min`, or how they are spread is not known */
    uint16_t bucket_room;
};

/* A value that came `times` times (above 0). */
void sample_observe(struct sample *sample, double value, double times);
/* Adds `from`, which stays as it is. */
void sample_merge(struct sample *sample, const struct sample *from);
void sample_release(struct sample *sample);

/* The value that `percent` of all are not above. False: there is none, or it cannot be known. */
bool sample_percentile(const struct sample *sample, double percent, double *ret_value);
/* What of it lies between two percentiles (0 to 100): how many values and their sum. */
bool sample_between(const struct sample *sample, double low, double high, double *ret_count,
                    double *ret_sum);
/* How many values are within the bounds, both included. */
bool sample_within(const struct sample *sample, double low, double high, double *ret_count);

/* As bytes:
 *   SIZE  MEANING
 *   1     bit 0: it is one value; bit 1: there are buckets
 *   8     that value; or 4 x 8: sum, count, min, max
 *   1     with bit 1: how many buckets, then of each, in order: 2 place, 4 weight (float)
 * all little-endian. */
void sample_encode(const struct sample *sample, struct buffer *out);
/* Takes it off the front of *bytes; the buckets are where sample->arena says. False: it is none. */
bool sample_decode(struct slice *bytes, struct sample *sample);
/* What it takes in memory besides itself. */
static inline size_t sample_bytes(const struct sample *sample) {
    return sample->bucket_room * sizeof(*sample->buckets);
}

#endif
