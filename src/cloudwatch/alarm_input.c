/* alarm_input.c - see alarm_input.h.
 *
 * Texts that are marked as recorded in docs/COMPATIBILITY.md are the service's; the others say what
 * it refuses in words of their own. */
#include "cloudwatch/alarm_input.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cloudwatch/request.h"
#include "cloudwatch/statistic.h"

enum {
    DAY_S = 24 * 60 * 60,
    HOUR_S = 60 * 60,
    ACCOUNT_MAX = 255,
};

static const struct input_field metric_fields[] = {
    INPUT("Namespace", INPUT_TEXT, .min = 1, .max = 255),
    INPUT("MetricName", INPUT_TEXT, .min = 1, .max = 255),
    INPUT("Dimensions", INPUT_LIST, .max = ALARM_DIMENSIONS_MAX, .items = INPUT_OBJECT,
          .members = request_dimension),
    INPUT_END,
};

static const struct input_field metric_stat_fields[] = {
    INPUT("Metric", INPUT_OBJECT, .required = true, .members = metric_fields),
    INPUT("Period", INPUT_INTEGER, .required = true, .min = 1),
    INPUT("Stat", INPUT_TEXT, .required = true),
    INPUT("Unit", INPUT_TEXT, .words = REQUEST_UNITS),
    INPUT_END,
};

static const struct input_field query_fields[] = {
    INPUT("Id", INPUT_TEXT, .required = true, .min = 1, .max = 255),
    INPUT("MetricStat", INPUT_OBJECT, .members = metric_stat_fields),
    INPUT("Expression", INPUT_TEXT, .min = 1, .max = 2048),
    INPUT("Label", INPUT_TEXT),
    INPUT("ReturnData", INPUT_BOOL),
    INPUT("Period", INPUT_INTEGER, .min = 1),
    INPUT("AccountId", INPUT_TEXT, .min = 1, .max = ACCOUNT_MAX),
    INPUT_END,
};

const struct input_field tag_fields[] = {
    INPUT("Key", INPUT_TEXT, .required = true, .min = 1, .max = 128),
    INPUT("Value", INPUT_TEXT, .required = true, .max = 256),
    INPUT_END,
};

#define ACTIONS(name)                                                                     \
    INPUT(name, INPUT_LIST, .max = ALARM_ACTIONS_MAX, .items = INPUT_TEXT, .item_min = 1, \
          .item_max = ALARM_ACTION_MAX)

const struct input_field alarm_fields[] = {
    INPUT("AlarmName", INPUT_TEXT, .required = true, .min = 1, .max = ALARM_NAME_MAX),
    INPUT("AlarmDescription", INPUT_TEXT, .max = ALARM_DESCRIPTION_MAX),
    INPUT("ActionsEnabled", INPUT_BOOL),
    ACTIONS("OKActions"),
    ACTIONS("AlarmActions"),
    ACTIONS("InsufficientDataActions"),
    INPUT("MetricName", INPUT_TEXT, .min = 1, .max = 255),
    INPUT("Namespace", INPUT_TEXT, .min = 1, .max = 255),
    INPUT("Statistic", INPUT_TEXT, .words = "[SampleCount, Average, Sum, Minimum, Maximum]"),
    INPUT("ExtendedStatistic", INPUT_TEXT),
    INPUT("Dimensions", INPUT_LIST, .max = ALARM_DIMENSIONS_MAX, .items = INPUT_OBJECT,
          .members = request_dimension),
    INPUT("Period", INPUT_INTEGER, .min = 1),
    INPUT("Unit", INPUT_TEXT, .words = REQUEST_UNITS),
    INPUT("EvaluationPeriods", INPUT_INTEGER, .required = true, .min = 1),
    INPUT("DatapointsToAlarm", INPUT_INTEGER, .min = 1),
    INPUT("Threshold", INPUT_NUMBER),
    INPUT("ComparisonOperator", INPUT_TEXT, .required = true,
          .words = "[GreaterThanOrEqualToThreshold, GreaterThanThreshold, LessThanThreshold, "
                   "LessThanOrEqualToThreshold, LessThanLowerOrGreaterThanUpperThreshold, "
                   "LessThanLowerThreshold, GreaterThanUpperThreshold]"),
    INPUT("TreatMissingData", INPUT_TEXT, .min = 1, .max = 255),
    INPUT("EvaluateLowSampleCountPercentile", INPUT_TEXT, .min = 1, .max = 255),
    INPUT("Metrics", INPUT_LIST, .items = INPUT_OBJECT, .members = query_fields),
    INPUT("Tags", INPUT_LIST, .max = ALARM_TAGS_MAX, .items = INPUT_OBJECT, .members = tag_fields),
    INPUT("ThresholdMetricId", INPUT_TEXT, .min = 1, .max = 255),
    INPUT_END,
};

