/* get_metric_statistics.c - GetMetricStatistics: one metric, several statistics.
 *
 * Samples of different units are different points. */
#include "cloudwatch/cloudwatch.h"
#include "cloudwatch/request.h"
#include "cloudwatch/statistic.h"

enum { STATISTICS_MAX = 5, EXTENDED_MAX = 10, POINTS_MAX = 1440 };

static const struct input_field fields[] = {
    INPUT("Namespace", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_NAME_SPACE_MAX),
    INPUT("MetricName", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_NAME_MAX),
    INPUT("Dimensions", INPUT_LIST, .max = METRIC_DIMENSIONS_MAX, .items = INPUT_OBJECT,
          .members = request_dimension),
    INPUT("StartTime", INPUT_TIME, .required = true),
    INPUT("EndTime", INPUT_TIME, .required = true),
    INPUT("Period", INPUT_INTEGER, .required = true, .min = 1),
    INPUT("Statistics", INPUT_LIST, .min = 1, .max = STATISTICS_MAX, .items = INPUT_TEXT,
          .item_words = "[SampleCount, Average, Sum, Minimum, Maximum]"),
    INPUT("ExtendedStatistics", INPUT_LIST, .min = 1, .max = EXTENDED_MAX, .items = INPUT_TEXT),
    INPUT("Unit", INPUT_TEXT, .words = REQUEST_UNITS),
    INPUT_END,
};

struct wanted {
    const char *names[EXTENDED_MAX];
    struct statistic list[EXTENDED_MAX];
    size_t count;
    bool extended;
};

static const char *copy(struct arena *arena, struct slice text) {
    return (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(text)).data;
}

static struct error *read_extended(const struct service_call *call, struct wanted *wanted) {
    wanted->extended = true;
    for (const struct json_value *name = input_items(call->input, "ExtendedStatistics");
         name != NULL; name = name->next) {
        wanted->names[wanted->count] = copy(call->arena, name->text);
        if (!statistic_read_extended(name->text, &wanted->list[wanted->count++]))
            return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                             "The value %.*s for parameter ExtendedStatistics is not supported.",
                             SLICE_ARGS(name->text));
    }
    return NULL;
}

static struct error *read_statistics(const struct service_call *call, struct wanted *wanted) {
    bool plain = input_has(call->input, "Statistics");
    bool extended = input_has(call->input, "ExtendedStatistics");
    if (!plain && !extended)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                         "Must specify either Statistics or ExtendedStatistics");
    if (plain && extended)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                         "The parameters Statistics and ExtendedStatistics are mutually exclusive "
                         "and you have specified both.");
    if (extended)
        return read_extended(call, wanted);
    for (const struct json_value *name = input_items(call->input, "Statistics"); name != NULL;
         name = name->next) {
        wanted->names[wanted->count] = copy(call->arena, name->text);
        statistic_read_plain(name->text, &wanted->list[wanted->count++]);
    }
    return NULL;
}

static struct error *check_range(const struct service_call *call, int64_t from, int64_t to,
                                 int64_t period_s) {
    int64_t points = (to - from + period_s * 1000 - 1) / (period_s * 1000);
    if (points <= POINTS_MAX)
        return NULL;
    return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                     "You have requested up to %lld datapoints, which exceeds the limit of %d. You "
                     "may reduce the datapoints requested by increasing Period, or decreasing the "
                     "time range.",
                     (long long)points, POINTS_MAX);
}

/* A point of which nothing is known that was asked for is left out. */
static void write_point(struct answer *answer, const struct series_point *point,
                        const struct wanted *wanted, enum metric_unit unit) {
    double values[EXTENDED_MAX];
    bool known[EXTENDED_MAX], any = false;
    for (size_t i = 0; i < wanted->count; i++)
        any |= known[i] = statistic_of(&wanted->list[i], &point->sample, &values[i]);
    if (!any)
        return;
    answer_object(answer, NULL);
    answer_time(answer, "Timestamp", point->time_ms);
    if (wanted->extended)
        answer_object(answer, "ExtendedStatistics");
    for (size_t i = 0; i < wanted->count; i++)
        if (known[i] && wanted->extended)
            answer_entry(answer, wanted->names[i], values[i]);
        else if (known[i])
            answer_number(answer, wanted->names[i], values[i]);
    if (wanted->extended)
        answer_end(answer);
    answer_word(answer, "Unit", metric_unit_word(unit));
    answer_end(answer);
}

static struct error *write_points(const struct service_call *call, struct series_query *query,
                                  struct metric *metric, const struct wanted *wanted) {
    struct series_store *series = cloudwatch_of(call)->series;
    enum metric_unit asked = request_unit(call->input);
    uint32_t units = series_units(series, metric);
    for (int unit = 0; unit < METRIC_UNIT_COUNT_OF_ALL; unit++) {
        struct series_result result;
        if (!(units >> unit & 1) || (asked != METRIC_UNIT_ANY && (int)asked != unit))
            continue;
        metric->unit = (enum metric_unit)unit;
        TRY(series_read(series, call->arena, query, &result));
        for (size_t i = 0; i < result.count; i++)
            write_point(call->answer, &result.points[i], wanted, metric->unit);
    }
    return NULL;
}

static struct error *run(struct service_call *call) {
    struct metric metric = request_metric(call->arena, call->input);
    struct series_query query = {.metric = &metric};
    struct wanted wanted = {.count = 0};
    int64_t period_s = input_integer(call->input, "Period", 60);
    TRY(request_times(call->arena, call->input, &query.from_ms, &query.to_ms));
    TRY(request_check_period(call->arena, "Period", period_s));
    TRY(read_statistics(call, &wanted));
    TRY(check_range(call, query.from_ms, query.to_ms, period_s));
    request_align(clock_now_ms(call->clock), period_s, &query.from_ms, &query.period_ms);
    query.spread = wanted.extended;
    answer_text(call->answer, "Label", metric.name);
    answer_list(call->answer, "Datapoints");
    TRY(write_points(call, &query, &metric, &wanted));
    answer_end(call->answer);
    return NULL;
}

const struct service_op cloudwatch_get_metric_statistics = {
    .name = "GetMetricStatistics",
    .run = run,
    .input = fields,
};
