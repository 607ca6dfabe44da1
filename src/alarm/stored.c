/* stored.c - see stored.h. Stored bytes are not believed: a member of another type, or none where
 * one is needed, is an error that names the record. */
#include "alarm/stored.h"

#include <inttypes.h>
#include <stdlib.h>

#include "json/member.h"
#include "json/text.h"
#include "json/tree.h"

enum { NUMBER_CHARS_MAX = 40 };

#define WHOLE_MAX (INT64_C(1) << 53) /* what a double tells apart */

static const char *const action_members[ALARM_STATE_COUNT] = {
    [ALARM_STATE_INSUFFICIENT_DATA] = "insufficient_data_actions",
    [ALARM_STATE_ALARM] = "alarm_actions",
    [ALARM_STATE_OK] = "ok_actions",
};

static const char *const history_words[HISTORY_TYPE_COUNT] = {"ConfigurationUpdate", "StateUpdate",
                                                              "Action"};

const char *history_type_word(enum history_type type) {
    return history_words[type];
}

/* ---- writing ---- */

static void text(struct json_writer *json, const char *name, struct slice value) {
    if (slice_present(value))
        member_text(json, name, value);
}

static void pairs(struct json_writer *json, const char *name, const struct alarm_pair *list,
                  size_t count) {
    member_array(json, name);
    for (size_t i = 0; i < count; i++) {
        json_string(json, list[i].name);
        json_string(json, list[i].value);
    }
    json_array_end(json);
}

static void write_metric(struct json_writer *json, const struct alarm_metric *metric) {
    text(json, "namespace", metric->name_space);
    text(json, "metric", metric->name);
    text(json, "statistic", metric->statistic);
    text(json, "unit", metric->unit);
    member_integer(json, "period", metric->period_s);
    pairs(json, "dimensions", metric->dimensions, metric->dimension_count);
}

