/* reason.c - see reason.h.
 *
 * The sentences are those of recorded answers: an alarm that says how many points of its periods
 * have to breach is told in "out of the last", any other without. With five points and more the
 * newest five stand behind the sentence. */
#include "alarm/reason.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "json/member.h"

enum { LISTED_MAX = 5, EVALUATED_MAX = 30 };

static const char *plural(uint32_t count) {
    return count == 1 ? "" : "s";
}

static const char *was(uint32_t count) {
    return count == 1 ? "was" : "were";
}

static struct slice take(struct arena *arena, struct buffer *out) {
    CHECK(!out->overflow);
    return arena_slice(arena, buffer_slice(out));
}

static void number(struct buffer *out, double n) {
    struct json_writer json;
    json_writer_init(&json, out);
    json_double(&json, n);
}

/* ---- points ---- */

/* 26/02/26 10:13:00, from 2026-02-26T10:13:00.000. */
static void day_and_time(struct buffer *out, int64_t ms) {
    char text[TIMESTAMP_CHARS + 1];
    timestamp_print(ms, text);
    buffer_printf(out, "%.2s/%.2s/%.2s %.8s", text + 8, text + 5, text + 2, text + 11);
}

/* Those that made the state what it is. */
static bool counts(const struct reason_facts *facts, const struct verdict *verdict, size_t i) {
    const struct alarm_point *point = &facts->points[i];
    return point->present &&
           alarm_breaches(facts->rule, point->value) == (verdict->state == ALARM_STATE_ALARM);
}

static uint32_t count_them(const struct reason_facts *facts, const struct verdict *verdict) {
    uint32_t count = 0;
    for (size_t i = 0; i < verdict->looked_at; i++)
        count += counts(facts, verdict, i);
    return count;
}

static void list(struct buffer *out, const struct reason_facts *facts,
                 const struct verdict *verdict) {
    unsigned listed = 0;
    buffer_append_text(out, "[");
    for (size_t i = 0; i < verdict->looked_at && listed < LISTED_MAX; i++) {
        if (!counts(facts, verdict, i))
            continue;
        buffer_append_text(out, listed++ == 0 ? "" : ", ");
        number(out, facts->points[i].value);
        buffer_append_text(out, " (");
        day_and_time(out, facts->points[i].start_ms);
        buffer_append_text(out, ")");
    }
    buffer_append_text(out, "]");
}

/* ---- the sentence ---- */

static void crossed(struct buffer *out, const struct reason_facts *facts,
                    const struct verdict *verdict, uint32_t count) {
    const struct alarm_rule *rule = facts->rule;
    bool many = count >= LISTED_MAX, breached = verdict->state == ALARM_STATE_ALARM;
    if (rule->datapoints > 0)
        buffer_printf(out, "%" PRIu32 " out of the last %" PRIu32 " datapoints ", count,
                      rule->periods);
    else
        buffer_printf(out, "%" PRIu32 " datapoint%s ", count, plural(count));
    if (!many) {
        list(out, facts, verdict);
        buffer_append_text(out, " ");
    }
    buffer_printf(out, "%s %s%s the threshold (", was(count), breached ? "" : "not ",
                  alarm_comparison_phrase(rule->comparison));
    number(out, rule->threshold);
    buffer_append_text(out, ")");
    if (!many)
        return;
    buffer_printf(
        out, ". The most recent datapoints%s: ", breached ? " which crossed the threshold" : "");
    list(out, facts, verdict);
}

static void filled(struct buffer *out, const struct alarm_rule *rule, uint32_t count) {
    if (count > 0)
        buffer_printf(out, " and %" PRIu32 " missing datapoint%s %s treated as [%s]", count,
                      plural(count), was(count), alarm_treatment_phrase(rule->treatment));
}

static void minimum(struct buffer *out, const struct alarm_rule *rule, enum alarm_state state) {
    uint32_t needed =
        state == ALARM_STATE_ALARM ? rule->datapoints : rule->periods - rule->datapoints + 1;
    if (rule->datapoints > 0)
        buffer_printf(out, " (minimum %" PRIu32 " datapoint%s for %s transition)", needed,
                      plural(needed), state == ALARM_STATE_ALARM ? "OK -> ALARM" : "ALARM -> OK");
}

