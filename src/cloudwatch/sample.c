/* sample.c - see sample.h. */
#include "cloudwatch/sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/check.h"

enum { FIRST_ROOM = 8, ONE_VALUE = 1, WITH_BUCKETS = 2, PLACE_LIMIT = 16000 };

/* ---- buckets ---- */

static int16_t place_of(double value) {
    if (value <= 0)
        return SAMPLE_ZERO;
    double place = floor(log(value) / log(SAMPLE_GROWTH));
    return (int16_t)(place < -PLACE_LIMIT  ? -PLACE_LIMIT
                     : place > PLACE_LIMIT ? PLACE_LIMIT
                                           : place);
}

static double bottom_of(int place) {
    return place == SAMPLE_ZERO ? 0 : pow(SAMPLE_GROWTH, place);
}

static double top_of(int place) {
    return place == SAMPLE_ZERO ? 0 : pow(SAMPLE_GROWTH, place + 1);
}

static void grow(struct sample *sample) {
    uint32_t room = sample->bucket_room == 0 ? FIRST_ROOM : sample->bucket_room * 2u;
    if (room > SAMPLE_BUCKETS_MAX)
        room = SAMPLE_BUCKETS_MAX;
    if (sample->arena == NULL) {
        sample->buckets = realloc(sample->buckets, room * sizeof(*sample->buckets));
        CHECK(sample->buckets != NULL);
    } else {
        struct sample_bucket *wider = ARENA_ARRAY(sample->arena, struct sample_bucket, room);
        if (sample->bucket_count > 0)
            memcpy(wider, sample->buckets, sample->bucket_count * sizeof(*wider));
        sample->buckets = wider;
    }
    sample->bucket_room = (uint16_t)room;
}

/* The first bucket that is not below the place. */
static uint16_t find(const struct sample *sample, int16_t place) {
    uint16_t low = 0, high = sample->bucket_count;
    while (low < high) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (sample->buckets[middle].place < place)
            low = (uint16_t)(middle + 1);
        else
            high = middle;
    }
    return low;
}

/* When there are too many, the nearest above takes it, or the last. */
static void put(struct sample *sample, int16_t place, double weight) {
    uint16_t at = find(sample, place);
    if (at < sample->bucket_count && sample->buckets[at].place == place) {
        sample->buckets[at].weight += (float)weight;
        return;
    }
    if (sample->bucket_count == SAMPLE_BUCKETS_MAX) {
        at = at < sample->bucket_count ? at : (uint16_t)(at - 1);
        sample->buckets[at].weight += (float)weight;
        return;
    }
    if (sample->bucket_count == sample->bucket_room)
        grow(sample);
    memmove(sample->buckets + at + 1, sample->buckets + at,
            (size_t)(sample->bucket_count - at) * sizeof(*sample->buckets));
    sample->buckets[at] = (struct sample_bucket){place, (float)weight};
    sample->bucket_count++;
}

/* ---- adding ---- */

/* All values are one, and one that has a place. */
static bool is_uniform(const struct sample *sample) {
    return sample->bucket_count == 0 && sample->min == sample->max && sample->min >= 0;
}

static bool is_spread_known(const struct sample *sample) {
    return sample->bucket_count > 0 || is_uniform(sample);
}

static void put_all(struct sample *sample, const struct sample *from) {
    if (from->bucket_count == 0)
        put(sample, place_of(from->min), from->count);
    for (uint16_t i = 0; i < from->bucket_count; i++)
        put(sample, from->buckets[i].place, from->buckets[i].weight);
}

static void merge_spread(struct sample *sample, const struct sample *from) {
    if (!is_spread_known(sample) || !is_spread_known(from)) {
        sample->bucket_count = 0;
        return;
    }
    if (is_uniform(sample) && is_uniform(from) && sample->min == from->min)
        return;
    if (sample->bucket_count == 0)
        put(sample, place_of(sample->min), sample->count);
    put_all(sample, from);
}

void sample_merge(struct sample *sample, const struct sample *from) {
    if (from->count <= 0)
        return;
    if (sample->count <= 0) {
        sample->min = from->min;
        sample->max = from->max;
        sample->sum = sample->count = 0;
        sample->bucket_count = 0;
        if (from->bucket_count > 0)
            put_all(sample, from);
    } else {
        merge_spread(sample, from);
    }
    sample->sum += from->sum;
    sample->count += from->count;
    sample->min = fmin(sample->min, from->min);
    sample->max = fmax(sample->max, from->max);
}

void sample_observe(struct sample *sample, double value, double times) {
    struct sample one = {.sum = value * times, .count = times, .min = value, .max = value};
    sample_merge(sample, &one);
}

void sample_release(struct sample *sample) {
    if (sample->arena == NULL)
        free(sample->buckets);
    sample->buckets = NULL;
    sample->bucket_count = sample->bucket_room = 0;
}

/* ---- asking ---- */

static double clamp(const struct sample *sample, double value) {
    return fmax(sample->min, fmin(sample->max, value));
}

static double weigh(const struct sample *sample) {
    double weight = 0;
    for (uint16_t i = 0; i < sample->bucket_count; i++)
        weight += (double)sample->buckets[i].weight;
    return weight;
}

