/* request.h - what requests for metrics have in common: members, and what they mean.
 *
 * Memory: the arena; texts are those of the input. */
#ifndef GRAMME_CLOUDWATCH_REQUEST_H
#define GRAMME_CLOUDWATCH_REQUEST_H

#include "cloudwatch/metric.h"
#include "service/input.h"

enum { PERIOD_SECONDS_MAX = 86400 };

/* All units, as an error lists them. */
#define REQUEST_UNITS                                                                           \
    "[Seconds, Microseconds, Milliseconds, Bytes, Kilobytes, Megabytes, Gigabytes, Terabytes, " \
    "Bits, Kilobits, Megabits, Gigabits, Terabits, Percent, Count, Bytes/Second, "              \
    "Kilobytes/Second, Megabytes/Second, Gigabytes/Second, Terabytes/Second, Bits/Second, "     \
    "Kilobits/Second, Megabits/Second, Gigabits/Second, Terabits/Second, Count/Second, None]"

/* Name and Value, both there. */
extern const struct input_field request_dimension[];

/* Sorted; `list` is the first of them. */
struct metric_dimension *request_dimensions(struct arena *arena, const struct json_value *list,
                                            size_t *ret_count);
/* Of Namespace, MetricName and Dimensions. */
struct metric request_metric(struct arena *arena, const struct json_value *object);
/* METRIC_UNIT_ANY when it is not there. */
enum metric_unit request_unit(const struct json_value *object);

/* Both of one request: "The parameter StartTime must be less than the parameter EndTime." */
struct error *request_times(struct arena *arena, const struct json_value *input, int64_t *ret_from,
                            int64_t *ret_to);
/* Seconds: 1, 5, 10, 20, 30 or a multiple of 60. `name` is for the error. */
struct error *request_check_period(struct arena *arena, const char *name, int64_t seconds);

/* What is kept is by the minute: where its periods begin and how long they are, both in ms. */
void request_align(int64_t now_ms, int64_t period_s, int64_t *from_ms, int64_t *ret_period_ms);

#endif
