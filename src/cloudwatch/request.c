/* request.c - see request.h. */
#include "cloudwatch/request.h"

#include "cloudwatch/series_options.h"

const struct input_field request_dimension[] = {
    INPUT("Name", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_DIMENSION_NAME_MAX),
    INPUT("Value", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_DIMENSION_VALUE_MAX),
    INPUT_END,
};

struct metric_dimension *request_dimensions(struct arena *arena, const struct json_value *list,
                                            size_t *ret_count) {
    size_t count = 0;
    for (const struct json_value *item = list; item != NULL; item = item->next)
        count++;
    struct metric_dimension *dimensions = ARENA_ARRAY(arena, struct metric_dimension, count);
    for (size_t i = 0; i < count; i++, list = list->next)
        dimensions[i] =
            (struct metric_dimension){input_text(list, "Name"), input_text(list, "Value")};
    metric_sort_dimensions(dimensions, count);
    *ret_count = count;
    return dimensions;
}

struct metric request_metric(struct arena *arena, const struct json_value *object) {
    struct metric metric = {.name_space = input_text(object, "Namespace"),
                            .name = input_text(object, "MetricName")};
    metric.dimensions =
        request_dimensions(arena, input_items(object, "Dimensions"), &metric.dimension_count);
    return metric;
}

enum metric_unit request_unit(const struct json_value *object) {
    enum metric_unit unit = METRIC_UNIT_ANY;
    struct slice word = input_text(object, "Unit");
    if (slice_present(word))
        metric_unit_find(word, &unit);
    return unit;
}

struct error *request_times(struct arena *arena, const struct json_value *input, int64_t *ret_from,
                            int64_t *ret_to) {
    input_time(input, "StartTime", ret_from);
    input_time(input, "EndTime", ret_to);
    if (*ret_from < *ret_to)
        return NULL;
    return error_new(arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                     "The parameter StartTime must be less than the parameter EndTime.");
}

struct error *request_check_period(struct arena *arena, const char *name, int64_t seconds) {
    bool short_one =
        seconds == 1 || seconds == 5 || seconds == 10 || seconds == 20 || seconds == 30;
    if (short_one || (seconds > 0 && seconds % 60 == 0))
        return NULL;
    return error_new(arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                     "The parameter %s must be 1, 5, 10, 20, 30 or a multiple of 60.", name);
}

void request_align(int64_t now_ms, int64_t period_s, int64_t *from_ms, int64_t *ret_period_ms) {
    int64_t fine_ms = (int64_t)SERIES_FINE_MINUTES * SERIES_MINUTE_MS;
    int64_t step = SERIES_MINUTE_MS * (*from_ms < now_ms - fine_ms ? 5 : 1);
    if (*from_ms < 0)
        *from_ms = 0;
    *from_ms -= *from_ms % step;
    *ret_period_ms = period_s < 60 ? SERIES_MINUTE_MS : period_s * 1000;
}
