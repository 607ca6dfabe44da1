/* put_metric_data.c - PutMetricData: samples of metrics of one's own.
 *
 * All of a request is checked before anything of it is added. */
#include <math.h>

#include "cloudwatch/cloudwatch.h"
#include "cloudwatch/request.h"

enum { DATA_MAX = 1000, VALUES_MAX = 150 };
enum { PAST_MS = 14 * 24 * 3600 * 1000, FUTURE_MS = 2 * 3600 * 1000 };

static const struct input_field statistic_set[] = {
    INPUT("SampleCount", INPUT_NUMBER, .required = true),
    INPUT("Sum", INPUT_NUMBER, .required = true),
    INPUT("Minimum", INPUT_NUMBER, .required = true),
    INPUT("Maximum", INPUT_NUMBER, .required = true),
    INPUT_END,
};

static const struct input_field datum[] = {
    INPUT("MetricName", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_NAME_MAX),
    INPUT("Dimensions", INPUT_LIST, .items = INPUT_OBJECT, .members = request_dimension),
    INPUT("Timestamp", INPUT_TIME),
    INPUT("Value", INPUT_NUMBER),
    INPUT("StatisticValues", INPUT_OBJECT, .members = statistic_set),
    INPUT("Values", INPUT_LIST, .items = INPUT_NUMBER),
    INPUT("Counts", INPUT_LIST, .items = INPUT_NUMBER),
    INPUT("Unit", INPUT_TEXT, .words = REQUEST_UNITS),
    INPUT("StorageResolution", INPUT_INTEGER, .min = 1),
    INPUT_END,
};

static const struct input_field fields[] = {
    INPUT("Namespace", INPUT_TEXT, .required = true, .min = 1, .max = METRIC_NAME_SPACE_MAX),
    INPUT("MetricData", INPUT_LIST, .items = INPUT_OBJECT, .members = datum),
    INPUT_END,
};

/* ---- checking ---- */

/* A datum, and its number, from 1. */
struct checked {
    struct arena *arena;
    const struct json_value *datum;
    size_t number;
    int64_t now_ms;
};

static struct error *check_size(const struct checked *checked, const char *name, size_t max) {
    if (input_count(checked->datum, name) <= max)
        return NULL;
    return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                     "The collection MetricData.member.%zu.%s must not have a size greater than "
                     "%zu.",
                     checked->number, name, max);
}

static struct error *check_apart(const struct checked *checked, const char *a, const char *b) {
    if (!input_has(checked->datum, a) || !input_has(checked->datum, b))
        return NULL;
    return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                     "The parameters MetricData.member.%zu.%s and MetricData.member.%zu.%s are "
                     "mutually exclusive and you have specified both.",
                     checked->number, a, checked->number, b);
}

static struct error *check_number(const struct checked *checked, const char *name, double n) {
    if (isfinite(n) && fabs(n) <= ldexp(1, 360))
        return NULL;
    return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                     "The value %g for parameter MetricData.member.%zu.%s is invalid.", n,
                     checked->number, name);
}

static struct error *check_values(const struct checked *checked) {
    const struct json_value *datum_ = checked->datum;
    if (!input_has(datum_, "Value") && !input_has(datum_, "Values") &&
        !input_has(datum_, "StatisticValues"))
        return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                         "At least one of the parameters must be specified.");
    TRY(check_apart(checked, "Value", "Values"));
    TRY(check_apart(checked, "Value", "StatisticValues"));
    TRY(check_apart(checked, "Values", "StatisticValues"));
    TRY(check_size(checked, "Values", VALUES_MAX));
    if (input_has(datum_, "Counts") &&
        input_count(datum_, "Counts") != input_count(datum_, "Values"))
        return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The parameters MetricData.member.%zu.Values and "
                         "MetricData.member.%zu.Counts must be of the same size.",
                         checked->number, checked->number);
    TRY(check_number(checked, "Value", input_number(datum_, "Value", 0)));
    for (const struct json_value *n = input_items(datum_, "Values"); n != NULL; n = n->next)
        TRY(check_number(checked, "Values", input_number_of(n)));
    for (const struct json_value *n = input_items(datum_, "Counts"); n != NULL; n = n->next) {
        TRY(check_number(checked, "Counts", input_number_of(n)));
        TRY(check_number(checked, "Counts", input_number_of(n) < 0 ? (double)NAN : 0));
    }
    return NULL;
}

