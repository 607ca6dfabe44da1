/* test_update_table.c - what UpdateTable refuses, and what it makes of a table; its indexes are in
 * test_update_indexes.c. */
#include "update_table_test.h"

static void nothing_to_do(void **state) {
    static const char text[] =
        VE "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
           "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, "
           "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
           "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is "
           "required";
    assert_string_equal(refused(*state, provisioned(), "{\"TableName\":\"abc\"}"), text);
    assert_string_equal(refused(*state, provisioned(), T "\"AttributeDefinitions\":[]}"), text);
    /* An empty list is none, until something else makes the request one. */
    assert_string_equal(refused(*state, provisioned(), T "\"GlobalSecondaryIndexUpdates\":[]}"),
                        text);
}

static void one_concern_a_call(void **state) {
#define SSE "\"SSESpecification\":{\"Enabled\":true}"
#define CLASS "\"TableClass\":\"STANDARD\""
#define PROTECTION "\"DeletionProtectionEnabled\":true"
#define WARM "\"WarmThroughput\":{\"ReadUnitsPerSecond\":1}"
#define REPLICAS "\"ReplicaUpdates\":[{\"Create\":{\"RegionName\":\"r\"}}]"
#define LIMITS "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":1}"
#define STREAM "\"StreamSpecification\":{\"StreamEnabled\":false}"
#define DROP "\"GlobalSecondaryIndexUpdates\":[{\"Delete\":{\"IndexName\":\"ind\"}}]"
#define NO_UPDATES "\"GlobalSecondaryIndexUpdates\":[]"
#define BUILD                                                                              \
    "\"GlobalSecondaryIndexUpdates\":[{\"Create\":{\"IndexName\":\"ind\",\"KeySchema\":[{" \
    "\"AttributeName\":\"a\",\"KeyType\":\"HASH\"}],\"Projection\":{}}}]"
    static const struct {
        const char *members, *text;
    } cases[] = {
        {SSE "," CLASS,
         INVALID "Server-Side Encryption modification must be the only operation in the request"},
        {CLASS "," PROTECTION,
         INVALID "TableClass modification must be the only operation in the request"},
        {PROTECTION "," WARM,
         INVALID "DeletionProtection modification must be the only operation in the request"},
        {WARM "," REPLICAS, INVALID "WarmThroughput must be the only operation in the request"},
        {REPLICAS "," LIMITS,
         INVALID "Replica modification must be the only operation in the request"},
        {LIMITS "," STREAM, INVALID "OnDemandThroughput can only be combined with BillingMode in "
                                    "an UpdateTable request"},
        {STREAM "," UNITS(1, 1),
         INVALID "You cannot modify stream status while updating table IOPS"},
        {DROP "," UNITS(1, 1),
         INVALID "You cannot create or delete index while updating table IOPS"},
        {DROP "," STREAM, INVALID "You cannot create or delete index while changing stream status"},
        {PROTECTION "," NO_UPDATES, INVALID "List of GlobalSecondaryIndexUpdates is empty"},
        {LIMITS "," NO_UPDATES, INVALID "List of GlobalSecondaryIndexUpdates is empty"},
        {"\"BillingMode\":\"PAY_PER_REQUEST\"," NO_UPDATES,
         INVALID "List of GlobalSecondaryIndexUpdates is empty"},
        {BUILD "," UNITS(1, 1),
         INVALID "You cannot create or delete index while updating table IOPS"},
        {BUILD "," STREAM,
         INVALID "You cannot create or delete index while changing stream status"},
        {BUILD "," PROTECTION,
         INVALID "DeletionProtection modification must be the only operation in the request"},
        {BUILD "," SSE,
         INVALID "Server-Side Encryption modification must be the only operation in the request"},
        {BUILD "," CLASS,
         INVALID "TableClass modification must be the only operation in the request"},
        {BUILD "," WARM,
         INVALID "Create global secondary index cannot be specified when updating WarmThroughput"},
        {"\"GlobalSecondaryIndexUpdates\":[{\"Create\":{\"IndexName\":\"ind\",\"KeySchema\":[{"
         "\"AttributeName\":\"a\",\"KeyType\":\"HASH\"}],\"Projection\":{}}},{\"Update\":{"
         "\"IndexName\":\"old\",\"WarmThroughput\":{\"ReadUnitsPerSecond\":1}}}]",
         INVALID "Create global secondary index cannot be specified when updating WarmThroughput"},
        {"\"BillingMode\":\"PAY_PER_REQUEST\"," UNITS(1, 1),
         INVALID "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST"},
        {UNITS(1000000000001, 1),
         VE "Given value 1000000000001 for ReadCapacityUnits is out of bounds"},
        {"\"TableClass\":\"x\"",
         VE "Invalid table-class parameter provided. Please try again with a valid table-class "
            "value: [STANDARD, STANDARD_INFREQUENT_ACCESS]."},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct slice json = arena_printf(*state, T "%s}", cases[i].members);
        assert_string_equal(refused(*state, provisioned(), (const char *)json.data), cases[i].text);
    }
}

