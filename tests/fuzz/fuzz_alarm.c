/* fuzz_alarm.c - any bytes as an alarm: as the stored record of one, which is refused or written as
 * the same alarm again and told in a message; and as what PutMetricAlarm is asked for, which is
 * refused or can be stored. Stored actions and topics of the command line are routed. */
#include "alarm/message.h"
#include "alarm/routes.h"
#include "cloudwatch/alarm_input.h"
#include "fuzz.h"

static const struct alarm_home home = {{(const uint8_t *)"us-east-1", 9},
                                       {(const uint8_t *)"000000000000", 12}};

static void tell(struct arena *arena, const struct alarm *alarm) {
    struct alarm_change change = {alarm, &alarm->status};
    struct alarm_routes routes = {.sns_endpoint = "http://localhost", .region = home.region};
    struct outbox_entry entry = {.key = SLICE_LITERAL("k"),
                                 .alarm_id = alarm->id,
                                 .subject = message_subject(arena, &home, alarm),
                                 .message = message_body(arena, &home, &change)};
    history_of_change(arena, &change);
    history_of_edit(arena, alarm, ALARM_UPDATED, 0);
    for (size_t i = 0; i < alarm->settings.actions[ALARM_STATE_ALARM].count; i++) {
        entry.action = alarm->settings.actions[ALARM_STATE_ALARM].names[i];
        if (!slice_present(route_refusal(&routes, entry.action)))
            route_parcel(arena, &routes, &entry);
    }
}

static void try_record(struct arena *arena, struct slice bytes) {
    struct record record = {.kind = SLICE_LITERAL("alarm"), .name = SLICE_LITERAL("id")};
    struct alarm alarm, again;
    struct history_entry entry;
    struct outbox_entry pending;
    record.value = bytes;
    if (alarm_of_record(arena, &record, &alarm) == NULL) {
        struct record written = alarm_record(arena, &alarm);
        CHECK(alarm_of_record(arena, &written, &again) == NULL);
        CHECK(slice_equal(written.value, alarm_record(arena, &again).value));
        tell(arena, &alarm);
    }
    history_of_record(arena, &record, &entry);
    outbox_of_record(arena, &record, &pending);
}

static void try_input(struct arena *arena, struct slice bytes) {
    const struct input_rules rules = {false, ERROR_CLOUDWATCH_MISSING_PARAMETER};
    const struct json_value *input = json_tree_read(arena, bytes, NULL);
    struct alarm alarm = {.id = SLICE_LITERAL("id"), .arn = SLICE_LITERAL("arn")}, again;
    if (input == NULL || input_check(arena, input, alarm_fields, &rules) != NULL ||
        alarm_input_read(arena, input, &alarm.settings) != NULL)
        return;
    alarm.status.reason = SLICE_LITERAL("new");
    struct record written = alarm_record(arena, &alarm);
    CHECK(alarm_of_record(arena, &written, &again) == NULL);
    CHECK(slice_equal(written.value, alarm_record(arena, &again).value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct alarm_topic topic;
    arena_init(&arena);
    struct slice input = slice_of(data, size);
    struct slice text = arena_printf(&arena, "%.*s", SLICE_ARGS(input));
    try_record(&arena, input);
    try_input(&arena, input);
    route_topic_read((const char *)text.data, &topic);
    arena_release(&arena);
    return 0;
}
