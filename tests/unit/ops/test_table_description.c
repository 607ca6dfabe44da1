/* test_table_description.c - TableDescription as exact JSON. */
#include "ops_test.h"

#include "ops/table/table_description.h"

#define REST                                                                 \
    "\"TableSizeBytes\":1234,\"ItemCount\":5,"                               \
    "\"TableArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/orders\"," \
    "\"TableId\":\"6a2e1c3c-0000-4000-8000-000000000001\","
#define UNITS(read, write)                                                                 \
    "\"ProvisionedThroughput\":{\"NumberOfDecreasesToday\":0,\"ReadCapacityUnits\":" #read \
    ",\"WriteCapacityUnits\":" #write "},"
#define KEYS                                                                        \
    "\"AttributeDefinitions\":[{\"AttributeName\":\"id\",\"AttributeType\":\"S\"}," \
    "{\"AttributeName\":\"when\",\"AttributeType\":\"N\"}],"                        \
    "\"KeySchema\":[{\"AttributeName\":\"id\",\"KeyType\":\"HASH\"},"               \
    "{\"AttributeName\":\"when\",\"KeyType\":\"RANGE\"}],\"CreationDateTime\":1715875234.567"
#define WARM(read, write, status)                                                           \
    ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":" #read ",\"WriteUnitsPerSecond\":" #write \
    ",\"Status\":\"" status "\"}"

static struct attribute_definition attributes[2];

static struct table_definition orders(void) {
    attributes[0] = (struct attribute_definition){SLICE_LITERAL("id"), VALUE_S};
    attributes[1] = (struct attribute_definition){SLICE_LITERAL("when"), VALUE_N};
    return (struct table_definition){
        .name = SLICE_LITERAL("orders"),
        .uuid = SLICE_LITERAL("6a2e1c3c-0000-4000-8000-000000000001"),
        .status = TABLE_ACTIVE,
        .created_ms = 1715875234567,
        .keys = {.hash_count = 1,
                 .range_count = 1,
                 .hash = {{SLICE_LITERAL("id"), VALUE_S}},
                 .range = {{SLICE_LITERAL("when"), VALUE_N}}},
        .attributes = attributes,
        .attribute_count = 2,
        .throughput = {.read_units = 5, .write_units = 6},
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
}

static struct table_definition on_demand_orders(void) {
    struct table_definition table = orders();
    table.billing = BILLING_PAY_PER_REQUEST;
    table.billing_shown = true;
    table.on_demand_since_ms = 1715875234567;
    table.throughput = (struct provisioned_throughput){.read_units = 0};
    return table;
}

static struct table_description described(const struct table_definition *definition,
                                          enum description_kind kind, enum table_status status) {
    return (struct table_description){
        .kind = kind,
        .definition = definition,
        .status = status,
        .item_count = 5,
        .size_bytes = 1234,
        .now_ms = 1715900000000,
        .region = SLICE_LITERAL("us-east-1"),
        .account = SLICE_LITERAL("000000000000"),
    };
}

static const char *json_of(struct arena *arena, struct table_description description) {
    struct buffer out;
    struct json_writer json;
    buffer_init(&out, 1 << 20);
    json_writer_init(&json, &out);
    table_description_write(&json, &description);
    buffer_append_byte(&out, 0);
    const char *text = arena_copy(arena, out.data, out.len);
    buffer_release(&out);
    return text;
}

static void a_plain_provisioned_table(void **state) {
    struct table_definition table = orders();
    assert_string_equal(json_of(*state, described(&table, DESCRIBE_TABLE, TABLE_ACTIVE)),
                        "{\"TableName\":\"orders\",\"TableStatus\":\"ACTIVE\"," UNITS(5, 6) REST
                        "\"DeletionProtectionEnabled\":false," KEYS WARM(5, 6, "ACTIVE") "}");
    assert_string_equal(json_of(*state, described(&table, DESCRIBE_CREATED, TABLE_CREATING)),
                        "{\"TableName\":\"orders\",\"TableStatus\":\"CREATING\"," UNITS(5, 6) REST
                        "\"DeletionProtectionEnabled\":false," KEYS "}");
}

static void an_on_demand_table(void **state) {
    struct table_definition table = on_demand_orders();
    table.on_demand.write = 9;
    assert_string_equal(
        json_of(*state, described(&table, DESCRIBE_TABLE, TABLE_ACTIVE)),
        "{\"TableName\":\"orders\",\"TableStatus\":\"ACTIVE\"," UNITS(0, 0) REST
        "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\","
        "\"LastUpdateToPayPerRequestDateTime\":1715875234.567},"
        "\"DeletionProtectionEnabled\":false," KEYS
        ",\"OnDemandThroughput\":{\"MaxWriteRequestUnits\":9}" WARM(12000, 4000, "ACTIVE") "}");
    table.warm.read = 20000;
    assert_string_equal(
        json_of(*state, described(&table, DESCRIBE_CREATED, TABLE_CREATING)),
        "{\"TableName\":\"orders\",\"TableStatus\":\"CREATING\"," UNITS(0, 0) REST
        "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"},"
        "\"DeletionProtectionEnabled\":false," KEYS
        ",\"OnDemandThroughput\":{\"MaxWriteRequestUnits\":9}" WARM(20000, 4000, "UPDATING") "}");
}

