/* math_aggregate.c - see math_aggregate.h. */
#include "cloudwatch/math_aggregate.h"

#include <math.h>
#include <stdlib.h>

double math_aggregate(enum math_function function, const struct gathered_point *list,
                      size_t count) {
    double sum = 0, low = INFINITY, high = -INFINITY, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += list[i].value;
        low = fmin(low, list[i].value);
        high = fmax(high, list[i].value);
    }
    for (size_t i = 0; i < count; i++)
        squares += pow(list[i].value - sum / (double)count, 2);
    if (count == 0)
        return (double)NAN;
    return function == MATH_SUM   ? sum
           : function == MATH_AVG ? sum / (double)count
           : function == MATH_MIN ? low
           : function == MATH_MAX ? high
                                  : sqrt(squares / (double)count);
}

static int compare_times(const void *a, const void *b) {
    const struct gathered_point *left = a, *right = b;
    return left->time < right->time ? -1 : left->time > right->time;
}

void math_sort_gathered(struct gathered *all) {
    if (all->count > 1)
        qsort(all->list, all->count, sizeof(*all->list), compare_times);
}

size_t math_count_points(const struct math_value *values, size_t count) {
    size_t total = 0;
    for (size_t v = 0; v < count; v++)
        for (size_t i = 0; i < values[v].count; i++)
            total += values[v].list[i].count;
    return total;
}

void math_gather(struct arena *arena, const struct math_value *values, size_t count,
                 struct gathered *ret_all) {
    struct gathered all = {
        ARENA_ARRAY(arena, struct gathered_point, math_count_points(values, count)), 0};
    for (size_t v = 0; v < count; v++)
        for (size_t i = 0; i < values[v].count; i++)
            for (size_t p = 0; p < values[v].list[i].count; p++)
                all.list[all.count++] = (struct gathered_point){values[v].list[i].times[p],
                                                                values[v].list[i].values[p]};
    *ret_all = all;
}