/* ---- parts ---- */

static const char too_far[] = "Metrics cannot be checked across more than a week "
                              "(EvaluationPeriods * Period must be <= 604800).";

static struct error *invalid(struct arena *arena, const char *text) {
    return error_new(arena, ERROR_VALIDATION, "%s", text);
}

void dimensions_read(struct arena *arena, const struct json_value *input, struct alarm_pair **ret,
                     size_t *ret_count) {
    size_t count = 0;
    struct alarm_pair *list =
        ARENA_ARRAY(arena, struct alarm_pair, input_count(input, "Dimensions") + 1);
    for (const struct json_value *item = input_items(input, "Dimensions"); item != NULL;
         item = item->next)
        list[count++] = (struct alarm_pair){input_text(item, "Name"), input_text(item, "Value")};
    *ret = list;
    *ret_count = count;
}

struct error *tags_read(struct arena *arena, const struct json_value *input,
                        struct alarm_pair **ret_tags, size_t *ret_count) {
    size_t count = 0;
    struct alarm_pair *tags = ARENA_ARRAY(arena, struct alarm_pair, input_count(input, "Tags") + 1);
    for (const struct json_value *item = input_items(input, "Tags"); item != NULL;
         item = item->next) {
        struct alarm_pair tag = {input_text(item, "Key"), input_text(item, "Value")};
        for (size_t i = 0; i < count; i++)
            if (slice_equal(tags[i].name, tag.name))
                return invalid(arena, "Tag keys must be unique");
        tags[count++] = tag;
    }
    *ret_tags = tags;
    *ret_count = count;
    return NULL;
}

static struct error *read_actions(struct arena *arena, const struct json_value *input,
                                  const char *name, struct alarm_actions *actions) {
    for (const struct json_value *item = input_items(input, name); item != NULL;
         item = item->next) {
        bool fine = slice_starts_with(item->text, SLICE_LITERAL("arn:")) ||
                    slice_starts_with(item->text, SLICE_LITERAL("http://")) ||
                    slice_starts_with(item->text, SLICE_LITERAL("https://"));
        if (!fine || memchr(item->text.data, '\n', item->text.len) != NULL)
            return error_new(arena, ERROR_VALIDATION, "Invalid arn syntax: %.*s",
                             SLICE_ARGS(item->text));
        actions->names[actions->count++] = item->text;
    }
    return NULL;
}

static struct error *check_period(struct arena *arena, int64_t period_s) {
    if (period_s > ALARM_REACH_MAX_S)
        return invalid(arena, too_far);
    return alarm_is_period(period_s)
               ? NULL
               : invalid(arena, "Period must be 10, 20, 30 or a multiple of 60");
}

static struct error *check_statistic(struct arena *arena, const char *name, struct slice text) {
    struct statistic statistic;
    bool plain = strcmp(name, "Stat") == 0 && statistic_read_plain(text, &statistic);
    if (plain || statistic_read_extended(text, &statistic))
        return NULL;
    return error_new(arena, ERROR_CLOUDWATCH_INVALID_VALUE,
                     "The value %.*s for parameter %s is not supported.", SLICE_ARGS(text), name);
}

/* ---- one metric ---- */

