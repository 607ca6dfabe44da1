/* metric.c - see metric.h. */
#include "cloudwatch/metric.h"

#include <stdlib.h>

#include "base/bytes.h"

static const char *const unit_words[] = {
#define UNIT(symbol, word) word,
#include "cloudwatch/units.def"
#undef UNIT
};

const char *metric_unit_word(enum metric_unit unit) {
    return unit_words[unit];
}

bool metric_unit_find(struct slice word, enum metric_unit *ret_unit) {
    for (size_t i = 0; i < METRIC_UNIT_COUNT_OF_ALL; i++)
        if (slice_is(word, unit_words[i])) {
            *ret_unit = (enum metric_unit)i;
            return true;
        }
    return false;
}

static int compare_dimensions(const void *a, const void *b) {
    const struct metric_dimension *left = a, *right = b;
    int order = slice_compare(left->name, right->name);
    return order != 0 ? order : slice_compare(left->value, right->value);
}

void metric_sort_dimensions(struct metric_dimension *dimensions, size_t count) {
    if (count > 1)
        qsort(dimensions, count, sizeof(*dimensions), compare_dimensions);
}

/* ---- as bytes ---- */

static uint8_t *put_text(uint8_t *at, struct slice text) {
    at += varint_encode(at, (uint32_t)text.len);
    if (text.len > 0)
        memcpy(at, text.data, text.len);
    return at + text.len;
}

struct slice metric_encode(struct arena *arena, const struct metric *metric) {
    size_t room = 1 + 3 * VARINT_BYTES_MAX + metric->name_space.len + metric->name.len;
    for (size_t i = 0; i < metric->dimension_count; i++)
        room +=
            2 * VARINT_BYTES_MAX + metric->dimensions[i].name.len + metric->dimensions[i].value.len;
    uint8_t *bytes = arena_alloc(arena, room), *at = bytes;
    at += varint_encode(at, (uint32_t)metric->dimension_count);
    at = put_text(at, metric->name_space);
    at = put_text(at, metric->name);
    for (size_t i = 0; i < metric->dimension_count; i++) {
        at = put_text(at, metric->dimensions[i].name);
        at = put_text(at, metric->dimensions[i].value);
    }
    *at++ = (uint8_t)metric->unit;
    return slice_of(bytes, (size_t)(at - bytes));
}

static bool take_text(struct slice *bytes, struct slice *ret_text) {
    uint32_t len;
    size_t taken = varint_decode_checked(bytes->data, bytes->len, &len);
    if (taken == 0 || bytes->len - taken < len)
        return false;
    *ret_text = slice_part(*bytes, taken, len);
    *bytes = slice_skip(*bytes, taken + len);
    return true;
}

bool metric_decode(struct arena *arena, struct slice bytes, struct metric *ret_metric) {
    uint32_t count;
    struct metric metric = {0};
    size_t taken = varint_decode_checked(bytes.data, bytes.len, &count);
    if (taken == 0 || count > METRIC_DIMENSIONS_MAX)
        return false;
    bytes = slice_skip(bytes, taken);
    struct metric_dimension *dimensions = ARENA_ARRAY(arena, struct metric_dimension, count);
    bool fine = take_text(&bytes, &metric.name_space) && take_text(&bytes, &metric.name);
    for (uint32_t i = 0; fine && i < count; i++)
        fine = take_text(&bytes, &dimensions[i].name) && take_text(&bytes, &dimensions[i].value);
    if (!fine || bytes.len != 1 || bytes.data[0] >= METRIC_UNIT_COUNT_OF_ALL)
        return false;
    metric.unit = (enum metric_unit)bytes.data[0];
    metric.dimensions = dimensions;
    metric.dimension_count = count;
    *ret_metric = metric;
    return true;
}
