/* test_update_table.c - what UpdateTable refuses, and what it makes of a table. */
#include "ops_test.h"

#include "ops/update_table.h"

#define VE "ValidationException: "
#define INVALID VE "One or more parameter values were invalid: "
#define T "{\"TableName\":\"abc\","
#define UNITS(read, write) \
    "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":" #read ",\"WriteCapacityUnits\":" #write "}"

static const int64_t now_ms = 1665406819000; /* Monday, October 10, 2022 at 1:00:19 PM */

static struct table_definition provisioned(void) {
    return (struct table_definition){
        .name = SLICE_LITERAL("abc"),
        .status = TABLE_ACTIVE,
        .keys = {.hash_count = 1, .hash = {{SLICE_LITERAL("a"), VALUE_S}}},
        .throughput = {.read_units = 10, .write_units = 20},
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
}

static struct table_definition on_demand(void) {
    struct table_definition definition = provisioned();
    definition.billing = BILLING_PAY_PER_REQUEST;
    definition.billing_shown = true;
    definition.throughput = (struct provisioned_throughput){.read_units = 0};
    return definition;
}

/* Checks and applies; the error's text, or "ok". */
static const char *update_text(struct arena *arena, const char *json, int64_t at_ms,
                               struct table_definition *definition,
                               struct update_outcome *ret_outcome) {
    const char *constraint = check_text(arena, &update_table_shape, json);
    if (strcmp(constraint, "ok") != 0)
        return constraint;
    const struct update_table_request *request = decoded(arena, &update_table_shape, json);
    struct error *error = update_table_check(arena, request);
    if (error != NULL)
        return error_text(arena, error);
    struct table_update update = {request, SLICE_LITERAL("arn:new-key"), at_ms};
    return error_text(arena, update_table_apply(arena, &update, definition, ret_outcome));
}

static const char *refused(struct arena *arena, struct table_definition definition,
                           const char *json) {
    struct update_outcome outcome;
    return update_text(arena, json, now_ms, &definition, &outcome);
}

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
        {"\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"NEW_IMAGE\"}",
         VE "Streams are not supported by this version of gramme"},
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
}

#define GSI_UPDATES(list) "\"GlobalSecondaryIndexUpdates\":[" list "]"
#define CREATE(name, rest)                                                             \
    "{\"Create\":{\"IndexName\":\"" name "\",\"KeySchema\":[{\"AttributeName\":\"g\"," \
    "\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}" rest "}}"
#define DELETE(name) "{\"Delete\":{\"IndexName\":\"" name "\"}}"
#define CHANGE(name) "{\"Update\":{\"IndexName\":\"" name "\"," UNITS(1, 1) "}}"
#define DEFINED "\"AttributeDefinitions\":[{\"AttributeName\":\"g\",\"AttributeType\":\"S\"}],"

