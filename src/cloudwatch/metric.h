/* metric.h - what is measured: a namespace, a name, dimensions and a unit.
 *
 * Two metrics are the same when all of it is; dimensions are a set, and kept in the order of their
 * names. Memory: texts are borrowed, or in the arena where a function takes one. */
#ifndef GRAMME_CLOUDWATCH_METRIC_H
#define GRAMME_CLOUDWATCH_METRIC_H

#include "base/arena.h"

/* The service's limits, in characters where it is a length. */
enum {
    METRIC_NAME_SPACE_MAX = 255,
    METRIC_NAME_MAX = 255,
    METRIC_DIMENSIONS_MAX = 30,
    METRIC_DIMENSION_NAME_MAX = 255,
    METRIC_DIMENSION_VALUE_MAX = 1024,
};

enum metric_unit {
#define UNIT(symbol, word) METRIC_UNIT_##symbol,
#include "cloudwatch/units.def"
#undef UNIT
    METRIC_UNIT_COUNT_OF_ALL,
    METRIC_UNIT_ANY = METRIC_UNIT_COUNT_OF_ALL, /* in questions only */
};

const char *metric_unit_word(enum metric_unit unit);
/* False: there is no such unit. */
bool metric_unit_find(struct slice word, enum metric_unit *ret_unit);

struct metric_dimension {
    struct slice name;
    struct slice value;
};

struct metric {
    struct slice name_space;
    struct slice name;
    const struct metric_dimension *dimensions; /* by name */
    size_t dimension_count;
    enum metric_unit unit;
};

void metric_sort_dimensions(struct metric_dimension *dimensions, size_t count);

/* A metric as bytes: equal metrics are equal bytes. The last byte is the unit.
 *
 *   SIZE    MEANING
 *   varint  how many dimensions
 *   then, each as varint length and bytes: namespace, name, and of each dimension name and value
 *   1       unit, a row of units.def */
struct slice metric_encode(struct arena *arena, const struct metric *metric);
/* The texts are in `bytes`. False: that is no metric. */
bool metric_decode(struct arena *arena, struct slice bytes, struct metric *ret_metric);

#endif