static void throughput_changes(void **state) {
    struct table_definition table = provisioned();
    struct update_outcome outcome;
    assert_string_equal(update_text(*state, T UNITS(11, 20) "}", now_ms, &table, &outcome), "ok");
    assert_true(outcome.changed && outcome.updating);
    assert_int_equal(table.throughput.read_units, 11);
    assert_int_equal(table.throughput.last_increase_ms, now_ms);
    assert_int_equal(table.throughput.last_decrease_ms, 0);
    assert_string_equal(update_text(*state, T UNITS(10, 30) "}", now_ms + 5, &table, &outcome),
                        "ok");
    assert_int_equal(table.throughput.last_increase_ms, now_ms + 5);
    assert_int_equal(table.throughput.last_decrease_ms, now_ms + 5);
    assert_int_equal(table.throughput.decreases_today, 1);
    assert_string_equal(
        refused(*state, provisioned(), T UNITS(10, 20) "}"),
        VE "The provisioned throughput for the table will not change. The requested value equals "
           "the current value. Current ReadCapacityUnits provisioned for the table: 10. Requested "
           "ReadCapacityUnits: 10. Current WriteCapacityUnits provisioned for the table: 20. "
           "Requested WriteCapacityUnits: 20. Refer to the Amazon DynamoDB Developer Guide for "
           "current limits and how to request higher limits.");
    assert_string_equal(refused(*state, on_demand(), T UNITS(1, 1) "}"),
                        INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
                                "when BillingMode is PAY_PER_REQUEST");
}

static void decreases_are_limited(void **state) {
    static const char down[] = T UNITS(1, 1) "}";
    struct update_outcome outcome;
    struct table_definition table = provisioned();
    table.throughput.last_decrease_ms = now_ms;
    table.throughput.decreases_today = 8;
    assert_string_equal(
        update_text(*state, down, now_ms + 3599999, &table, &outcome),
        "LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases are "
        "limited within a given UTC day. After the first 4 decreases, each subsequent decrease in "
        "the same UTC day can be performed at most once every 3600 seconds. Number of decreases "
        "today: 8. Last decrease at Monday, October 10, 2022 at 1:00:19 PM Coordinated Universal "
        "Time. Next decrease can be made at Monday, October 10, 2022 at 2:00:19 PM Coordinated "
        "Universal Time");
    assert_int_equal(table.throughput.read_units, 10);
    assert_string_equal(update_text(*state, down, now_ms + 3600000, &table, &outcome), "ok");
    assert_int_equal(table.throughput.decreases_today, 9);
    /* The first four of a day are free, and a new day starts again. */
    table = provisioned();
    table.throughput.last_decrease_ms = now_ms;
    table.throughput.decreases_today = 3;
    assert_string_equal(update_text(*state, down, now_ms + 1, &table, &outcome), "ok");
    assert_int_equal(table.throughput.decreases_today, 4);
    table = provisioned();
    table.throughput.last_decrease_ms = 1665446399000; /* a second before midnight */
    table.throughput.decreases_today = 20;
    assert_string_equal(update_text(*state, down, 1665446400000, &table, &outcome), "ok");
    assert_int_equal(table.throughput.decreases_today, 1);
}

