/* alarm_ops.c - PutMetricAlarm, DescribeAlarms and those that change alarms by their names. */

#include "alarm/alarms.h"
#include "cloudwatch/alarm_input.h"
#include "cloudwatch/alarm_output.h"
#include "cloudwatch/alarm_points.h"
#include "cloudwatch/cloudwatch.h"
#include "cloudwatch/page.h"
#include "cloudwatch/request.h"

enum { PAGE_MAX = 100, PAGE_USUAL = 50, NAMES_MAX = 100 };

static struct alarms *alarms_of(const struct service_call *call) {
    return cloudwatch_of(call)->alarms;
}

static struct error *no_such(const struct service_call *call) {
    return error_new(call->arena, ERROR_CLOUDWATCH_NOT_FOUND, "%s", "");
}

static struct slice arn_of(const struct service_call *call, struct slice name) {
    return arena_printf(call->arena, "arn:aws:cloudwatch:%.*s:%.*s:alarm:%.*s",
                        SLICE_ARGS(call->region), SLICE_ARGS(call->account), SLICE_ARGS(name));
}

/* The one that AlarmName names. */
static struct slice resource_of_name(const struct service_call *call, size_t number) {
    return number == 0 ? arn_of(call, input_text(call->input, "AlarmName")) : SLICE_NONE;
}

/* Each that AlarmNames names. */
static struct slice resource_of_names(const struct service_call *call, size_t number) {
    const struct json_value *item = input_items(call->input, "AlarmNames");
    for (size_t i = 0; item != NULL && i < number; i++)
        item = item->next;
    return item == NULL ? SLICE_NONE : arn_of(call, item->text);
}

/* ---- PutMetricAlarm ---- */

static struct error *put_metric_alarm(struct service_call *call) {
    struct alarm_settings settings;
    struct alarm_pair *tags;
    size_t tag_count;
    TRY(alarm_input_read(call->arena, call->input, &settings));
    TRY(tags_read(call->arena, call->input, &tags, &tag_count));
    TRY(alarm_points_check(cloudwatch_of(call)->series, call->arena, &settings,
                           clock_now_ms(call->clock)));
    return alarms_put(alarms_of(call), call->arena, &settings, tags, tag_count);
}

/* ---- DescribeAlarms ---- */

static const struct input_field describe_fields[] = {
    INPUT("AlarmNames", INPUT_LIST, .max = NAMES_MAX, .items = INPUT_TEXT, .item_min = 1,
          .item_max = ALARM_NAME_MAX),
    INPUT("AlarmNamePrefix", INPUT_TEXT, .min = 1, .max = ALARM_NAME_MAX),
    INPUT("AlarmTypes", INPUT_LIST, .items = INPUT_TEXT,
          .item_words = "[CompositeAlarm, MetricAlarm, LogAlarm]"),
    INPUT("ChildrenOfAlarmName", INPUT_TEXT, .min = 1, .max = ALARM_NAME_MAX),
    INPUT("ParentsOfAlarmName", INPUT_TEXT, .min = 1, .max = ALARM_NAME_MAX),
    INPUT("StateValue", INPUT_TEXT, .words = "[INSUFFICIENT_DATA, ALARM, OK]"),
    INPUT("ActionPrefix", INPUT_TEXT, .min = 1, .max = 1024),
    INPUT("MaxRecords", INPUT_INTEGER, .min = 1, .max = PAGE_MAX),
    INPUT("NextToken", INPUT_TEXT),
    INPUT_END,
};

struct describing {
    struct service_call *call;
    struct slice prefix; /* absent: any */
    struct slice after;  /* names up to this one were on the page before; or absent */
    bool by_names;
    size_t left;
    struct slice last; /* of the page */
    bool more;
};

static bool is_named(const struct describing *describing, struct slice name) {
    const struct json_value *item = input_items(describing->call->input, "AlarmNames");
    if (!describing->by_names)
        return true;
    while (item != NULL && !slice_equal(item->text, name))
        item = item->next;
    return item != NULL;
}

static bool has_action(const struct alarm *alarm, struct slice prefix) {
    for (size_t i = 0; i < ALARM_STATE_COUNT; i++)
        for (size_t k = 0; k < alarm->settings.actions[i].count; k++)
            if (slice_starts_with(alarm->settings.actions[i].names[k], prefix))
                return true;
    return false;
}