bool sample_percentile(const struct sample *sample, double percent, double *ret_value) {
    if (sample->count <= 0 || !is_spread_known(sample))
        return false;
    double below = 0, rank = percent / 100 * weigh(sample);
    *ret_value = percent <= 0 ? sample->min : sample->max;
    for (uint16_t i = 0; percent > 0 && percent < 100 && i < sample->bucket_count; i++) {
        const struct sample_bucket *bucket = &sample->buckets[i];
        double weight = (double)bucket->weight, bottom = bottom_of(bucket->place);
        if (below + weight >= rank) {
            *ret_value = clamp(sample, bottom + (top_of(bucket->place) - bottom) *
                                                    (weight > 0 ? (rank - below) / weight : 0));
            break;
        }
        below += weight;
    }
    return true;
}

bool sample_between(const struct sample *sample, double low, double high, double *ret_count,
                    double *ret_sum) {
    double all = sample->count, below = 0, count = 0, sum = 0;
    if (all <= 0 || !is_spread_known(sample))
        return false;
    if (sample->bucket_count == 0) {
        *ret_count = all * (high - low) / 100;
        *ret_sum = *ret_count * sample->min;
        return true;
    }
    all = weigh(sample);
    for (uint16_t i = 0; i < sample->bucket_count; i++) {
        const struct sample_bucket *bucket = &sample->buckets[i];
        double from = fmax(below, all * low / 100);
        double to = fmin(below + (double)bucket->weight, all * high / 100);
        double middle = (bottom_of(bucket->place) + top_of(bucket->place)) / 2;
        if (to > from) {
            count += to - from;
            sum += (to - from) * clamp(sample, middle);
        }
        below += (double)bucket->weight;
    }
    *ret_count = count;
    *ret_sum = sum;
    return true;
}

bool sample_within(const struct sample *sample, double low, double high, double *ret_count) {
    double count = 0;
    if (sample->count <= 0 || !is_spread_known(sample))
        return false;
    if (sample->bucket_count == 0)
        count = sample->min >= low && sample->min <= high ? sample->count : 0;
    for (uint16_t i = 0; i < sample->bucket_count; i++) {
        const struct sample_bucket *bucket = &sample->buckets[i];
        double bottom = clamp(sample, bottom_of(bucket->place));
        double top = clamp(sample, top_of(bucket->place));
        double from = fmax(bottom, low), to = fmin(top, high);
        if (to >= from)
            count += (double)bucket->weight * (top > bottom ? (to - from) / (top - bottom) : 1);
    }
    *ret_count = count;
    return true;
}

/* ---- as bytes ---- */

static void put_double(struct buffer *out, double n) {
    uint64_t bits;
    uint8_t bytes[8];
    memcpy(&bits, &n, sizeof(bits));
    store_u64(bytes, bits);
    buffer_append(out, bytes, sizeof(bytes));
}

static bool is_one_value(const struct sample *sample) {
    return sample->count == 1 && sample->sum == sample->min && sample->min == sample->max;
}

void sample_encode(const struct sample *sample, struct buffer *out) {
    bool one = is_one_value(sample), buckets = !one && sample->bucket_count > 0;
    buffer_append_byte(out, (uint8_t)((one ? ONE_VALUE : 0) | (buckets ? WITH_BUCKETS : 0)));
    put_double(out, sample->sum);
    if (one)
        return;
    put_double(out, sample->count);
    put_double(out, sample->min);
    put_double(out, sample->max);
    if (!buckets)
        return;
    buffer_append_byte(out, (uint8_t)sample->bucket_count);
    for (uint16_t i = 0; i < sample->bucket_count; i++) {
        uint8_t bytes[6];
        uint32_t weight, place = (uint16_t)sample->buckets[i].place;
        memcpy(&weight, &sample->buckets[i].weight, sizeof(weight));
        store_u32(bytes + 2, weight);
        bytes[0] = (uint8_t)place;
        bytes[1] = (uint8_t)(place >> 8);
        buffer_append(out, bytes, sizeof(bytes));
    }
}

static bool take_double(struct slice *bytes, double *ret_n) {
    if (bytes->len < 8)
        return false;
    uint64_t bits = load_u64(bytes->data);
    memcpy(ret_n, &bits, sizeof(bits));
    *bytes = slice_skip(*bytes, 8);
    return isfinite(*ret_n);
}

static bool take_buckets(struct slice *bytes, struct sample *sample) {
    size_t count = bytes->len == 0 ? 0 : bytes->data[0];
    if (count == 0 || count > SAMPLE_BUCKETS_MAX || bytes->len - 1 < count * 6)
        return false;
    const uint8_t *at = bytes->data + 1;
    for (size_t i = 0; i < count; i++, at += 6) {
        int16_t place = (int16_t)(uint16_t)(at[0] | at[1] << 8);
        uint32_t bits = load_u32(at + 2);
        float weight;
        memcpy(&weight, &bits, sizeof(weight));
        if (!(weight >= 0) || !isfinite(weight) ||
            (i > 0 && place <= sample->buckets[sample->bucket_count - 1].place))
            return false;
        put(sample, place, (double)weight);
    }
    *bytes = slice_skip(*bytes, 1 + count * 6);
    return true;
}

bool sample_decode(struct slice *bytes, struct sample *sample) {
    uint8_t flags = bytes->len == 0 ? UINT8_MAX : bytes->data[0];
    sample->bucket_count = 0;
    if (flags > WITH_BUCKETS)
        return false;
    *bytes = slice_skip(*bytes, 1);
    if (!take_double(bytes, &sample->sum))
        return false;
    sample->count = 1;
    sample->min = sample->max = sample->sum;
    if (flags & ONE_VALUE)
        return true;
    if (!take_double(bytes, &sample->count) || !take_double(bytes, &sample->min) ||
        !take_double(bytes, &sample->max))
        return false;
    return !(flags & WITH_BUCKETS) || take_buckets(bytes, sample);
}