static void billing_modes(void **state) {
    struct table_definition table = provisioned();
    struct update_outcome outcome;
    assert_string_equal(
        update_text(*state, T "\"BillingMode\":\"PAY_PER_REQUEST\"}", now_ms, &table, &outcome),
        "ok");
    assert_true(outcome.changed && outcome.updating);
    assert_int_equal(table.billing, BILLING_PAY_PER_REQUEST);
    assert_true(table.billing_shown);
    assert_int_equal(table.on_demand_since_ms, now_ms);
    assert_int_equal(table.throughput.read_units, 0);
    table.on_demand = (struct unit_pair){5, 6};
    assert_string_equal(
        update_text(*state, T "\"BillingMode\":\"PAY_PER_REQUEST\"}", now_ms + 1, &table, &outcome),
        "ok");
    assert_false(outcome.changed);
    assert_int_equal(table.on_demand_since_ms, now_ms);
    assert_string_equal(
        update_text(*state, T "\"BillingMode\":\"PROVISIONED\"}", now_ms, &table, &outcome),
        INVALID "ProvisionedThroughput must be specified when BillingMode is "
                "PROVISIONED");
    assert_string_equal(update_text(*state, T "\"BillingMode\":\"PROVISIONED\"," UNITS(3, 4) "}",
                                    now_ms, &table, &outcome),
                        "ok");
    assert_int_equal(table.billing, BILLING_PROVISIONED);
    assert_int_equal(table.throughput.write_units, 4);
    assert_int_equal(table.on_demand.read, -1);
    assert_true(table.billing_shown);
}

static void on_demand_limits(void **state) {
    struct table_definition table = on_demand();
    struct update_outcome outcome;
#define MAX(members) T "\"OnDemandThroughput\":{" members "}}"
    assert_string_equal(refused(*state, provisioned(), MAX("\"MaxReadRequestUnits\":0")),
                        INVALID "MaxReadRequestUnits for OnDemandThroughput cannot be specified "
                                "when the table BillingMode is PROVISIONED");
    assert_string_equal(refused(*state, on_demand(), MAX("\"MaxReadRequestUnits\":0")),
                        INVALID "Requested MaxReadRequestUnits for OnDemandThroughput for table is "
                                "outside of valid range");
    assert_string_equal(refused(*state, on_demand(), MAX("\"MaxWriteRequestUnits\":-2")),
                        INVALID "Requested MaxWriteRequestUnits for OnDemandThroughput for table "
                                "is outside of valid range");
    assert_string_equal(
        update_text(*state, MAX("\"MaxReadRequestUnits\":7"), now_ms, &table, &outcome), "ok");
    assert_string_equal(
        update_text(*state, MAX("\"MaxWriteRequestUnits\":8"), now_ms, &table, &outcome), "ok");
    assert_int_equal(table.on_demand.read, 7);
    assert_int_equal(table.on_demand.write, 8);
    assert_string_equal(
        update_text(*state, MAX("\"MaxReadRequestUnits\":-1"), now_ms, &table, &outcome), "ok");
    assert_true(outcome.on_demand_read_removed && !outcome.on_demand_write_removed);
    assert_int_equal(table.on_demand.read, -1);
    assert_int_equal(table.on_demand.write, 8);
}

static void warm_only_grows(void **state) {
    struct table_definition table = on_demand();
    struct update_outcome outcome;
#define WARM_TO(members) T "\"WarmThroughput\":{" members "}}"
    assert_string_equal(refused(*state, table, WARM_TO("\"ReadUnitsPerSecond\":11999")),
                        INVALID "Requested ReadUnitsPerSecond for WarmThroughput for table is "
                                "lower than current WarmThroughput, decreasing WarmThroughput is "
                                "not supported");
    assert_string_equal(refused(*state, provisioned(), WARM_TO("\"WriteUnitsPerSecond\":19")),
                        INVALID "Requested WriteUnitsPerSecond for WarmThroughput for table is "
                                "lower than current WarmThroughput, decreasing WarmThroughput is "
                                "not supported");
    assert_string_equal(
        update_text(*state, WARM_TO("\"ReadUnitsPerSecond\":15000"), now_ms, &table, &outcome),
        "ok");
    assert_true(outcome.changed && outcome.updating && outcome.warm_updating);
    assert_int_equal(table.warm.read, 15000);
    assert_int_equal(table.warm.write, -1);
    assert_string_equal(
        update_text(*state, WARM_TO("\"ReadUnitsPerSecond\":15000"), now_ms, &table, &outcome),
        "ok");
    assert_false(outcome.changed);
}

static void class_and_protection(void **state) {
    struct table_definition table = provisioned();
    struct update_outcome outcome;
    assert_string_equal(
        update_text(*state, T "\"TableClass\":\"STANDARD\"}", now_ms, &table, &outcome), "ok");
    assert_false(outcome.changed);
    assert_string_equal(update_text(*state, T "\"TableClass\":\"STANDARD_INFREQUENT_ACCESS\"}",
                                    now_ms, &table, &outcome),
                        "ok");
    assert_true(outcome.changed && outcome.updating);
    assert_int_equal(table.table_class, TABLE_CLASS_INFREQUENT_ACCESS);
    assert_int_equal(table.table_class_changed_ms, now_ms);
    assert_string_equal(update_text(*state, T PROTECTION "}", now_ms, &table, &outcome), "ok");
    assert_true(outcome.changed && !outcome.updating);
    assert_true(table.deletion_protected);
}