static void write_queries(struct json_writer *json, const struct alarm_settings *settings) {
    member_array(json, "queries");
    for (size_t i = 0; i < settings->query_count; i++) {
        const struct alarm_query *query = &settings->queries[i];
        json_object_begin(json);
        member_text(json, "id", query->id);
        text(json, "expression", query->expression);
        text(json, "label", query->label);
        text(json, "account", query->account);
        member_bool(json, "returns", query->returns);
        write_metric(json, &query->metric);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_rule(struct json_writer *json, const struct alarm_settings *settings) {
    const struct alarm_rule *rule = &settings->rule;
    json_name(json, SLICE_LITERAL("threshold"));
    json_double(json, rule->threshold);
    member_word(json, "comparison", alarm_comparison_word(rule->comparison));
    member_integer(json, "periods", rule->periods);
    member_integer(json, "datapoints", rule->datapoints);
    if (settings->treatment_said)
        member_word(json, "missing", alarm_treatment_word(rule->treatment));
    member_bool(json, "extended", settings->extended);
    text(json, "low_samples", settings->low_samples);
}

static void write_settings(struct json_writer *json, const struct alarm_settings *settings) {
    member_text(json, "name", settings->name);
    text(json, "description", settings->description);
    member_bool(json, "enabled", settings->actions_enabled);
    for (size_t i = 0; i < ALARM_STATE_COUNT; i++) {
        member_array(json, action_members[i]);
        for (size_t k = 0; k < settings->actions[i].count; k++)
            json_string(json, settings->actions[i].names[k]);
        json_array_end(json);
    }
    write_rule(json, settings);
    write_metric(json, &settings->metric);
    write_queries(json, settings);
}

static void write_status(struct json_writer *json, const struct alarm_status *status) {
    member_word(json, "state", alarm_state_word(status->state));
    member_text(json, "reason", status->reason);
    text(json, "reason_data", status->reason_data);
    member_integer(json, "updated", status->updated_ms);
    member_integer(json, "transitioned", status->transitioned_ms);
}

struct record alarm_record(struct arena *arena, const struct alarm *alarm) {
    struct json_text out;
    json_text_begin(&out);
    write_settings(&out.json, &alarm->settings);
    write_status(&out.json, &alarm->status);
    member_integer(&out.json, "configured", alarm->configured_ms);
    member_integer(&out.json, "history", (int64_t)alarm->history_next);
    member_integer(&out.json, "gone", alarm->gone_ms);
    member_text(&out.json, "arn", alarm->arn);
    pairs(&out.json, "tags", alarm->tags, alarm->tag_count);
    return (struct record){.kind = SLICE_LITERAL(STORED_ALARM),
                           .name = alarm->id,
                           .value = json_text_end(&out, arena)};
}

struct slice history_kind(struct arena *arena, struct slice alarm_id) {
    return arena_printf(arena, "alarm-history-%.*s", SLICE_ARGS(alarm_id));
}

struct record history_record(struct arena *arena, struct slice alarm_id, uint64_t number,
                             const struct history_entry *entry) {
    struct json_text out;
    json_text_begin(&out);
    member_integer(&out.json, "time", entry->time_ms);
    member_integer(&out.json, "type", (int64_t)entry->type);
    member_text(&out.json, "summary", entry->summary);
    member_text(&out.json, "data", entry->data);
    return (struct record){.kind = history_kind(arena, alarm_id),
                           .name = arena_printf(arena, "%016" PRIx64, number),
                           .value = json_text_end(&out, arena)};
}

struct record outbox_record(struct arena *arena, const struct outbox_entry *entry) {
    struct json_text out;
    json_text_begin(&out);
    member_text(&out.json, "alarm", entry->alarm_id);
    member_text(&out.json, "action", entry->action);
    member_text(&out.json, "subject", entry->subject);
    member_text(&out.json, "message", entry->message);
    member_integer(&out.json, "changed", entry->changed_ms);
    return (struct record){.kind = SLICE_LITERAL(STORED_OUTBOX),
                           .name = entry->key,
                           .value = json_text_end(&out, arena)};
}

/* ---- reading ---- */

static struct error *damaged(struct arena *arena, const struct record *record) {
    return error_local(arena, "the record '%.*s' of an %.*s is damaged", SLICE_ARGS(record->name),
                       SLICE_ARGS(record->kind));
}

static bool read_number(const struct json_value *object, const char *name, double *ret_n) {
    const struct json_value *value = json_find(object, name);
    char digits[NUMBER_CHARS_MAX + 1] = {0};
    if (value == NULL || (value->kind != JSON_INTEGER && value->kind != JSON_DECIMAL) ||
        value->text.len > NUMBER_CHARS_MAX)
        return false;
    memcpy(digits, value->text.data, value->text.len);
    *ret_n = strtod(digits, NULL);
    return __builtin_isfinite(*ret_n);
}

static bool read_integer(const struct json_value *object, const char *name, int64_t most,
                         int64_t *ret_n) {
    double n;
    if (!read_number(object, name, &n) || n < 0 || n > (double)most)
        return false;
    *ret_n = (int64_t)n;
    return true;
}

static bool read_u32(const struct json_value *object, const char *name, uint32_t *ret_n) {
    int64_t n;
    if (!read_integer(object, name, UINT32_MAX, &n))
        return false;
    *ret_n = (uint32_t)n;
    return true;
}

static bool is_true(const struct json_value *object, const char *name) {
    const struct json_value *value = json_find(object, name);
    return value != NULL && value->kind == JSON_TRUE;
}

static size_t count_of(const struct json_value *first) {
    size_t count = 0;
    for (; first != NULL; first = first->next)
        count++;
    return count;
}

static bool read_pairs(struct arena *arena, const struct json_value *object, const char *name,
                       struct alarm_pair **ret_pairs, size_t *ret_count) {
    const struct json_value *item = json_find_items(object, name);
    struct alarm_pair *list = ARENA_ARRAY(arena, struct alarm_pair, count_of(item) / 2 + 1);
    size_t count = 0;
    for (; item != NULL; item = item->next->next) {
        if (item->kind != JSON_STRING || item->next == NULL || item->next->kind != JSON_STRING)
            return false;
        list[count++] = (struct alarm_pair){item->text, item->next->text};
    }
    *ret_pairs = list;
    *ret_count = count;
    return true;
}

static bool read_metric(struct arena *arena, const struct json_value *object,
                        struct alarm_metric *metric) {
    metric->name_space = json_find_text(object, "namespace");
    metric->name = json_find_text(object, "metric");
    metric->statistic = json_find_text(object, "statistic");
    metric->unit = json_find_text(object, "unit");
    return read_u32(object, "period", &metric->period_s) &&
           (metric->period_s == 0 || alarm_is_period(metric->period_s)) &&
           read_pairs(arena, object, "dimensions", &metric->dimensions, &metric->dimension_count);
}

static bool read_queries(struct arena *arena, const struct json_value *object,
                         struct alarm_settings *settings) {
    const struct json_value *item = json_find_items(object, "queries");
    settings->queries = ARENA_ARRAY(arena, struct alarm_query, count_of(item) + 1);
    for (; item != NULL; item = item->next) {
        struct alarm_query *query = &settings->queries[settings->query_count++];
        query->id = json_find_text(item, "id");
        query->expression = json_find_text(item, "expression");
        query->label = json_find_text(item, "label");
        query->account = json_find_text(item, "account");
        query->returns = is_true(item, "returns");
        if (!slice_present(query->id) || !read_metric(arena, item, &query->metric))
            return false;
    }
    return true;
}

static bool read_actions(const struct json_value *object, const char *name,
                         struct alarm_actions *actions) {
    for (const struct json_value *item = json_find_items(object, name); item != NULL;
         item = item->next) {
        if (item->kind != JSON_STRING || actions->count == ALARM_ACTIONS_MAX)
            return false;
        actions->names[actions->count++] = item->text;
    }
    return true;
}

static bool read_rule(const struct json_value *object, struct alarm_settings *settings) {
    struct alarm_rule *rule = &settings->rule;
    struct slice missing = json_find_text(object, "missing");
    settings->treatment_said = slice_present(missing);
    settings->extended = is_true(object, "extended");
    settings->low_samples = json_find_text(object, "low_samples");
    return read_number(object, "threshold", &rule->threshold) &&
           alarm_comparison_of(json_find_text(object, "comparison"), &rule->comparison) &&
           read_u32(object, "periods", &rule->periods) &&
           read_u32(object, "datapoints", &rule->datapoints) && rule->periods > 0 &&
           rule->periods <= ALARM_PERIODS_MAX && rule->datapoints <= rule->periods &&
           (!settings->treatment_said || alarm_treatment_of(missing, &rule->treatment));
}

static bool read_settings(struct arena *arena, const struct json_value *object,
                          struct alarm_settings *settings) {
    settings->name = json_find_text(object, "name");
    settings->description = json_find_text(object, "description");
    settings->actions_enabled = is_true(object, "enabled");
    for (size_t i = 0; i < ALARM_STATE_COUNT; i++)
        if (!read_actions(object, action_members[i], &settings->actions[i]))
            return false;
    return slice_present(settings->name) && read_rule(object, settings) &&
           read_metric(arena, object, &settings->metric) && read_queries(arena, object, settings) &&
           alarm_period_s(settings) > 0;
}

static bool read_status(const struct json_value *object, struct alarm_status *status) {
    status->reason = json_find_text(object, "reason");
    status->reason_data = json_find_text(object, "reason_data");
    return slice_present(status->reason) &&
           alarm_state_of(json_find_text(object, "state"), &status->state) &&
           read_integer(object, "updated", WHOLE_MAX, &status->updated_ms) &&
           read_integer(object, "transitioned", WHOLE_MAX, &status->transitioned_ms);
}

struct error *alarm_of_record(struct arena *arena, const struct record *record,
                              struct alarm *ret_alarm) {
    struct alarm alarm = {.id = record->name};
    int64_t history;
    const struct json_value *object = json_tree_read(arena, record->value, NULL);
    alarm.arn = json_find_text(object, "arn");
    if (!read_settings(arena, object, &alarm.settings) || !read_status(object, &alarm.status) ||
        !read_integer(object, "configured", WHOLE_MAX, &alarm.configured_ms) ||
        !read_integer(object, "history", WHOLE_MAX, &history) ||
        !read_integer(object, "gone", WHOLE_MAX, &alarm.gone_ms) || !slice_present(alarm.arn) ||
        !read_pairs(arena, object, "tags", &alarm.tags, &alarm.tag_count))
        return damaged(arena, record);
    alarm.history_next = (uint64_t)history;
    *ret_alarm = alarm;
    return NULL;
}

struct error *history_of_record(struct arena *arena, const struct record *record,
                                struct history_entry *ret_entry) {
    const struct json_value *object = json_tree_read(arena, record->value, NULL);
    struct history_entry entry = {.summary = json_find_text(object, "summary"),
                                  .data = json_find_text(object, "data")};
    int64_t type;
    if (!slice_present(entry.summary) || !slice_present(entry.data) ||
        !read_integer(object, "time", WHOLE_MAX, &entry.time_ms) ||
        !read_integer(object, "type", HISTORY_TYPE_COUNT - 1, &type))
        return damaged(arena, record);
    entry.type = (enum history_type)type;
    *ret_entry = entry;
    return NULL;
}

struct error *outbox_of_record(struct arena *arena, const struct record *record,
                               struct outbox_entry *ret_entry) {
    const struct json_value *object = json_tree_read(arena, record->value, NULL);
    struct outbox_entry entry = {.key = record->name,
                                 .alarm_id = json_find_text(object, "alarm"),
                                 .action = json_find_text(object, "action"),
                                 .subject = json_find_text(object, "subject"),
                                 .message = json_find_text(object, "message")};
    if (!slice_present(entry.alarm_id) || !slice_present(entry.action) ||
        !slice_present(entry.subject) || !slice_present(entry.message) ||
        !read_integer(object, "changed", WHOLE_MAX, &entry.changed_ms))
        return damaged(arena, record);
    *ret_entry = entry;
    return NULL;
}

uint32_t alarm_period_s(const struct alarm_settings *settings) {
    uint32_t longest = settings->query_count == 0 ? settings->metric.period_s : 0;
    for (size_t i = 0; i < settings->query_count; i++)
        if (settings->queries[i].metric.period_s > longest)
            longest = settings->queries[i].metric.period_s;
    return longest;
}