static void deletion_leaves_little(void **state) {
    struct table_definition table = on_demand_orders();
    assert_string_equal(json_of(*state, described(&table, DESCRIBE_DELETED, TABLE_DELETING)),
                        "{\"TableName\":\"orders\",\"TableStatus\":\"DELETING\"," UNITS(0, 0) REST
                        "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\","
                        "\"LastUpdateToPayPerRequestDateTime\":1715875234.567},"
                        "\"DeletionProtectionEnabled\":false}");
}

static void an_update_shows_the_old_throughput(void **state) {
    struct table_definition table = on_demand_orders();
    struct provisioned_throughput old = {.read_units = 1, .write_units = 2};
    struct table_description description = described(&table, DESCRIBE_UPDATED, TABLE_UPDATING);
    description.throughput = &old;
    description.on_demand_read_removed = true;
    assert_string_equal(
        json_of(*state, description),
        "{\"TableName\":\"orders\",\"TableStatus\":\"UPDATING\"," UNITS(1, 2) REST
        "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"},"
        "\"DeletionProtectionEnabled\":false," KEYS
        ",\"OnDemandThroughput\":{\"MaxReadRequestUnits\":-1}" WARM(12000, 4000, "ACTIVE") "}");
}

static void all_the_settings(void **state) {
    struct table_definition table = orders();
    table.deletion_protected = true;
    table.throughput = (struct provisioned_throughput){5, 6, 1715880000000, 1715890000001, 3};
    table.sse_kms = true;
    table.sse_key_arn = SLICE_LITERAL("arn:aws:kms:us-east-1:000000000000:key/k");
    table.table_class = TABLE_CLASS_INFREQUENT_ACCESS;
    table.table_class_changed_ms = 1715890000000;
    table.stream = STREAM_NEW_AND_OLD;
    table.stream_label = SLICE_LITERAL("2015-05-11T21:21:33.291");
    table.warm.write = 7;
    assert_string_equal(
        json_of(*state, described(&table, DESCRIBE_TABLE, TABLE_ACTIVE)),
        "{\"TableName\":\"orders\",\"TableStatus\":\"ACTIVE\","
        "\"ProvisionedThroughput\":{\"LastIncreaseDateTime\":1715880000.000,"
        "\"LastDecreaseDateTime\":1715890000.001,\"NumberOfDecreasesToday\":3,"
        "\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":6}," REST
        "\"DeletionProtectionEnabled\":true," KEYS
        ",\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":"
        "\"NEW_AND_OLD_IMAGES\"},\"LatestStreamLabel\":\"2015-05-11T21:21:33.291\","
        "\"LatestStreamArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/orders/stream/"
        "2015-05-11T21:21:33.291\",\"SSEDescription\":{\"Status\":\"ENABLED\",\"SSEType\":\"KMS\","
        "\"KMSMasterKeyArn\":\"arn:aws:kms:us-east-1:000000000000:key/k\"},"
        "\"TableClassSummary\":{\"TableClass\":\"STANDARD_INFREQUENT_ACCESS\","
        "\"LastUpdateDateTime\":1715890000.000}" WARM(5, 7, "ACTIVE") "}");
}