static void index_updates(void **state) {
    static const struct {
        const char *members, *text;
    } cases[] = {
        {GSI_UPDATES("{}"),
         INVALID "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                 "GlobalSecondaryIndexUpdate.Delete must not be null"},
        {GSI_UPDATES("{\"Update\":{\"IndexName\":\"ind\"},\"Delete\":{\"IndexName\":\"ind\"}}"),
         INVALID "Only one global secondary index action is allowed per "
                 "GlobalSecondaryIndexUpdate object"},
        {GSI_UPDATES(CREATE("ind", "")),
         INVALID "AttributeDefinitions is not specified for index: ind"},
        {"\"AttributeDefinitions\":[{\"AttributeName\":\"x\",\"AttributeType\":\"S\"}]"
         "," GSI_UPDATES(CREATE("ind", "")),
         INVALID "Some index key attributes are not defined in AttributeDefinitions. "
                 "Keys: [g], AttributeDefinitions: [x]"},
        {GSI_UPDATES(DELETE("ind") "," CHANGE("ind")),
         INVALID "Only one global secondary index update per index is allowed simultaneously. "
                 "Index: ind"},
        {DEFINED GSI_UPDATES(CREATE("ind", "")),
         INVALID "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ind"},
        {DEFINED GSI_UPDATES(CREATE("glo", "," UNITS(1, 1))),
         VE "Attempting to create an index which already exists"},
        {GSI_UPDATES(DELETE("ind")),
         "ResourceNotFoundException: Requested resource not found: Index ind for table abc"},
        {GSI_UPDATES(DELETE("loc")),
         VE "Cannot delete an index that is not a GlobalSecondaryIndex: loc"},
        {GSI_UPDATES(CHANGE("loc")),
         VE "Cannot update an index that is not a GlobalSecondaryIndex: loc"},
        {GSI_UPDATES(CHANGE("ind")),
         "ResourceNotFoundException: Requested resource not found: Index ind for table abc"},
        {GSI_UPDATES(DELETE("glo") "," DELETE("loc")),
         "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or "
         "deleted simultaneously per table"},
        {DEFINED GSI_UPDATES(CREATE("ind", "," UNITS(1, 1)) "," DELETE("glo")),
         "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or "
         "deleted simultaneously per table"},
        {DEFINED GSI_UPDATES(CREATE("in1", "," UNITS(1, 1)) "," CREATE("in2", "," UNITS(1, 1))),
         "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or "
         "deleted simultaneously per table"},
        {DEFINED GSI_UPDATES(
             CREATE("ind", "," UNITS(1, 1) ",\"OnDemandThroughput\":{\"MaxWriteRequestUnits\":1}")),
         INVALID "MaxWriteRequestUnits for OnDemandThroughput for index: ind cannot be specified "
                 "when table BillingMode is PROVISIONED."},
        {DEFINED GSI_UPDATES(
             CREATE("ind", "," UNITS(2, 2) ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":1}")),
         INVALID "Requested ReadUnitsPerSecond for WarmThroughput for index ind is lower than "
                 "ReadCapacityUnits of ProvisionedThroughput"},
        {GSI_UPDATES("{\"Update\":{\"IndexName\":\"glo\",\"OnDemandThroughput\":{"
                     "\"MaxReadRequestUnits\":1}}}"),
         INVALID "MaxReadRequestUnits for OnDemandThroughput for index : glo cannot be specified "
                 "when the table BillingMode is PROVISIONED"},
        {GSI_UPDATES(CHANGE("glo")),
         VE "The provisioned throughput for the index glo will not change. The requested value "
            "equals the current value. Current ReadCapacityUnits provisioned for index glo: 1. "
            "Requested ReadCapacityUnits: 1. Current WriteCapacityUnits provisioned for index glo: "
            "1. Requested WriteCapacityUnits: 1. Refer to the Amazon DynamoDB Developer Guide for "
            "current limits and how to request higher limits."},
        {"\"VectorIndexUpdates\":[{\"Delete\":{\"IndexName\":\"vec\"}}]",
         "ResourceNotFoundException: Requested resource not found: Index vec for table abc"},
    };
    struct table_index existing[] = {{.name = SLICE_LITERAL("glo"),
                                      .global = true,
                                      .status = TABLE_ACTIVE,
                                      .throughput = {1, 1, 0, 0, 0},
                                      .on_demand = UNITS_UNSET,
                                      .warm = UNITS_UNSET},
                                     {.name = SLICE_LITERAL("loc"), .status = TABLE_ACTIVE}};
    struct table_definition table = provisioned();
    table.indexes = existing;
    table.index_count = 2;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct slice json = arena_printf(*state, T "%s}", cases[i].members);
        assert_string_equal(refused(*state, table, (const char *)json.data), cases[i].text);
    }
    table = on_demand();
    table.indexes = existing;
    table.index_count = 2;
    assert_string_equal(refused(*state, table, T GSI_UPDATES(CHANGE("glo")) "}"),
                        INVALID "The only Updates for index: glo when TableThroughputMode is "
                                "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput");
    assert_string_equal(
        refused(*state, table, T DEFINED GSI_UPDATES(CREATE("ind", "," UNITS(1, 1))) "}"),
        INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: ind "
                "when BillingMode is PAY_PER_REQUEST");
    assert_string_equal(
        refused(*state, table,
                T DEFINED GSI_UPDATES(
                    CREATE("ind", ",\"OnDemandThroughput\":{\"MaxReadRequestUnits\":-1}")) "}"),
        INVALID "Requested MaxReadRequestUnits for OnDemandThroughput for index : ind is outside "
                "of valid range");
}

static struct attribute_definition attributes[3];

