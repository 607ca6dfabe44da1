/* alarm_history_ops.c - DescribeAlarmHistory. */
#include <inttypes.h>
#include <stdlib.h>

#include "alarm/alarms.h"
#include "cloudwatch/cloudwatch.h"
#include "cloudwatch/page.h"

enum { PAGE_MAX = 100, NUMBER_CHARS_MAX = 20 };

static const struct input_field history_fields[] = {
    INPUT("AlarmName", INPUT_TEXT, .min = 1, .max = ALARM_NAME_MAX),
    INPUT("AlarmContributorId", INPUT_TEXT, .min = 1),
    INPUT("AlarmTypes", INPUT_LIST, .items = INPUT_TEXT,
          .item_words = "[CompositeAlarm, MetricAlarm, LogAlarm]"),
    INPUT("HistoryItemType", INPUT_TEXT,
          .words = "[ConfigurationUpdate, StateUpdate, Action, AlarmContributorStateUpdate, "
                   "AlarmContributorAction]"),
    INPUT("StartDate", INPUT_TIME),
    INPUT("EndDate", INPUT_TIME),
    INPUT("MaxRecords", INPUT_INTEGER, .min = 1, .max = PAGE_MAX),
    INPUT("ScanBy", INPUT_TEXT, .words = "[TimestampDescending, TimestampAscending]"),
    INPUT("NextToken", INPUT_TEXT),
    INPUT_END,
};

struct history_filter {
    struct slice type; /* absent: any */
    int64_t from_ms;
    int64_t to_ms;
};

static bool is_wanted(const struct history_filter *filter, const struct alarm_memory *memory) {
    return (!slice_present(filter->type) ||
            slice_is(filter->type, history_type_word(memory->type))) &&
           memory->time_ms >= filter->from_ms && memory->time_ms <= filter->to_ms;
}

static struct error *write_memory(struct service_call *call, const struct alarm_memory *memory) {
    struct answer *answer = call->answer;
    struct history_entry entry;
    bool there;
    TRY(error_if_full(call->arena, 0));
    TRY(alarms_recall(cloudwatch_of(call)->alarms, call->arena, memory, &entry, &there));
    if (!there)
        return NULL;
    answer_object(answer, NULL);
    answer_text(answer, "AlarmName", memory->name);
    answer_word(answer, "AlarmType", "MetricAlarm");
    answer_time(answer, "Timestamp", entry.time_ms);
    answer_word(answer, "HistoryItemType", history_type_word(entry.type));
    answer_text(answer, "HistorySummary", entry.summary);
    answer_text(answer, "HistoryData", entry.data);
    answer_end(answer);
    return NULL;
}

/* How many were on the pages before: the token is that number. */
static struct error *pages_before(const struct service_call *call, size_t *ret_count) {
    struct slice text;
    char digits[NUMBER_CHARS_MAX + 1] = {0};
    TRY(page_read(call, &text));
    memcpy(digits, text.data == NULL ? (const uint8_t *)"0" : text.data,
           text.len > NUMBER_CHARS_MAX ? NUMBER_CHARS_MAX : text.len);
    *ret_count = (size_t)strtoull(digits, NULL, 10);
    return NULL;
}

static struct error *describe_alarm_history(struct service_call *call) {
    const struct cloudwatch *cloudwatch = cloudwatch_of(call);
    const struct json_value *input = call->input;
    struct history_filter filter = {.type = input_text(input, "HistoryItemType"),
                                    .to_ms = INT64_MAX};
    bool ascending = slice_is(input_text(input, "ScanBy"), "TimestampAscending");
    size_t max = (size_t)input_integer(input, "MaxRecords", PAGE_MAX), before, seen = 0, count;
    struct alarm_memory *memories;
    input_time(input, "StartDate", &filter.from_ms);
    input_time(input, "EndDate", &filter.to_ms);
    TRY(pages_before(call, &before));
    TRY(alarms_history(cloudwatch->alarms, call->arena, input_text(input, "AlarmName"), &memories,
                       &count));
    answer_list(call->answer, "AlarmHistoryItems");
    for (size_t i = 0; i < count; i++) {
        const struct alarm_memory *memory = &memories[ascending ? count - 1 - i : i];
        if (!is_wanted(&filter, memory))
            continue;
        if (seen >= before && seen < before + max)
            TRY(write_memory(call, memory));
        seen++;
    }
    answer_end(call->answer);
    if (seen > before + max)
        answer_text(call->answer, "NextToken",
                    page_token(call->arena, arena_printf(call->arena, "%zu", before + max)));
    return NULL;
}

const struct service_op cloudwatch_describe_alarm_history = {
    "DescribeAlarmHistory", describe_alarm_history, history_fields, 0, NULL};