static struct error *check_statistics(const struct checked *checked) {
    const struct json_value *set = input_find(checked->datum, "StatisticValues");
    if (set == NULL)
        return NULL;
    for (const struct input_field *field = statistic_set; field->name != NULL; field++)
        TRY(check_number(checked, field->name, input_number(set, field->name, 0)));
    if (input_number(set, "SampleCount", 0) <= 0)
        return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The parameter MetricData.member.%zu.StatisticValues.SampleCount must be "
                         "greater than 0.",
                         checked->number);
    if (input_number(set, "Minimum", 0) > input_number(set, "Maximum", 0))
        return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                         "The parameter MetricData.member.%zu.StatisticValues.Maximum must be "
                         "greater than MetricData.member.%zu.StatisticValues.Minimum.",
                         checked->number, checked->number);
    return NULL;
}

static struct error *check_time(const struct checked *checked) {
    int64_t at = checked->now_ms;
    input_time(checked->datum, "Timestamp", &at);
    if (at > checked->now_ms + FUTURE_MS)
        return error_new(
            checked->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
            "The parameter MetricData.member.%zu.Timestamp must specify a time no more "
            "than two hours in the future.",
            checked->number);
    if (at < checked->now_ms - PAST_MS)
        return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The parameter MetricData.member.%zu.Timestamp must specify a time within "
                         "the past two weeks.",
                         checked->number);
    return NULL;
}

static struct error *check_datum(const struct checked *checked) {
    int64_t resolution = input_integer(checked->datum, "StorageResolution", 60);
    TRY(check_size(checked, "Dimensions", METRIC_DIMENSIONS_MAX));
    TRY(check_values(checked));
    TRY(check_statistics(checked));
    TRY(check_time(checked));
    if (resolution != 1 && resolution != 60)
        return error_new(checked->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The parameter MetricData.member.%zu.StorageResolution must be 1 or 60.",
                         checked->number);
    return NULL;
}

static struct error *check_request(const struct service_call *call) {
    struct slice name_space = input_text(call->input, "Namespace");
    struct checked checked = {.arena = call->arena, .now_ms = clock_now_ms(call->clock)};
    if (slice_starts_with(name_space, SLICE_LITERAL("AWS/")) || name_space.data[0] == ':')
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The value %.*s for parameter Namespace is invalid.",
                         SLICE_ARGS(name_space));
    if (!input_has(call->input, "MetricData"))
        return error_new(call->arena, ERROR_CLOUDWATCH_MISSING_PARAMETER,
                         "The parameter MetricData is required.");
    if (input_count(call->input, "MetricData") > DATA_MAX)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                         "The collection MetricData must not have a size greater than %d.",
                         DATA_MAX);
    for (checked.datum = input_items(call->input, "MetricData"); checked.datum != NULL;
         checked.datum = checked.datum->next) {
        checked.number++;
        TRY(check_datum(&checked));
    }
    return NULL;
}

/* ---- adding ---- */

static void read_sample(const struct json_value *from, struct sample *sample) {
    const struct json_value *set = input_find(from, "StatisticValues");
    const struct json_value *count = input_items(from, "Counts");
    if (set != NULL) {
        sample->sum = input_number(set, "Sum", 0);
        sample->count = input_number(set, "SampleCount", 0);
        sample->min = input_number(set, "Minimum", 0);
        sample->max = input_number(set, "Maximum", 0);
    } else if (input_has(from, "Value")) {
        sample_observe(sample, input_number(from, "Value", 0), 1);
    }
    for (const struct json_value *n = input_items(from, "Values"); n != NULL; n = n->next) {
        sample_observe(sample, input_number_of(n), count == NULL ? 1 : input_number_of(count));
        count = count == NULL ? NULL : count->next;
    }
}

static struct error *run(struct service_call *call) {
    TRY(check_request(call));
    int64_t now = clock_now_ms(call->clock);
    for (const struct json_value *each = input_items(call->input, "MetricData"); each != NULL;
         each = each->next) {
        struct metric metric = request_metric(call->arena, each);
        struct sample sample = {.arena = call->arena};
        enum metric_unit unit = request_unit(each);
        int64_t at = now;
        metric.name_space = input_text(call->input, "Namespace");
        metric.unit = unit == METRIC_UNIT_ANY ? METRIC_UNIT_NONE : unit;
        input_time(each, "Timestamp", &at);
        read_sample(each, &sample);
        series_add(cloudwatch_of(call)->series, &metric, at, &sample);
    }
    return NULL;
}

const struct service_op cloudwatch_put_metric_data = {
    .name = "PutMetricData",
    .run = run,
    .input = fields,
    .flags = SERVICE_CHANGES | SERVICE_NO_OUTPUT,
};
