/* test_message.c - what alarms send and remember, word for word; that records come back as they
 * were; and where actions go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "alarm/message.h"
#include "alarm/routes.h"

#define SNS "arn:aws:sns:us-east-1:000000000000:t"

static struct arena arena;
static const struct alarm_home home = {{(const uint8_t *)"us-east-1", 9},
                                       {(const uint8_t *)"000000000000", 12}};

static struct alarm_pair instance[] = {
    {{(const uint8_t *)"InstanceId", 10}, {(const uint8_t *)"abc", 3}}};

static struct alarm plain(void) {
    struct alarm alarm = {
        .id = SLICE_LITERAL("1234"),
        .arn = SLICE_LITERAL("arn:aws:cloudwatch:us-east-1:000000000000:alarm:hot"),
        .configured_ms = INT64_C(1772100830000),
        .settings = {.name = SLICE_LITERAL("hot"),
                     .description = SLICE_LITERAL("too \"hot\""),
                     .actions_enabled = true,
                     .rule = {21, ALARM_COMPARISON_GREATER, ALARM_TREATMENT_IGNORE, 1, 0},
                     .treatment_said = true,
                     .metric = {.name_space = SLICE_LITERAL("test/ns"),
                                .name = SLICE_LITERAL("degrees"),
                                .dimensions = instance,
                                .dimension_count = 1,
                                .period_s = 10,
                                .statistic = SLICE_LITERAL("Average"),
                                .unit = SLICE_LITERAL("Seconds")}},
        .status = {.state = ALARM_STATE_ALARM,
                   .reason = SLICE_LITERAL("because"),
                   .reason_data = SLICE_LITERAL("{\"version\":\"1.0\"}"),
                   .updated_ms = INT64_C(1772100851000),
                   .transitioned_ms = INT64_C(1772100851000)},
    };
    alarm.settings.actions[ALARM_STATE_ALARM] = (struct alarm_actions){{SLICE_LITERAL(SNS)}, 1};
    return alarm;
}

static struct alarm mathematical(void) {
    struct alarm alarm = plain();
    static struct alarm_query queries[2];
    queries[0] = (struct alarm_query){.id = SLICE_LITERAL("e1"),
                                      .expression = SLICE_LITERAL("m1 * 100"),
                                      .label = SLICE_LITERAL("rate"),
                                      .returns = true};
    queries[1] = (struct alarm_query){.id = SLICE_LITERAL("m1"),
                                      .metric = {.name_space = SLICE_LITERAL("AWS/DynamoDB"),
                                                 .name = SLICE_LITERAL("UserErrors"),
                                                 .period_s = 60,
                                                 .statistic = SLICE_LITERAL("Sum")}};
    alarm.settings.metric = (struct alarm_metric){.period_s = 0};
    alarm.settings.queries = queries;
    alarm.settings.query_count = 2;
    alarm.settings.description = SLICE_NONE;
    alarm.settings.treatment_said = false;
    alarm.settings.rule.periods = 5;
    alarm.settings.rule.datapoints = 3;
    return alarm;
}

static const struct alarm_status before = {.state = ALARM_STATE_INSUFFICIENT_DATA,
                                           .reason = {(const uint8_t *)"new", 3}};

static const char *text_of(struct slice text) {
    return (const char *)arena_printf(&arena, "%.*s", SLICE_ARGS(text)).data;
}

static void a_message_of_one_metric(void **state) {
    (void)state;
    struct alarm alarm = plain();
    struct alarm_change change = {&alarm, &before};
    assert_string_equal(text_of(message_subject(&arena, &home, &alarm)),
                        "ALARM: \"hot\" in US East (N. Virginia)");
    assert_string_equal(
        text_of(message_body(&arena, &home, &change)),
        "{\"AlarmName\":\"hot\",\"AlarmDescription\":\"too \\\"hot\\\"\",\"AWSAccountId\":"
        "\"000000000000\",\"AlarmConfigurationUpdatedTimestamp\":\"2026-02-26T10:13:50.000+0000\","
        "\"NewStateValue\":\"ALARM\",\"NewStateReason\":\"because\",\"StateChangeTime\":"
        "\"2026-02-26T10:14:11.000+0000\",\"Region\":\"US East (N. Virginia)\",\"AlarmArn\":"
        "\"arn:aws:cloudwatch:us-east-1:000000000000:alarm:hot\",\"OldStateValue\":"
        "\"INSUFFICIENT_DATA\",\"OKActions\":[],\"AlarmActions\":[\"" SNS "\"],"
        "\"InsufficientDataActions\":[],\"ActionExecutedAfterMuteWindow\":false,\"Trigger\":{"
        "\"MetricName\":\"degrees\",\"Namespace\":\"test/ns\",\"StatisticType\":\"Statistic\","
        "\"Statistic\":\"AVERAGE\",\"Unit\":\"Seconds\",\"Dimensions\":[{\"value\":\"abc\","
        "\"name\":\"InstanceId\"}],\"Period\":10,\"EvaluationPeriods\":1,\"ComparisonOperator\":"
        "\"GreaterThanThreshold\",\"Threshold\":21.0,\"TreatMissingData\":\"ignore\","
        "\"EvaluateLowSampleCountPercentile\":\"\"}}");
}

static void a_message_of_an_expression(void **state) {
    (void)state;
    struct alarm alarm = mathematical();
    struct alarm_change change = {&alarm, &before};
    const char *text = text_of(message_body(&arena, &home, &change));
    assert_non_null(strstr(text, "\"AlarmDescription\":null,"));
    assert_string_equal(
        strstr(text, "\"Trigger\""),
        "\"Trigger\":{\"Period\":60,\"EvaluationPeriods\":5,\"DatapointsToAlarm\":3,"
        "\"ComparisonOperator\":\"GreaterThanThreshold\",\"Threshold\":21.0,\"TreatMissingData\":"
        "\"\",\"EvaluateLowSampleCountPercentile\":\"\",\"Metrics\":[{\"Expression\":\"m1 * 100\","
        "\"Id\":\"e1\",\"Label\":\"rate\",\"ReturnData\":true},{\"Id\":\"m1\",\"MetricStat\":{"
        "\"Metric\":{\"Dimensions\":[],\"MetricName\":\"UserErrors\",\"Namespace\":"
        "\"AWS/DynamoDB\"},\"Period\":60,\"Stat\":\"Sum\"},\"ReturnData\":false}]}}");
}

static void what_is_remembered(void **state) {
    (void)state;
    struct alarm alarm = plain();
    struct alarm_change change = {&alarm, &before};
    struct history_entry entry = history_of_change(&arena, &change);
    assert_string_equal(text_of(entry.summary), "Alarm updated from INSUFFICIENT_DATA to ALARM");
    assert_string_equal(text_of(entry.data),
                        "{\"version\":\"1.0\",\"oldState\":{\"stateValue\":\"INSUFFICIENT_DATA\","
                        "\"stateReason\":\"new\"},\"newState\":{\"stateValue\":\"ALARM\","
                        "\"stateReason\":\"because\",\"stateReasonData\":{\"version\":\"1.0\"}}}");
    entry = history_of_edit(&arena, &alarm, ALARM_CREATED, 5);
    assert_string_equal(text_of(entry.summary), "Alarm \"hot\" created");
    struct record record = history_record(&arena, alarm.id, 7, &entry);
    struct history_entry read;
    assert_null(history_of_record(&arena, &record, &read));
    assert_string_equal(text_of(record.kind), "alarm-history-1234");
    assert_int_equal(read.time_ms, 5);
    assert_string_equal(text_of(read.data), text_of(entry.data));
}

/* The record of what was read is the record. */
static void records_come_back(void **state) {
    (void)state;
    struct alarm alarms[] = {plain(), mathematical()};
    alarms[1].tags = instance;
    alarms[1].tag_count = 1;
    alarms[1].gone_ms = 9;
    alarms[1].history_next = 300;
    for (size_t i = 0; i < 2; i++) {
        struct alarm read;
        struct record record = alarm_record(&arena, &alarms[i]);
        assert_null(alarm_of_record(&arena, &record, &read));
        struct record again = alarm_record(&arena, &read);
        assert_string_equal(text_of(again.value), text_of(record.value));
        record.value.len--;
        assert_non_null(alarm_of_record(&arena, &record, &read));
    }
}

