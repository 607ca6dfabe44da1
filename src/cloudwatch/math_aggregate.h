/* math_aggregate.h - one number of many: SUM, AVG, MIN, MAX and STDDEV. Private to this folder. */
#ifndef GRAMME_CLOUDWATCH_MATH_AGGREGATE_H
#define GRAMME_CLOUDWATCH_MATH_AGGREGATE_H

#include "cloudwatch/math_node.h"

/* A point of some series. */
struct gathered_point {
    int64_t time;
    double value;
};

struct gathered {
    struct gathered_point *list;
    size_t count;
};

/* All points of the values' series, in the arena. */
void math_gather(struct arena *arena, const struct math_value *values, size_t count,
                 struct gathered *ret_all);
size_t math_count_points(const struct math_value *values, size_t count);
/* By time. */
void math_sort_gathered(struct gathered *all);
/* Of none it is no number. */
double math_aggregate(enum math_function function, const struct gathered_point *list, size_t count);

#endif