static bool is_wanted(const struct describing *describing, const struct alarm *alarm) {
    const struct json_value *input = describing->call->input;
    struct slice state = input_text(input, "StateValue"), name = alarm->settings.name;
    struct slice action = input_text(input, "ActionPrefix");
    return is_named(describing, name) &&
           (!slice_present(describing->after) || slice_compare(name, describing->after) > 0) &&
           (!slice_present(state) || slice_is(state, alarm_state_word(alarm->status.state))) &&
           (!slice_present(action) || has_action(alarm, action));
}

/* Alarms come by name: behind the prefix there is nothing more. */
static bool describe_one(void *user, const struct alarm *alarm) {
    struct describing *describing = user;
    if (slice_present(describing->prefix) &&
        !slice_starts_with(alarm->settings.name, describing->prefix))
        return false;
    if (!is_wanted(describing, alarm))
        return true;
    if (describing->left == 0) {
        describing->more = true;
        return false;
    }
    describing->left--;
    describing->last = arena_slice(describing->call->arena, alarm->settings.name);
    alarm_write(describing->call->answer, alarm);
    return true;
}

/* There are no alarms of the other kinds, and none is part of another. */
static bool wants_metric_alarms(const struct json_value *input) {
    const struct json_value *type = input_items(input, "AlarmTypes");
    if (input_has(input, "ChildrenOfAlarmName") || input_has(input, "ParentsOfAlarmName"))
        return false;
    if (type == NULL)
        return true;
    while (type != NULL && !slice_is(type->text, "MetricAlarm"))
        type = type->next;
    return type != NULL;
}

static struct error *describe_alarms(struct service_call *call) {
    const struct json_value *input = call->input;
    struct describing describing = {
        .call = call,
        .prefix = input_text(input, "AlarmNamePrefix"),
        .by_names = input_count(input, "AlarmNames") > 0,
        .left = (size_t)input_integer(
            input, "MaxRecords", input_count(input, "AlarmNames") > 0 ? NAMES_MAX : PAGE_USUAL)};
    if (describing.by_names && slice_present(describing.prefix))
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_COMBINATION,
                         "AlarmNames and AlarmNamePrefix exclude each other");
    TRY(page_read(call, &describing.after));
    struct slice from = slice_present(describing.after)    ? describing.after
                        : slice_present(describing.prefix) ? describing.prefix
                                                           : SLICE_LITERAL("");
    answer_list(call->answer, "MetricAlarms");
    if (wants_metric_alarms(input))
        alarms_visit(alarms_of(call), from, describe_one, &describing);
    answer_end(call->answer);
    answer_list(call->answer, "CompositeAlarms");
    answer_end(call->answer);
    if (describing.more)
        answer_text(call->answer, "NextToken", page_token(call->arena, describing.last));
    return NULL;
}

/* ---- DescribeAlarmsForMetric ---- */

static const struct input_field for_metric_fields[] = {
    INPUT("MetricName", INPUT_TEXT, .required = true, .min = 1, .max = 255),
    INPUT("Namespace", INPUT_TEXT, .required = true, .min = 1, .max = 255),
    INPUT("Statistic", INPUT_TEXT),
    INPUT("ExtendedStatistic", INPUT_TEXT),
    INPUT("Dimensions", INPUT_LIST, .max = ALARM_DIMENSIONS_MAX, .items = INPUT_OBJECT,
          .members = request_dimension),
    INPUT("Period", INPUT_INTEGER, .min = 1),
    INPUT("Unit", INPUT_TEXT),
    INPUT_END,
};

struct for_metric {
    struct service_call *call;
    struct alarm_pair *dimensions;
    size_t count;
};

static bool has_dimension(const struct alarm_metric *metric, const struct alarm_pair *wanted) {
    for (size_t i = 0; i < metric->dimension_count; i++)
        if (slice_equal(metric->dimensions[i].name, wanted->name) &&
            slice_equal(metric->dimensions[i].value, wanted->value))
            return true;
    return false;
}

static bool is_text(const struct json_value *input, const char *name, struct slice value) {
    struct slice wanted = input_text(input, name);
    return !slice_present(wanted) || slice_equal(wanted, value);
}

static bool is_on(const struct for_metric *wanted, const struct alarm_settings *settings) {
    const struct json_value *input = wanted->call->input;
    const struct alarm_metric *metric = &settings->metric;
    const char *statistic = settings->extended ? "ExtendedStatistic" : "Statistic";
    const char *other = settings->extended ? "Statistic" : "ExtendedStatistic";
    if (settings->query_count > 0 || metric->dimension_count != wanted->count ||
        !is_text(input, "MetricName", metric->name) ||
        !is_text(input, "Namespace", metric->name_space) ||
        !is_text(input, statistic, metric->statistic) || input_has(input, other) ||
        !is_text(input, "Unit", metric->unit) ||
        input_integer(input, "Period", metric->period_s) != metric->period_s)
        return false;
    for (size_t i = 0; i < wanted->count; i++)
        if (!has_dimension(metric, &wanted->dimensions[i]))
            return false;
    return true;
}