static void encryption(void **state) {
    struct table_definition table = provisioned();
    struct update_outcome outcome;
    assert_string_equal(refused(*state, table, T "\"SSESpecification\":{\"Enabled\":false}}"),
                        INVALID "Table is already encrypted by default");
    assert_string_equal(update_text(*state, T SSE "}", now_ms, &table, &outcome), "ok");
    assert_true(outcome.changed && outcome.sse_updating && !outcome.updating);
    assert_true(table.sse_kms && slice_is(table.sse_key_arn, "arn:new-key"));
    static const char already[] = INVALID
        "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you "
        "want to change Master Key";
    assert_string_equal(refused(*state, table, T SSE "}"), already);
    static const char with_key[] =
        T "\"SSESpecification\":{\"Enabled\":true,\"SSEType\":\"KMS\",\"KMSMasterKeyId\":\"k\"}}";
    assert_string_equal(refused(*state, table, with_key), already);
    table.sse_key_arn = SLICE_LITERAL("arn:other-key");
    assert_string_equal(update_text(*state, with_key, now_ms, &table, &outcome), "ok");
    assert_true(slice_is(table.sse_key_arn, "arn:new-key"));
    assert_string_equal(update_text(*state, T "\"SSESpecification\":{\"Enabled\":false}}", now_ms,
                                    &table, &outcome),
                        "ok");
    assert_false(table.sse_kms);
}

static void streams_and_replicas(void **state) {
    static const struct {
        const char *members, *text;
    } cases[] = {
        {"\"StreamSpecification\":{\"StreamEnabled\":true}",
         INVALID "If stream is being enabled then UpdateViewType is required"},
        {"\"StreamSpecification\":{\"StreamEnabled\":false,\"StreamViewType\":\"NEW_IMAGE\"}",
         INVALID "If stream is being disabled, then UpdateViewType must not be specified"},
        {STREAM, VE "Table has no stream to disable: TableName: abc"},
        {"\"ReplicaUpdates\":[{}]",
         VE "There are no actions specified in the Replica Update Action of the request."},
        {"\"ReplicaUpdates\":[{\"Create\":{\"RegionName\":\"r\"}},"
         "{\"Delete\":{\"RegionName\":\"s\"}}]",
         VE "Update table operation with more than one create or delete replica actions not "
            "allowed"},
        {REPLICAS, VE "Global tables are not supported by this version of gramme"},
        {"\"MultiRegionConsistency\":\"STRONG\"",
         VE "Global tables are not supported by this version of gramme"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct slice json = arena_printf(*state, T "%s}", cases[i].members);
        assert_string_equal(refused(*state, provisioned(), (const char *)json.data), cases[i].text);
    }
    struct table_definition streaming = provisioned();
    streaming.stream = STREAM_NEW_IMAGE;
    assert_string_equal(
        refused(*state, streaming,
                T "\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":"
                  "\"NEW_IMAGE\"}}"),
        VE "Table already has an enabled stream: TableName: abc");
    struct update_outcome outcome;
    assert_string_equal(update_text(*state, T STREAM "}", 1, &streaming, &outcome), "ok");
    assert_true(streaming.stream == STREAM_OFF && outcome.changed && outcome.updating);
    assert_string_equal(
        update_text(*state,
                    T "\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":"
                      "\"NEW_AND_OLD_IMAGES\"}}",
                    1, &streaming, &outcome),
        "ok");
    assert_true(streaming.stream == STREAM_NEW_AND_OLD && outcome.changed && outcome.updating);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(nothing_to_do),      OPS_TEST(one_concern_a_call),
        OPS_TEST(throughput_changes), OPS_TEST(decreases_are_limited),
        OPS_TEST(billing_modes),      OPS_TEST(on_demand_limits),
        OPS_TEST(warm_only_grows),    OPS_TEST(class_and_protection),
        OPS_TEST(encryption),         OPS_TEST(streams_and_replicas),
    };
    return cmocka_run_group_tests_name("ops update table", tests, NULL, NULL);
}
