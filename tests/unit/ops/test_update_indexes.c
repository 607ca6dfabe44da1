/* test_update_indexes.c - what UpdateTable refuses about indexes, and what it makes of them. */
#include "update_table_test.h"

#define GSI_UPDATES(list) "\"GlobalSecondaryIndexUpdates\":[" list "]"
#define CREATE(name, rest)                                                             \
    "{\"Create\":{\"IndexName\":\"" name "\",\"KeySchema\":[{\"AttributeName\":\"g\"," \
    "\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}" rest "}}"
#define DELETE(name) "{\"Delete\":{\"IndexName\":\"" name "\"}}"
#define CHANGE(name) "{\"Update\":{\"IndexName\":\"" name "\"," UNITS(1, 1) "}}"
#define DEFINED "\"AttributeDefinitions\":[{\"AttributeName\":\"g\",\"AttributeType\":\"S\"}],"

/* Of a table with provisioned throughput, a global index glo and a local one loc. */
static const struct {
    const char *members, *text;
} refused_updates[] = {
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

static void wrong_updates_are_refused(void **state) {
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
    for (size_t i = 0; i < sizeof(refused_updates) / sizeof(*refused_updates); i++) {
        struct slice json = arena_printf(*state, T "%s}", refused_updates[i].members);
        assert_string_equal(refused(*state, table, (const char *)json.data),
                            refused_updates[i].text);
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
    /* g and h have types; what is said of h, which the index does not use, is passed over. */
    assert_string_equal(
        update_text(
            *state,
            T "\"AttributeDefinitions\":[{\"AttributeName\":\"g\",\"AttributeType\":\"S\"},{"
              "\"AttributeName\":\"h\",\"AttributeType\":\"S\"},{\"AttributeName\":\"x\","
              "\"AttributeType\":\"B\"},{\"AttributeName\":\"y\","
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
    assert_true(slice_is(table.attributes[2].name, "h") && table.attributes[2].type == VALUE_N);
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
        OPS_TEST(wrong_updates_are_refused), OPS_TEST(indexes_are_deleted),
        OPS_TEST(indexes_are_created),       OPS_TEST(one_index_at_a_time),
        OPS_TEST(indexes_are_changed),       OPS_TEST(billing_reaches_the_indexes),
    };
    return cmocka_run_group_tests_name("ops update indexes", tests, NULL, NULL);
}