static bool describe_if_on(void *user, const struct alarm *alarm) {
    struct for_metric *wanted = user;
    if (is_on(wanted, &alarm->settings))
        alarm_write(wanted->call->answer, alarm);
    return true;
}

static struct error *describe_alarms_for_metric(struct service_call *call) {
    struct for_metric wanted = {.call = call};
    dimensions_read(call->arena, call->input, &wanted.dimensions, &wanted.count);
    answer_list(call->answer, "MetricAlarms");
    alarms_visit(alarms_of(call), SLICE_LITERAL(""), describe_if_on, &wanted);
    answer_end(call->answer);
    return NULL;
}

/* ---- SetAlarmState ---- */

static const struct input_field set_state_fields[] = {
    INPUT("AlarmName", INPUT_TEXT, .required = true, .min = 1, .max = ALARM_NAME_MAX),
    INPUT("StateValue", INPUT_TEXT, .required = true, .words = "[INSUFFICIENT_DATA, ALARM, OK]"),
    INPUT("StateReason", INPUT_TEXT, .required = true, .max = 1023),
    INPUT("StateReasonData", INPUT_TEXT, .max = 4000),
    INPUT_END,
};

static struct error *set_alarm_state(struct service_call *call) {
    const struct json_value *input = call->input;
    struct alarm_status status = {.reason = input_text(input, "StateReason"),
                                  .reason_data = input_text(input, "StateReasonData")};
    bool found;
    alarm_state_of(input_text(input, "StateValue"), &status.state);
    if (slice_present(status.reason_data) &&
        json_tree_read(call->arena, status.reason_data, NULL) == NULL)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_FORMAT,
                         "StateReasonData is not valid JSON");
    TRY(alarms_set_state(alarms_of(call), call->arena, input_text(input, "AlarmName"), &status,
                         &found));
    return found ? NULL : no_such(call);
}

/* ---- by names ---- */

static const struct input_field names_fields[] = {
    INPUT("AlarmNames", INPUT_LIST, .required = true, .max = NAMES_MAX, .items = INPUT_TEXT,
          .item_min = 1, .item_max = ALARM_NAME_MAX),
    INPUT_END,
};

/* Names that there are not are passed over, as the service does with each of these. */
static struct error *enable(struct service_call *call, bool enabled) {
    bool found;
    for (const struct json_value *item = input_items(call->input, "AlarmNames"); item != NULL;
         item = item->next)
        TRY(alarms_enable(alarms_of(call), call->arena, item->text, enabled, &found));
    return NULL;
}

static struct error *enable_alarm_actions(struct service_call *call) {
    return enable(call, true);
}

static struct error *disable_alarm_actions(struct service_call *call) {
    return enable(call, false);
}

static struct error *delete_alarms(struct service_call *call) {
    bool found;
    for (const struct json_value *item = input_items(call->input, "AlarmNames"); item != NULL;
         item = item->next)
        TRY(alarms_delete(alarms_of(call), call->arena, item->text, &found));
    return NULL;
}

enum { CHANGE = SERVICE_CHANGES | SERVICE_NO_OUTPUT };

const struct service_op cloudwatch_put_metric_alarm = {"PutMetricAlarm", put_metric_alarm,
                                                       alarm_fields, CHANGE, resource_of_name};
const struct service_op cloudwatch_describe_alarms = {"DescribeAlarms", describe_alarms,
                                                      describe_fields, 0, NULL};
const struct service_op cloudwatch_describe_alarms_for_metric = {
    "DescribeAlarmsForMetric", describe_alarms_for_metric, for_metric_fields, 0, NULL};
const struct service_op cloudwatch_set_alarm_state = {"SetAlarmState", set_alarm_state,
                                                      set_state_fields, CHANGE, resource_of_name};
const struct service_op cloudwatch_enable_alarm_actions = {
    "EnableAlarmActions", enable_alarm_actions, names_fields, CHANGE, resource_of_names};
const struct service_op cloudwatch_disable_alarm_actions = {
    "DisableAlarmActions", disable_alarm_actions, names_fields, CHANGE, resource_of_names};
const struct service_op cloudwatch_delete_alarms = {"DeleteAlarms", delete_alarms, names_fields,
                                                    CHANGE, resource_of_names};
