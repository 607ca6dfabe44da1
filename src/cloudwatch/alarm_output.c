/* alarm_output.c - see alarm_output.h. What was not said when the alarm was put is not shown. */
#include "cloudwatch/alarm_output.h"

static void text(struct answer *answer, const char *name, struct slice value) {
    if (slice_present(value))
        answer_text(answer, name, value);
}

static void write_actions(struct answer *answer, const char *name,
                          const struct alarm_actions *actions) {
    answer_list(answer, name);
    for (size_t i = 0; i < actions->count; i++)
        answer_text(answer, NULL, actions->names[i]);
    answer_end(answer);
}

static void write_dimensions(struct answer *answer, const struct alarm_metric *metric) {
    answer_list(answer, "Dimensions");
    for (size_t i = 0; i < metric->dimension_count; i++) {
        answer_object(answer, NULL);
        answer_text(answer, "Name", metric->dimensions[i].name);
        answer_text(answer, "Value", metric->dimensions[i].value);
        answer_end(answer);
    }
    answer_end(answer);
}

static void write_status(struct answer *answer, const struct alarm_status *status) {
    answer_word(answer, "StateValue", alarm_state_word(status->state));
    answer_text(answer, "StateReason", status->reason);
    text(answer, "StateReasonData", status->reason_data);
    answer_time(answer, "StateUpdatedTimestamp", status->updated_ms);
    answer_time(answer, "StateTransitionedTimestamp", status->transitioned_ms);
}

static void write_single(struct answer *answer, const struct alarm_settings *settings) {
    const struct alarm_metric *metric = &settings->metric;
    answer_text(answer, "MetricName", metric->name);
    answer_text(answer, "Namespace", metric->name_space);
    answer_text(answer, settings->extended ? "ExtendedStatistic" : "Statistic", metric->statistic);
    write_dimensions(answer, metric);
    answer_integer(answer, "Period", metric->period_s);
    text(answer, "Unit", metric->unit);
}

static void write_metric_stat(struct answer *answer, const struct alarm_metric *metric) {
    answer_object(answer, "MetricStat");
    answer_object(answer, "Metric");
    answer_text(answer, "Namespace", metric->name_space);
    answer_text(answer, "MetricName", metric->name);
    write_dimensions(answer, metric);
    answer_end(answer);
    answer_integer(answer, "Period", metric->period_s);
    answer_text(answer, "Stat", metric->statistic);
    text(answer, "Unit", metric->unit);
    answer_end(answer);
}

static void write_queries(struct answer *answer, const struct alarm_settings *settings) {
    answer_list(answer, "Dimensions");
    answer_end(answer);
    answer_list(answer, "Metrics");
    for (size_t i = 0; i < settings->query_count; i++) {
        const struct alarm_query *query = &settings->queries[i];
        answer_object(answer, NULL);
        answer_text(answer, "Id", query->id);
        text(answer, "Expression", query->expression);
        if (!slice_present(query->expression))
            write_metric_stat(answer, &query->metric);
        else if (query->metric.period_s > 0)
            answer_integer(answer, "Period", query->metric.period_s);
        text(answer, "Label", query->label);
        text(answer, "AccountId", query->account);
        answer_bool(answer, "ReturnData", query->returns);
        answer_end(answer);
    }
    answer_end(answer);
}

static void write_rule(struct answer *answer, const struct alarm_settings *settings) {
    const struct alarm_rule *rule = &settings->rule;
    answer_integer(answer, "EvaluationPeriods", rule->periods);
    if (rule->datapoints > 0)
        answer_integer(answer, "DatapointsToAlarm", rule->datapoints);
    answer_number(answer, "Threshold", rule->threshold);
    answer_word(answer, "ComparisonOperator", alarm_comparison_word(rule->comparison));
    if (settings->treatment_said)
        answer_word(answer, "TreatMissingData", alarm_treatment_word(rule->treatment));
    text(answer, "EvaluateLowSampleCountPercentile", settings->low_samples);
}

void alarm_write(struct answer *answer, const struct alarm *alarm) {
    const struct alarm_settings *settings = &alarm->settings;
    answer_object(answer, NULL);
    answer_text(answer, "AlarmName", settings->name);
    answer_text(answer, "AlarmArn", alarm->arn);
    text(answer, "AlarmDescription", settings->description);
    answer_time(answer, "AlarmConfigurationUpdatedTimestamp", alarm->configured_ms);
    answer_bool(answer, "ActionsEnabled", settings->actions_enabled);
    write_actions(answer, "OKActions", &settings->actions[ALARM_STATE_OK]);
    write_actions(answer, "AlarmActions", &settings->actions[ALARM_STATE_ALARM]);
    write_actions(answer, "InsufficientDataActions",
                  &settings->actions[ALARM_STATE_INSUFFICIENT_DATA]);
    write_status(answer, &alarm->status);
    if (settings->query_count > 0)
        write_queries(answer, settings);
    else
        write_single(answer, settings);
    write_rule(answer, settings);
    answer_end(answer);
}
