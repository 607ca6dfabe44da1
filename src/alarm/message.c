/* message.c - see message.h. Members and their order are those of recorded messages. */
#include "alarm/message.h"

#include "alarm/reason.h"
#include "base/check.h"
#include "json/member.h"
#include "json/tree.h"

enum { MESSAGE_BYTES_MAX = 16 << 20, SUBJECT_MAX = 100 };

static void begin(struct buffer *out, struct json_writer *json) {
    buffer_init(out, MESSAGE_BYTES_MAX);
    json_writer_init(json, out);
    json_object_begin(json);
}

static struct slice end(struct arena *arena, struct json_writer *json) {
    json_object_end(json);
    CHECK(!json->out->overflow);
    struct slice text = arena_slice(arena, buffer_slice(json->out));
    buffer_release(json->out);
    return text;
}

static void text_or_null(struct json_writer *json, const char *name, struct slice text) {
    json_name(json, slice_text(name));
    if (slice_present(text))
        json_string(json, text);
    else
        json_null(json);
}

static void number(struct json_writer *json, const char *name, double n) {
    json_name(json, slice_text(name));
    json_double(json, n);
}

static void names(struct json_writer *json, const char *name, const struct alarm_actions *actions) {
    member_array(json, name);
    for (size_t i = 0; i < actions->count; i++)
        json_string(json, actions->names[i]);
    json_array_end(json);
}

static void dimensions(struct json_writer *json, const char *name,
                       const struct alarm_metric *metric) {
    member_array(json, name);
    for (size_t i = 0; i < metric->dimension_count; i++) {
        json_object_begin(json);
        member_text(json, "value", metric->dimensions[i].value);
        member_text(json, "name", metric->dimensions[i].name);
        json_object_end(json);
    }
    json_array_end(json);
}

/* ---- the message ---- */

static struct slice region_name(struct slice code) {
    static const char *const regions[][2] = {
#define REGION(known, name) {known, name},
#include "alarm/regions.def"
#undef REGION
    };
    for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++)
        if (slice_is(code, regions[i][0]))
            return slice_text(regions[i][1]);
    return code;
}

/* Names may have any characters; what is cut is cut between two of them. */
struct slice message_subject(struct arena *arena, const struct alarm_home *home,
                             const struct alarm *alarm) {
    struct slice text =
        arena_printf(arena, "%s: \"%.*s\" in %.*s", alarm_state_word(alarm->status.state),
                     SLICE_ARGS(alarm->settings.name), SLICE_ARGS(region_name(home->region)));
    size_t at = 0;
    for (size_t characters = 0; at < text.len; at++) {
        characters += (text.data[at] & 0xC0) != 0x80;
        if (characters > SUBJECT_MAX)
            break;
    }
    return slice_first(text, at);
}