static struct error *read_single(struct arena *arena, const struct json_value *input,
                                 struct alarm_settings *settings) {
    struct alarm_metric *metric = &settings->metric;
    struct slice plain = input_text(input, "Statistic");
    struct slice extended = input_text(input, "ExtendedStatistic");
    if (!input_has(input, "MetricName") || !input_has(input, "Namespace") ||
        !input_has(input, "Period"))
        return invalid(arena, "MetricName, Namespace and Period are required unless Metrics is "
                              "given");
    if (slice_present(plain) == slice_present(extended))
        return invalid(arena, "Exactly one of Statistic and ExtendedStatistic must be given");
    metric->name = input_text(input, "MetricName");
    metric->name_space = input_text(input, "Namespace");
    metric->period_s = (uint32_t)input_integer(input, "Period", 0);
    metric->unit = input_text(input, "Unit");
    metric->statistic = slice_present(plain) ? plain : extended;
    settings->extended = slice_present(extended);
    dimensions_read(arena, input, &metric->dimensions, &metric->dimension_count);
    if (settings->extended)
        TRY(check_statistic(arena, "ExtendedStatistic", extended));
    return check_period(arena, metric->period_s);
}

/* ---- several ---- */

static bool is_id(struct slice text) {
    bool fine = text.len > 0 && text.data[0] >= 'a' && text.data[0] <= 'z';
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        fine = fine && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_');
    }
    return fine;
}

static struct error *read_metric_stat(struct arena *arena, const struct json_value *stat,
                                      struct alarm_metric *metric) {
    const struct json_value *named = input_find(stat, "Metric");
    if (!input_has(named, "MetricName") || !input_has(named, "Namespace"))
        return invalid(arena, "A MetricStat needs a Metric with Namespace and MetricName");
    metric->name = input_text(named, "MetricName");
    metric->name_space = input_text(named, "Namespace");
    metric->statistic = input_text(stat, "Stat");
    metric->unit = input_text(stat, "Unit");
    metric->period_s = (uint32_t)input_integer(stat, "Period", 0);
    dimensions_read(arena, named, &metric->dimensions, &metric->dimension_count);
    TRY(check_statistic(arena, "Stat", metric->statistic));
    return check_period(arena, metric->period_s);
}

static struct error *read_query(struct arena *arena, const struct json_value *item,
                                struct alarm_query *query) {
    const struct json_value *stat = input_find(item, "MetricStat");
    *query = (struct alarm_query){.id = input_text(item, "Id"),
                                  .expression = input_text(item, "Expression"),
                                  .label = input_text(item, "Label"),
                                  .account = input_text(item, "AccountId"),
                                  .returns = input_bool(item, "ReturnData", true)};
    if (!is_id(query->id))
        return error_new(arena, ERROR_VALIDATION,
                         "The Id %.*s must begin with a lower-case letter and have only letters, "
                         "digits and underscores",
                         SLICE_ARGS(query->id));
    if ((stat != NULL) == slice_present(query->expression))
        return error_new(arena, ERROR_VALIDATION,
                         "The query %.*s needs either a MetricStat or an Expression",
                         SLICE_ARGS(query->id));
    if (stat != NULL)
        return read_metric_stat(arena, stat, &query->metric);
    query->metric.period_s = (uint32_t)input_integer(item, "Period", 0);
    return query->metric.period_s == 0 ? NULL : check_period(arena, query->metric.period_s);
}

static struct error *check_queries(struct arena *arena, const struct alarm_settings *settings) {
    size_t returning = 0;
    for (size_t i = 0; i < settings->query_count; i++) {
        returning += settings->queries[i].returns;
        for (size_t k = 0; k < i; k++)
            if (slice_equal(settings->queries[i].id, settings->queries[k].id))
                return error_new(arena, ERROR_VALIDATION, "The Id %.*s is there twice",
                                 SLICE_ARGS(settings->queries[i].id));
    }
    if (returning != 1)
        return invalid(arena, "Exactly one element of the metrics list should return data.");
    if (alarm_period_s(settings) == 0)
        return invalid(arena, "A Period is required where no metric has one");
    return NULL;
}