static void decreases_are_of_today(void **state) {
    (void)state;
    struct provisioned_throughput throughput = {.last_decrease_ms = 1665446399999,
                                                .decreases_today = 4};
    assert_int_equal(throughput_decreases_today(&throughput, 1665446399999), 4);
    assert_int_equal(throughput_decreases_today(&throughput, 1665446400000), 0);
}

static void indexes(void **state) {
    struct slice projected[] = {SLICE_LITERAL("x"), SLICE_LITERAL("y")};
    struct table_index list[] = {
        {.name = SLICE_LITERAL("by-when"),
         .global = true,
         .status = TABLE_ACTIVE,
         .keys = {.hash_count = 1, .hash = {{SLICE_LITERAL("when"), VALUE_N}}},
         .projection = PROJECT_INCLUDE,
         .non_key_attributes = projected,
         .non_key_attribute_count = 2,
         .throughput = {.read_units = 7, .write_units = 8},
         .on_demand = UNITS_UNSET,
         .warm = UNITS_UNSET},
        {.name = SLICE_LITERAL("local"),
         .status = TABLE_ACTIVE,
         .keys = {.hash_count = 1,
                  .range_count = 1,
                  .hash = {{SLICE_LITERAL("id"), VALUE_S}},
                  .range = {{SLICE_LITERAL("when"), VALUE_N}}},
         .projection = PROJECT_KEYS_ONLY},
    };
    struct table_definition table = orders();
    table.indexes = list;
    table.index_count = 2;
    struct index_figures figures[] = {{3, 300, false}, {4, 400, false}};
    struct table_description description = described(&table, DESCRIBE_TABLE, TABLE_ACTIVE);
    description.index_figures = figures;
    assert_string_equal(
        json_of(*state, description),
        "{\"TableName\":\"orders\",\"TableStatus\":\"ACTIVE\"," UNITS(5, 6) REST
        "\"DeletionProtectionEnabled\":false," KEYS
        ",\"LocalSecondaryIndexes\":[{\"IndexName\":\"local\",\"KeySchema\":[{\"AttributeName\":"
        "\"id\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"when\",\"KeyType\":\"RANGE\"}],"
        "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"},\"IndexSizeBytes\":400,\"ItemCount\":4,"
        "\"IndexArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/local\"}],"
        "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"by-when\",\"KeySchema\":[{\"AttributeName\":"
        "\"when\",\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"INCLUDE\","
        "\"NonKeyAttributes\":[\"x\",\"y\"]},\"IndexStatus\":\"ACTIVE\"," UNITS(
            7, 8) "\"IndexSizeBytes\":300,\"ItemCount\":3,"
                  "\"IndexArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/"
                  "by-when\"" WARM(7, 8, "ACTIVE") "}]" WARM(5, 6, "ACTIVE") "}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_plain_provisioned_table),
        OPS_TEST(an_on_demand_table),
        OPS_TEST(deletion_leaves_little),
        OPS_TEST(an_update_shows_the_old_throughput),
        OPS_TEST(all_the_settings),
        OPS_TEST(decreases_are_of_today),
        OPS_TEST(indexes),
    };
    return cmocka_run_group_tests_name("ops table description", tests, NULL, NULL);
}