/* A table with one index by g and one by h. */
static struct table_definition indexed(struct table_index existing[2]) {
    attributes[0] = (struct attribute_definition){SLICE_LITERAL("a"), VALUE_S};
    attributes[1] = (struct attribute_definition){SLICE_LITERAL("g"), VALUE_S};
    attributes[2] = (struct attribute_definition){SLICE_LITERAL("h"), VALUE_N};
    existing[0] = (struct table_index){
        .name = SLICE_LITERAL("by_g"),
        .id = 1,
        .global = true,
        .status = TABLE_ACTIVE,
        .keys = {.hash_count = 1, .hash = {{SLICE_LITERAL("g"), VALUE_S}}},
        .throughput = {.read_units = 5, .write_units = 5},
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
    existing[1] = existing[0];
    existing[1].name = SLICE_LITERAL("by_h");
    existing[1].id = 2;
    existing[1].keys.hash[0] = (struct key_attribute){SLICE_LITERAL("h"), VALUE_N};
    struct table_definition table = provisioned();
    table.attributes = attributes;
    table.attribute_count = 3;
    table.indexes = existing;
    table.index_count = 2;
    return table;
}

static void indexes_are_created(void **state) {
    struct table_index existing[2];
    struct table_definition table = indexed(existing);
    struct update_outcome outcome;
    /* g is S already, whatever the request says of it; x is new; y is not used. */
    assert_string_equal(
        update_text(
            *state,
            T "\"AttributeDefinitions\":[{\"AttributeName\":\"g\",\"AttributeType\":\"N\"},{"
              "\"AttributeName\":\"x\",\"AttributeType\":\"B\"},{\"AttributeName\":\"y\","
              "\"AttributeType\":\"S\"}]," GSI_UPDATES(
                  "{\"Create\":{\"IndexName\":\"new\",\"KeySchema\":[{\"AttributeName\":\"g\","
                  "\"KeyType\":\"HASH\"},{\"AttributeName\":\"x\",\"KeyType\":\"RANGE\"}],"
                  "\"Projection\":{\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"q\","
                  "\"p\"]}," UNITS(3, 4) "}}") "}",
            now_ms, &table, &outcome),
        "ok");
    assert_true(outcome.changed && outcome.updating);
    assert_int_equal(table.index_count, 3);
    const struct table_index *made = &table.indexes[2];
    assert_true(slice_is(made->name, "new") && made->global && made->id == 0);
    assert_true(made->status == TABLE_CREATING && made->backfilling);
    assert_true(made->keys.hash[0].type == VALUE_S && made->keys.range[0].type == VALUE_B);
    assert_int_equal(made->throughput.read_units, 3);
    assert_true(slice_is(made->non_key_attributes[0], "p"));
    assert_int_equal(table.attribute_count, 4);
    assert_true(slice_is(table.attributes[3].name, "x") && table.attributes[3].type == VALUE_B);
    /* The catalog's own list is as it was. */
    assert_int_equal(existing[1].id, 2);
}

static void one_index_at_a_time(void **state) {
    static const char busy[] =
        "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or "
        "deleted simultaneously per table";
    struct table_index existing[2];
    struct table_definition table = indexed(existing);
    existing[0].status = TABLE_CREATING;
    existing[0].backfilling = true;
    assert_string_equal(refused(*state, table, T GSI_UPDATES(DELETE("by_h")) "}"), busy);
    assert_string_equal(
        refused(*state, table, T DEFINED GSI_UPDATES(CREATE("ind", "," UNITS(1, 1))) "}"), busy);
    assert_string_equal(
        refused(*state, table, T DEFINED GSI_UPDATES(CREATE("by_g", "," UNITS(1, 1))) "}"),
        "ResourceInUseException: Attempt to change a resource which is still in use: Index is "
        "being created.  Table: abc Index: by_g");
    /* It may go, and others may change meanwhile. */
    assert_string_equal(refused(*state, table, T GSI_UPDATES(DELETE("by_g")) "}"), "ok");
    assert_string_equal(refused(*state, table, T GSI_UPDATES(CHANGE("by_h")) "}"), "ok");
    assert_string_equal(refused(*state, table, T UNITS(11, 20) "}"), "ok");
}

static void indexes_are_deleted(void **state) {
    struct table_index existing[2];
    struct table_definition table = indexed(existing);
    struct update_outcome outcome;
    assert_string_equal(
        update_text(*state, T GSI_UPDATES(DELETE("by_g")) "}", now_ms, &table, &outcome), "ok");
    assert_true(outcome.changed && outcome.updating);
    assert_true(slice_is(outcome.deleted_index, "by_g"));
    assert_int_equal(table.index_count, 1);
    assert_int_equal(table.indexes[0].id, 2);
    assert_int_equal(table.attribute_count, 2);
    assert_true(slice_is(table.attributes[1].name, "h"));
    /* The catalog's own list is as it was. */
    assert_int_equal(existing[0].id, 1);
}

static void indexes_are_changed(void **state) {
    struct table_index existing[2];
    struct table_definition table = indexed(existing);
    struct update_outcome outcome;
    assert_string_equal(update_text(*state, T UNITS(11, 21) "," GSI_UPDATES(CHANGE("by_h")) "}",
                                    now_ms, &table, &outcome),
                        "ok");
    assert_true(outcome.changed && outcome.updating);
    assert_int_equal(table.throughput.read_units, 11);
    assert_int_equal(table.indexes[1].throughput.read_units, 1);
    assert_int_equal(table.indexes[1].warm.read, 5); /* it stays as warm as it was */
    assert_int_equal(table.indexes[1].warm.write, 5);
    assert_int_equal(table.indexes[1].throughput.decreases_today, 1);
    assert_int_equal(existing[1].throughput.read_units, 5);
    /* The table stays ACTIVE when only its indexes change. */
    assert_string_equal(
        update_text(*state, T GSI_UPDATES(CHANGE("by_g")) "}", now_ms, &table, &outcome), "ok");
    assert_true(outcome.changed && !outcome.updating);
    assert_string_equal(
        update_text(*state,
                    T GSI_UPDATES("{\"Update\":{\"IndexName\":\"by_h\",\"WarmThroughput\":{"
                                  "\"ReadUnitsPerSecond\":0}}}") "}",
                    now_ms, &table, &outcome),
        VE "1 validation error detected: Value '0' at "
           "'globalSecondaryIndexUpdates.1.member.update.warmThroughput.readUnitsPerSecond' failed "
           "to satisfy constraint: Member must have value greater than or equal to 1");
    assert_string_equal(
        update_text(*state,
                    T GSI_UPDATES("{\"Update\":{\"IndexName\":\"by_g\",\"WarmThroughput\":{"
                                  "\"ReadUnitsPerSecond\":4}}}") "}",
                    now_ms, &table, &outcome),
        INVALID "Requested ReadUnitsPerSecond for WarmThroughput for index by_g is lower than "
                "current WarmThroughput, decreasing WarmThroughput is not supported");
}

static void billing_reaches_the_indexes(void **state) {
    struct table_index existing[2];
    struct table_definition table = indexed(existing);
    struct update_outcome outcome;
    assert_string_equal(
        update_text(*state, T "\"BillingMode\":\"PAY_PER_REQUEST\"}", now_ms, &table, &outcome),
        "ok");
    assert_int_equal(table.indexes[0].throughput.read_units, 0);
    assert_int_equal(existing[0].throughput.read_units, 5);
    struct table_definition before = table;
    assert_string_equal(update_text(*state,
                                    T "\"BillingMode\":\"PROVISIONED\"," UNITS(
                                        1, 1) "," GSI_UPDATES(CHANGE("by_g")) "}",
                                    now_ms, &table, &outcome),
                        INVALID "ProvisionedThroughput must be specified for index: by_h");
    table = before;
    assert_string_equal(update_text(*state,
                                    T
                                    "\"BillingMode\":\"PROVISIONED\"," UNITS(1, 1) "," GSI_UPDATES(
                                        CHANGE("by_g") "," CHANGE("by_h")) "}",
                                    now_ms, &table, &outcome),
                        "ok");
    assert_int_equal(table.indexes[1].throughput.write_units, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(nothing_to_do),       OPS_TEST(one_concern_a_call),
        OPS_TEST(throughput_changes),  OPS_TEST(decreases_are_limited),
        OPS_TEST(billing_modes),       OPS_TEST(on_demand_limits),
        OPS_TEST(warm_only_grows),     OPS_TEST(class_and_protection),
        OPS_TEST(encryption),          OPS_TEST(streams_and_replicas),
        OPS_TEST(index_updates),       OPS_TEST(indexes_are_deleted),
        OPS_TEST(indexes_are_created), OPS_TEST(one_index_at_a_time),
        OPS_TEST(indexes_are_changed), OPS_TEST(billing_reaches_the_indexes),
    };
    return cmocka_run_group_tests_name("ops update table", tests, NULL, NULL);
}