static void threshold_crossed(struct buffer *out, const struct reason_facts *facts,
                              const struct verdict *verdict) {
    const struct alarm_rule *rule = facts->rule;
    uint32_t count = count_them(facts, verdict);
    bool tell_filled = rule->treatment == ALARM_TREATMENT_BREACHING ||
                       rule->treatment == ALARM_TREATMENT_NOT_BREACHING || count == 0;
    buffer_append_text(out, "Threshold Crossed: ");
    if (verdict->real == 0)
        buffer_printf(out, "no datapoints were received for %" PRIu32 " period%s", rule->periods,
                      plural(rule->periods));
    else if (count == 0)
        buffer_printf(out, "%" PRIu32 " datapoint%s %s received for %" PRIu32 " period%s",
                      verdict->real, plural(verdict->real), was(verdict->real), rule->periods,
                      plural(rule->periods));
    else
        crossed(out, facts, verdict, count);
    if (tell_filled)
        filled(out, rule, verdict->filled);
    if (count > 0)
        minimum(out, rule, verdict->state);
    buffer_append_text(out, ".");
}

struct slice alarm_reason(struct arena *arena, const struct reason_facts *facts,
                          const struct verdict *verdict) {
    CLEANUP(buffer_release) struct buffer out;
    buffer_init(&out, REASON_BYTES_MAX);
    uint32_t unknown = facts->rule->periods;
    if (verdict->state == ALARM_STATE_INSUFFICIENT_DATA)
        buffer_printf(&out, "Insufficient Data: %" PRIu32 " datapoint%s %s unknown.", unknown,
                      plural(unknown), was(unknown));
    else
        threshold_crossed(&out, facts, verdict);
    return take(arena, &out);
}

/* ---- the figures ---- */

struct slice alarm_time(struct arena *arena, int64_t ms) {
    char text[TIMESTAMP_CHARS + 1];
    timestamp_print(ms, text);
    return arena_printf(arena, "%s+0000", text);
}

static int64_t oldest_of(const struct reason_facts *facts, const struct verdict *verdict) {
    for (size_t i = verdict->looked_at; i-- > 0;)
        if (facts->points[i].present)
            return facts->points[i].start_ms;
    return 0;
}

static void recent(struct json_writer *json, const struct reason_facts *facts,
                   const struct verdict *verdict) {
    size_t first = verdict->looked_at < EVALUATED_MAX ? verdict->looked_at : EVALUATED_MAX;
    member_array(json, "recentDatapoints");
    for (size_t i = first; i-- > 0;)
        if (facts->points[i].present)
            json_double(json, facts->points[i].value);
    json_array_end(json);
}

static void evaluated(struct json_writer *json, struct arena *arena,
                      const struct reason_facts *facts, const struct verdict *verdict) {
    size_t count = verdict->real == 0 ? facts->rule->periods : verdict->looked_at;
    member_array(json, "evaluatedDatapoints");
    for (size_t i = 0; i < count && i < EVALUATED_MAX; i++) {
        const struct alarm_point *point = &facts->points[i];
        if (!point->present && verdict->real > 0)
            continue;
        json_object_begin(json);
        member_text(json, "timestamp", alarm_time(arena, point->start_ms));
        if (point->present && point->samples > 0) {
            json_name(json, SLICE_LITERAL("sampleCount"));
            json_double(json, point->samples);
        }
        if (point->present) {
            json_name(json, SLICE_LITERAL("value"));
            json_double(json, point->value);
        }
        json_object_end(json);
    }
    json_array_end(json);
}

struct slice alarm_reason_data(struct arena *arena, const struct reason_facts *facts,
                               const struct verdict *verdict) {
    CLEANUP(buffer_release) struct buffer out;
    struct json_writer json;
    buffer_init(&out, 2 * (size_t)REASON_DATA_BYTES_MAX);
    json_writer_init(&json, &out);
    json_object_begin(&json);
    member_word(&json, "version", "1.0");
    member_text(&json, "queryDate", alarm_time(arena, facts->now_ms));
    if (verdict->real > 0)
        member_text(&json, "startDate", alarm_time(arena, oldest_of(facts, verdict)));
    if (slice_present(facts->unit))
        member_text(&json, "unit", facts->unit);
    if (slice_present(facts->statistic))
        member_text(&json, "statistic", facts->statistic);
    member_integer(&json, "period", facts->period_s);
    recent(&json, facts, verdict);
    json_name(&json, SLICE_LITERAL("threshold"));
    json_double(&json, facts->rule->threshold);
    evaluated(&json, arena, facts, verdict);
    json_object_end(&json);
    return take(arena, &out);
}
