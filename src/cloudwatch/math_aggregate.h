/* math_aggregate.h - one number of many: SUM, AVG, MIN, MAX and STDDEV. Private to this folder. */
#ifndef GRAMME_CLOUDWATCH_MATH_AGGREGATE_H
#define GRAMME_CLOUDWATCH_MATH_AGGREGATE_H

#include "cloudwatch/math_node.h"

/* A point of some series. */
struct gathered_point {
    int64_t time;
    double value;
};

/* All points of the values' series, in the arena. */
struct gathered_point *math_gather(struct arena *arena, const struct math_value *values,
                                   size_t count, size_t *ret_total);
/* By time. */
void math_sort_gathered(struct gathered_point *list, size_t count);
/* Of none it is no number. */
double math_aggregate(enum math_function function, const struct gathered_point *list, size_t count);

#endif