/* "SampleCount" is SAMPLE_COUNT here. */
static struct slice shouted(struct arena *arena, struct slice word) {
    char *text = arena_alloc(arena, 2 * word.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < word.len; i++) {
        uint8_t c = word.data[i];
        if (i > 0 && c >= 'A' && c <= 'Z')
            text[len++] = '_';
        text[len++] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    return slice_of(text, len);
}

static void trigger_metric(struct json_writer *json, struct arena *arena,
                           const struct alarm_settings *settings) {
    const struct alarm_metric *metric = &settings->metric;
    member_text(json, "MetricName", metric->name);
    member_text(json, "Namespace", metric->name_space);
    member_word(json, "StatisticType", settings->extended ? "ExtendedStatistic" : "Statistic");
    if (settings->extended)
        member_text(json, "ExtendedStatistic", metric->statistic);
    else
        member_text(json, "Statistic", shouted(arena, metric->statistic));
    text_or_null(json, "Unit", metric->unit);
    dimensions(json, "Dimensions", metric);
}

static void trigger_query(struct json_writer *json, const struct alarm_query *query) {
    const struct alarm_metric *metric = &query->metric;
    json_object_begin(json);
    if (slice_present(query->expression))
        member_text(json, "Expression", query->expression);
    member_text(json, "Id", query->id);
    if (slice_present(query->label))
        member_text(json, "Label", query->label);
    if (!slice_present(query->expression)) {
        member_object(json, "MetricStat");
        member_object(json, "Metric");
        dimensions(json, "Dimensions", metric);
        member_text(json, "MetricName", metric->name);
        member_text(json, "Namespace", metric->name_space);
        json_object_end(json);
        member_integer(json, "Period", metric->period_s);
        member_text(json, "Stat", metric->statistic);
        if (slice_present(metric->unit))
            member_text(json, "Unit", metric->unit);
        json_object_end(json);
    } else if (metric->period_s > 0) {
        member_integer(json, "Period", metric->period_s);
    }
    member_bool(json, "ReturnData", query->returns);
    json_object_end(json);
}

static void trigger(struct json_writer *json, struct arena *arena,
                    const struct alarm_settings *settings) {
    const struct alarm_rule *rule = &settings->rule;
    member_object(json, "Trigger");
    if (settings->query_count == 0)
        trigger_metric(json, arena, settings);
    member_integer(json, "Period", alarm_period_s(settings));
    member_integer(json, "EvaluationPeriods", rule->periods);
    if (rule->datapoints > 0)
        member_integer(json, "DatapointsToAlarm", rule->datapoints);
    member_word(json, "ComparisonOperator", alarm_comparison_word(rule->comparison));
    number(json, "Threshold", rule->threshold);
    member_word(json, "TreatMissingData",
                settings->treatment_said ? alarm_treatment_word(rule->treatment) : "");
    member_text(json, "EvaluateLowSampleCountPercentile",
                slice_present(settings->low_samples) ? settings->low_samples : SLICE_LITERAL(""));
    if (settings->query_count > 0) {
        member_array(json, "Metrics");
        for (size_t i = 0; i < settings->query_count; i++)
            trigger_query(json, &settings->queries[i]);
        json_array_end(json);
    }
    json_object_end(json);
}

struct slice message_body(struct arena *arena, const struct alarm_home *home,
                          const struct alarm_change *change) {
    const struct alarm *alarm = change->alarm;
    const struct alarm_settings *settings = &alarm->settings;
    struct buffer out;
    struct json_writer json;
    begin(&out, &json);
    member_text(&json, "AlarmName", settings->name);
    text_or_null(&json, "AlarmDescription", settings->description);
    member_text(&json, "AWSAccountId", home->account);
    member_text(&json, "AlarmConfigurationUpdatedTimestamp",
                alarm_time(arena, alarm->configured_ms));
    member_word(&json, "NewStateValue", alarm_state_word(alarm->status.state));
    member_text(&json, "NewStateReason", alarm->status.reason);
    member_text(&json, "StateChangeTime", alarm_time(arena, alarm->status.updated_ms));
    member_text(&json, "Region", region_name(home->region));
    member_text(&json, "AlarmArn", alarm->arn);
    member_word(&json, "OldStateValue", alarm_state_word(change->before->state));
    names(&json, "OKActions", &settings->actions[ALARM_STATE_OK]);
    names(&json, "AlarmActions", &settings->actions[ALARM_STATE_ALARM]);
    names(&json, "InsufficientDataActions", &settings->actions[ALARM_STATE_INSUFFICIENT_DATA]);
    member_bool(&json, "ActionExecutedAfterMuteWindow", false);
    trigger(&json, arena, settings);
    return end(arena, &json);
}

/* ---- history ---- */

/* What the service embeds as JSON; a text of a caller's own may be none. */
static void embed(struct json_writer *json, struct arena *arena, const char *name,
                  struct slice text) {
    if (!slice_present(text))
        return;
    if (json_tree_read(arena, text, NULL) == NULL) {
        member_text(json, name, text);
        return;
    }
    json_name(json, slice_text(name));
    buffer_append_slice(json->out, text);
    json->comma = true;
}

static void state(struct json_writer *json, struct arena *arena, const char *name,
                  const struct alarm_status *status) {
    member_object(json, name);
    member_word(json, "stateValue", alarm_state_word(status->state));
    member_text(json, "stateReason", status->reason);
    embed(json, arena, "stateReasonData", status->reason_data);
    json_object_end(json);
}

struct history_entry history_of_change(struct arena *arena, const struct alarm_change *change) {
    const struct alarm_status *after = &change->alarm->status;
    struct buffer out;
    struct json_writer json;
    begin(&out, &json);
    member_word(&json, "version", "1.0");
    state(&json, arena, "oldState", change->before);
    state(&json, arena, "newState", after);
    return (struct history_entry){.time_ms = after->updated_ms,
                                  .type = HISTORY_STATE,
                                  .summary = arena_printf(arena, "Alarm updated from %s to %s",
                                                          alarm_state_word(change->before->state),
                                                          alarm_state_word(after->state)),
                                  .data = end(arena, &json)};
}

static void edited(struct json_writer *json, struct arena *arena, const struct alarm *alarm) {
    const struct alarm_settings *settings = &alarm->settings;
    member_text(json, "alarmName", settings->name);
    if (slice_present(settings->description))
        member_text(json, "alarmDescription", settings->description);
    member_text(json, "alarmArn", alarm->arn);
    member_text(json, "alarmConfigurationUpdatedTimestamp",
                alarm_time(arena, alarm->configured_ms));
    if (settings->query_count == 0) {
        member_text(json, "namespace", settings->metric.name_space);
        member_text(json, "metricName", settings->metric.name);
        member_text(json, settings->extended ? "extendedStatistic" : "statistic",
                    settings->metric.statistic);
        member_integer(json, "period", settings->metric.period_s);
        dimensions(json, "dimensions", &settings->metric);
    }
    number(json, "threshold", settings->rule.threshold);
    member_word(json, "comparisonOperator", alarm_comparison_word(settings->rule.comparison));
    member_integer(json, "evaluationPeriods", settings->rule.periods);
    member_word(json, "stateValue", alarm_state_word(alarm->status.state));
    member_text(json, "stateUpdatedTimestamp", alarm_time(arena, alarm->status.updated_ms));
    member_bool(json, "actionsEnabled", settings->actions_enabled);
    names(json, "alarmActions", &settings->actions[ALARM_STATE_ALARM]);
    names(json, "insufficientDataActions", &settings->actions[ALARM_STATE_INSUFFICIENT_DATA]);
    names(json, "okactions", &settings->actions[ALARM_STATE_OK]);
}

struct history_entry history_of_edit(struct arena *arena, const struct alarm *alarm,
                                     enum alarm_edit edit, int64_t now_ms) {
    static const char *const types[] = {"Create", "Update", "Delete"};
    static const char *const members[] = {"createdAlarm", "updatedAlarm", "deletedAlarm"};
    static const char *const verbs[] = {"created", "updated", "deleted"};
    struct buffer out;
    struct json_writer json;
    begin(&out, &json);
    member_word(&json, "version", "1.0");
    member_word(&json, "type", types[edit]);
    member_object(&json, members[edit]);
    edited(&json, arena, alarm);
    json_object_end(&json);
    return (struct history_entry){
        .time_ms = now_ms,
        .type = HISTORY_CONFIGURATION,
        .summary =
            arena_printf(arena, "Alarm \"%.*s\" %s", SLICE_ARGS(alarm->settings.name), verbs[edit]),
        .data = end(arena, &json)};
}

struct history_entry history_of_action(struct arena *arena, const struct outbox_entry *sent,
                                       struct slice failure, int64_t now_ms) {
    bool failed = slice_present(failure);
    struct buffer out;
    struct json_writer json;
    begin(&out, &json);
    member_word(&json, "actionState", failed ? "Failed" : "Succeeded");
    member_integer(&json, "stateUpdateTimestamp", sent->changed_ms);
    member_text(&json, "notificationResource", sent->action);
    if (failed)
        member_text(&json, "error", failure);
    else
        member_text(&json, "publishedMessage", sent->message);
    struct slice summary =
        failed ? arena_printf(arena, "Failed to execute action %.*s. Received error: \"%.*s\"",
                              SLICE_ARGS(sent->action), SLICE_ARGS(failure))
               : arena_printf(arena, "Successfully executed action %.*s", SLICE_ARGS(sent->action));
    return (struct history_entry){
        .time_ms = now_ms, .type = HISTORY_ACTION, .summary = summary, .data = end(arena, &json)};
}