static struct error *read_queries(struct arena *arena, const struct json_value *input,
                                  struct alarm_settings *settings) {
    static const char *const others[] = {"MetricName",        "Namespace", "Statistic",
                                         "ExtendedStatistic", "Period",    "Unit"};
    size_t count = input_count(input, "Metrics");
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (input_has(input, others[i]))
            return error_new(arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                             "%s and Metrics exclude each other", others[i]);
    if (count > ALARM_QUERIES_MAX)
        return invalid(arena, "There may be at most 500 Metrics");
    settings->queries = ARENA_ARRAY(arena, struct alarm_query, count + 1);
    for (const struct json_value *item = input_items(input, "Metrics"); item != NULL;
         item = item->next)
        TRY(read_query(arena, item, &settings->queries[settings->query_count++]));
    return check_queries(arena, settings);
}

/* ---- the rule ---- */

static struct error *check_reach(struct arena *arena, const struct alarm_settings *settings) {
    int64_t period_s = alarm_period_s(settings);
    int64_t reach_s = period_s * settings->rule.periods;
    if (period_s < HOUR_S && reach_s > DAY_S)
        return invalid(arena, "Metrics cannot be checked across more than a day "
                              "(EvaluationPeriods * Period must be <= 86400).");
    if (reach_s > ALARM_REACH_MAX_S)
        return invalid(arena, too_far);
    return NULL;
}

static struct error *read_treatments(struct arena *arena, const struct json_value *input,
                                     struct alarm_settings *settings) {
    struct slice missing = input_text(input, "TreatMissingData");
    struct slice low = input_text(input, "EvaluateLowSampleCountPercentile");
    settings->treatment_said = slice_present(missing);
    settings->low_samples = low;
    if (settings->treatment_said && !alarm_treatment_of(missing, &settings->rule.treatment))
        return invalid(arena, "TreatMissingData must be breaching, notBreaching, ignore or "
                              "missing");
    if (slice_present(low) && !slice_is(low, "evaluate") && !slice_is(low, "ignore"))
        return invalid(arena, "EvaluateLowSampleCountPercentile must be evaluate or ignore");
    return NULL;
}

static struct error *read_rule(struct arena *arena, const struct json_value *input,
                               struct alarm_settings *settings) {
    struct alarm_rule *rule = &settings->rule;
    int64_t periods = input_integer(input, "EvaluationPeriods", 0);
    int64_t datapoints = input_integer(input, "DatapointsToAlarm", 0);
    if (input_has(input, "ThresholdMetricId") ||
        !alarm_comparison_of(input_text(input, "ComparisonOperator"), &rule->comparison))
        return invalid(arena, "Alarms on anomaly detection are not supported here");
    if (!input_has(input, "Threshold"))
        return invalid(arena, "Threshold is required");
    if (periods > ALARM_PERIODS_MAX)
        return invalid(arena, "Metrics cannot be checked across more than a day "
                              "(EvaluationPeriods * Period must be <= 86400).");
    if (datapoints > periods)
        return invalid(arena, "DatapointsToAlarm must be less than or equal to EvaluationPeriods");
    rule->threshold = input_number(input, "Threshold", 0);
    if (!__builtin_isfinite(rule->threshold))
        return invalid(arena, "Threshold must be a number");
    rule->periods = (uint32_t)periods;
    rule->datapoints = (uint32_t)datapoints;
    TRY(read_treatments(arena, input, settings));
    return check_reach(arena, settings);
}

struct error *alarm_input_read(struct arena *arena, const struct json_value *input,
                               struct alarm_settings *ret_settings) {
    struct alarm_settings settings = {.name = input_text(input, "AlarmName"),
                                      .description = input_text(input, "AlarmDescription"),
                                      .actions_enabled = input_bool(input, "ActionsEnabled", true)};
    TRY(read_actions(arena, input, "OKActions", &settings.actions[ALARM_STATE_OK]));
    TRY(read_actions(arena, input, "AlarmActions", &settings.actions[ALARM_STATE_ALARM]));
    TRY(read_actions(arena, input, "InsufficientDataActions",
                     &settings.actions[ALARM_STATE_INSUFFICIENT_DATA]));
    if (input_has(input, "Metrics"))
        TRY(read_queries(arena, input, &settings));
    else
        TRY(read_single(arena, input, &settings));
    TRY(read_rule(arena, input, &settings));
    *ret_settings = settings;
    return NULL;
}