static void where_actions_go(void **state) {
    (void)state;
    struct alarm_topic topic = {SLICE_NONE, SLICE_NONE};
    struct alarm_routes routes = {.topics = &topic, .region = home.region};
    struct outbox_entry entry = {.key = SLICE_LITERAL("k"),
                                 .action = SLICE_LITERAL(SNS),
                                 .subject = SLICE_LITERAL("a b"),
                                 .message = SLICE_LITERAL("{\"x\":1}"),
                                 .changed_ms = INT64_C(1772100851000)};
    assert_true(slice_present(route_refusal(&routes, entry.action)));
    routes.sns_endpoint = "http://127.0.0.1:4566";
    assert_false(slice_present(route_refusal(&routes, entry.action)));
    struct parcel parcel = route_parcel(&arena, &routes, &entry);
    assert_string_equal(text_of(parcel.to), "http://127.0.0.1:4566");
    assert_string_equal(text_of(parcel.body),
                        "Action=Publish&Version=2010-03-31&TopicArn=arn%3Aaws%3Asns%3Aus-east-1%3A"
                        "000000000000%3At&Subject=a%20b&Message=%7B%22x%22%3A1%7D");
    assert_non_null(strstr(text_of(parcel.headers[1]), "/20260226/us-east-1/sns/aws4_request"));
    assert_true(route_topic_read(SNS "=exec:cat -n", &topic));
    routes.topic_count = 1;
    parcel = route_parcel(&arena, &routes, &entry);
    assert_int_equal(parcel.by, PARCEL_BY_COMMAND);
    assert_string_equal(text_of(parcel.to), "cat -n");
    assert_string_equal(text_of(parcel.body), "{\"x\":1}");
    assert_true(route_topic_read(SNS "=https://h/x?a=b", &topic));
    parcel = route_parcel(&arena, &routes, &entry);
    assert_string_equal(text_of(parcel.to), "https://h/x?a=b");
    assert_string_equal(text_of(parcel.body),
                        "{\"Type\":\"Notification\",\"MessageId\":\"k\",\"TopicArn\":\"" SNS "\","
                        "\"Subject\":\"a b\",\"Message\":\"{\\\"x\\\":1}\",\"Timestamp\":"
                        "\"2026-02-26T10:14:11.000Z\"}");
    assert_false(route_topic_read("t=http://h", &topic));
    assert_false(route_topic_read(SNS "=exec:", &topic));
    assert_false(route_topic_read(SNS "=ftp://h", &topic));
    assert_false(route_topic_read(SNS, &topic));
    routes.off = true;
    assert_true(slice_present(route_refusal(&routes, SLICE_LITERAL("http://h/"))));
}

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_of_one_metric), cmocka_unit_test(a_message_of_an_expression),
        cmocka_unit_test(what_is_remembered),      cmocka_unit_test(records_come_back),
        cmocka_unit_test(where_actions_go),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
