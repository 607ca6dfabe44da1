/* alarm_points.c - see alarm_points.h.
 *
 * One metric is read as it is, several with their expressions as GetMetricData reads them. A period
 * for which a statistic or an expression has no number has no point. */
#include "cloudwatch/alarm_points.h"

#include "cloudwatch/data_query.h"
#include "cloudwatch/series.h"
#include "cloudwatch/statistic.h"
#include "service/limits.h"

/* The stretch of time that is looked at. */
struct window {
    struct series_store *series;
    struct arena *arena;
    int64_t end_ms;
    int64_t period_ms;
    size_t count;
};

static int64_t start_of(const struct window *window, size_t place) {
    return window->end_ms - (int64_t)(place + 1) * window->period_ms;
}

/* NULL: it is outside the window. */
static struct alarm_point *point_at(const struct window *window, struct alarm_point *points,
                                    int64_t time_ms) {
    int64_t before_ms = window->end_ms - time_ms;
    size_t place = (size_t)((before_ms - 1) / window->period_ms);
    return before_ms <= 0 || place >= window->count ? NULL : &points[place];
}

static struct statistic statistic_of_metric(const struct alarm_metric *from) {
    struct statistic statistic = {.kind = STATISTIC_SUM};
    if (!statistic_read_plain(from->statistic, &statistic))
        statistic_read_extended(from->statistic, &statistic);
    return statistic;
}

static struct metric metric_of(struct arena *arena, const struct alarm_metric *from) {
    struct metric_dimension *dimensions =
        ARENA_ARRAY(arena, struct metric_dimension, from->dimension_count + 1);
    struct metric metric = {.name_space = from->name_space,
                            .name = from->name,
                            .dimensions = dimensions,
                            .dimension_count = from->dimension_count,
                            .unit = METRIC_UNIT_ANY};
    for (size_t i = 0; i < from->dimension_count; i++)
        dimensions[i] =
            (struct metric_dimension){from->dimensions[i].name, from->dimensions[i].value};
    metric_sort_dimensions(dimensions, from->dimension_count);
    if (slice_present(from->unit))
        metric_unit_find(from->unit, &metric.unit);
    return metric;
}

/* ---- one metric ---- */

static struct error *read_metric(const struct window *window, const struct alarm_metric *from,
                                 struct alarm_point *points) {
    struct statistic statistic = statistic_of_metric(from);
    struct metric metric = metric_of(window->arena, from);
    struct series_query query = {.metric = &metric,
                                 .from_ms = start_of(window, window->count - 1),
                                 .to_ms = window->end_ms,
                                 .period_ms = window->period_ms,
                                 .spread = statistic_needs_spread(&statistic)};
    struct series_result result;
    TRY(series_read(window->series, window->arena, &query, &result));
    for (size_t i = 0; i < result.count; i++) {
        struct alarm_point *point = point_at(window, points, result.points[i].time_ms);
        if (point == NULL)
            continue;
        point->samples = result.points[i].sample.count;
        point->present = statistic_of(&statistic, &result.points[i].sample, &point->value);
    }
    return NULL;
}

/* ---- several ---- */

static struct error *compile(struct arena *arena, const struct alarm_query *from,
                             struct data_query *query) {
    struct error *error = math_compile(arena, from->expression, &query->expression);
    if (error == NULL)
        return NULL;
    return error_new(arena, ERROR_VALIDATION, "Error in expression '%.*s': %.*s",
                     SLICE_ARGS(from->id), SLICE_ARGS(error->message));
}

static struct error *make_queries(struct arena *arena, const struct alarm_settings *settings,
                                  struct data_queries *queries) {
    *queries = (struct data_queries){ARENA_ARRAY(arena, struct data_query, settings->query_count),
                                     settings->query_count};
    for (size_t i = 0; i < settings->query_count; i++) {
        const struct alarm_query *from = &settings->queries[i];
        struct data_query *query = &queries->list[i];
        *query = (struct data_query){.id = from->id,
                                     .label = from->label,
                                     .period_s = from->metric.period_s,
                                     .return_data = from->returns};
        if (slice_present(from->expression)) {
            TRY(compile(arena, from, query));
            continue;
        }
        query->metric = metric_of(arena, &from->metric);
        query->stat = from->metric.statistic;
        query->statistic = statistic_of_metric(&from->metric);
    }
    return NULL;
}

static const struct data_query *returned(const struct data_queries *queries) {
    size_t i = 0;
    while (i + 1 < queries->count && !queries->list[i].return_data)
        i++;
    return &queries->list[i];
}

static struct error *run(const struct window *window, const struct alarm_settings *settings,
                         struct math_value *ret_value) {
    struct data_queries queries;
    struct data_range range = {.series = window->series,
                               .now_ms = window->end_ms,
                               .from_ms = start_of(window, window->count - 1),
                               .to_ms = window->end_ms};
    TRY(make_queries(window->arena, settings, &queries));
    TRY(data_queries_run(window->arena, &queries, &range));
    *ret_value = returned(&queries)->value;
    return NULL;
}

static struct error *read_queries(const struct window *window,
                                  const struct alarm_settings *settings,
                                  struct alarm_point *points) {
    struct math_value value;
    TRY(run(window, settings, &value));
    const struct math_series *series = value.list;
    for (size_t i = 0; value.count == 1 && i < series->count; i++) {
        struct alarm_point *point = point_at(window, points, series->times[i]);
        if (point == NULL)
            continue;
        point->value = series->values[i];
        point->present = __builtin_isfinite(series->values[i]);
    }
    return NULL;
}

/* ---- for alarms ---- */

static struct error *read_points(void *user, struct arena *arena,
                                 const struct alarm_settings *settings, int64_t end_ms,
                                 uint32_t period_s, struct alarm_point *points, size_t count) {
    struct window window = {.series = user,
                            .arena = arena,
                            .end_ms = end_ms,
                            .period_ms = (int64_t)period_s * 1000,
                            .count = count};
    arena_set_limit(arena, LIMIT_SERVICE_MEMORY_BYTES);
    for (size_t i = 0; i < count; i++)
        points[i] = (struct alarm_point){.start_ms = start_of(&window, i)};
    if (settings->query_count > 0)
        return read_queries(&window, settings, points);
    return read_metric(&window, &settings->metric, points);
}

struct alarm_source alarm_points_source(struct series_store *series) {
    return (struct alarm_source){.read = read_points, .user = series};
}

/* By trying it on the present minute. */
struct error *alarm_points_check(struct series_store *series, struct arena *arena,
                                 const struct alarm_settings *settings, int64_t now_ms) {
    struct window window = {.series = series,
                            .arena = arena,
                            .period_ms = (int64_t)alarm_period_s(settings) * 1000,
                            .count = 1};
    struct math_value value;
    if (settings->query_count == 0)
        return NULL;
    window.end_ms = now_ms / window.period_ms * window.period_ms;
    TRY(run(&window, settings, &value));
    if (value.kind == MATH_LIST && value.count != 1)
        return error_new(arena, ERROR_VALIDATION,
                         "An alarm needs one time series, and this expression gives %zu",
                         value.count);
    return NULL;
}
