/* test_create_table.c - what CreateTable refuses, in which order, and what becomes of table names.
 */
#include "ops_test.h"

#include "ops/table/create_table.h"
#include "ops/table/table_indexes.h"

#define VE "ValidationException: "
#define INVALID VE "One or more parameter values were invalid: "

/* A string of definitions: "a:S b:N" etc. would be shorter, but the tests show the requests. */
#define NAME "\"TableName\":\"abc\","
#define UNITS "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":1,\"WriteCapacityUnits\":1},"
#define ON_DEMAND "\"BillingMode\":\"PAY_PER_REQUEST\","
#define DEF(name) "{\"AttributeName\":\"" name "\",\"AttributeType\":\"S\"}"
#define HASH(name) "{\"AttributeName\":\"" name "\",\"KeyType\":\"HASH\"}"
#define RANGE(name) "{\"AttributeName\":\"" name "\",\"KeyType\":\"RANGE\"}"
#define DEFS(list) "\"AttributeDefinitions\":[" list "],"
#define KEYS(list) "\"KeySchema\":[" list "]"
#define PLAIN DEFS(DEF("a")) KEYS(HASH("a"))
#define PAIR KEYS(HASH("a") "," RANGE("b"))
#define ALL "\"Projection\":{\"ProjectionType\":\"ALL\"}"
#define LOCAL(list) ",\"LocalSecondaryIndexes\":[" list "]"
#define GLOBAL(list) ",\"GlobalSecondaryIndexes\":[" list "]"
#define INDEX(name, keys, rest) "{\"IndexName\":\"" name "\",\"KeySchema\":[" keys "]," rest "}"
#define INDEX_UNITS ",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":1,\"WriteCapacityUnits\":1}"

struct create_case {
    const char *json; /* without the braces */
    const char *text;
};

static const char *create_text(struct arena *arena, const char *members) {
    struct slice json = arena_printf(arena, "{%s}", members);
    const char *given = (const char *)json.data;
    const char *constraint = check_text(arena, input_of("CreateTable"), given);
    if (strcmp(constraint, "ok") != 0)
        return constraint;
    return error_text(arena,
                      create_table_check(arena, decoded(arena, input_of("CreateTable"), given), 0));
}

static void run_cases(struct arena *arena, const struct create_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_string_equal(create_text(arena, cases[i].json), cases[i].text);
}

#define RUN_CASES(state, cases) run_cases(*(state), (cases), sizeof(cases) / sizeof(*(cases)))

static void good_tables(void **state) {
    static const struct create_case cases[] = {
        {NAME UNITS PLAIN, "ok"},
        {NAME ON_DEMAND PLAIN, "ok"},
        {NAME UNITS DEFS(DEF("b") "," DEF("a")) PAIR, "ok"},
        {NAME ON_DEMAND PLAIN ",\"TableClass\":\"STANDARD\",\"DeletionProtectionEnabled\":true,"
                              "\"SSESpecification\":{\"Enabled\":true},\"Tags\":[],"
                              "\"StreamSpecification\":{\"StreamEnabled\":false},"
                              "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":1},"
                              "\"WarmThroughput\":{\"ReadUnitsPerSecond\":12000}",
         "ok"},
        {NAME ON_DEMAND PLAIN ",\"OnDemandThroughput\":{}", "ok"},
        {NAME UNITS PLAIN ",\"OnDemandThroughput\":{}", "ok"},
    };
    RUN_CASES(state, cases);
}

static void billing(void **state) {
    static const struct create_case cases[] = {
        {NAME ON_DEMAND UNITS PLAIN,
         INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                 "BillingMode is PAY_PER_REQUEST"},
        {NAME PLAIN, INVALID "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                             "BillingMode is PROVISIONED"},
        {NAME PLAIN ",\"BillingMode\":\"PROVISIONED\"",
         INVALID "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                 "BillingMode is PROVISIONED"},
        {NAME "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":1000000000001,"
              "\"WriteCapacityUnits\":1000000000002}," PLAIN,
         VE "Given value 1000000000001 for ReadCapacityUnits is out of bounds"},
        {NAME "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":1000000000000,"
              "\"WriteCapacityUnits\":1000000000002}," PLAIN,
         VE "Given value 1000000000002 for WriteCapacityUnits is out of bounds"},
        {NAME UNITS PLAIN ",\"TableClass\":\"FAST\"",
         VE "Invalid table-class parameter provided. Please try again with a valid table-class "
            "value: [STANDARD, STANDARD_INFREQUENT_ACCESS]."},
    };
    RUN_CASES(state, cases);
}

static void keys_and_definitions(void **state) {
    static const struct create_case cases[] = {
        {NAME UNITS DEFS(DEF("a")) PAIR,
         VE "Invalid KeySchema: Some index key attribute have no definition"},
        {NAME UNITS DEFS(DEF("a") "," DEF("c")) PAIR,
         INVALID "Some index key attributes are not defined in AttributeDefinitions. "
                 "Keys: [a, b], AttributeDefinitions: [a, c]"},
        {NAME UNITS DEFS(DEF("a") "," DEF("b")) KEYS(HASH("a") "," RANGE("a")),
         VE "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
        {NAME UNITS DEFS(DEF("a") "," DEF("b")) KEYS(RANGE("a") "," HASH("b")),
         VE "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
        {NAME UNITS DEFS(DEF("a") "," DEF("b")) KEYS(HASH("a") "," HASH("b")),
         VE "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
        {NAME UNITS DEFS(DEF("a") "," DEF("a")) KEYS(HASH("a")),
         VE "Attribute Name is duplicated: a"},
        {NAME UNITS DEFS(DEF("a") "," DEF("b")) KEYS(HASH("a")),
         INVALID "Number of attributes in KeySchema does not exactly match number of attributes "
                 "defined in AttributeDefinitions"},
        {NAME UNITS DEFS(DEF("c") "," DEF("a") "," DEF("b")) PAIR LOCAL(""),
         INVALID "Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, c], "
                 "keys used: [a, b]"},
    };
    RUN_CASES(state, cases);
}

#define THREE DEFS(DEF("a") "," DEF("b") "," DEF("c")) PAIR
#define TWO DEFS(DEF("a") "," DEF("b")) PAIR

#define LSI(name) INDEX(name, HASH("a") "," RANGE("c"), ALL)

static void local_indexes(void **state) {
    static const struct create_case cases[] = {
        {NAME UNITS TWO LOCAL(""), INVALID "List of LocalSecondaryIndexes is empty"},
        {NAME UNITS DEFS(DEF("a") "," DEF("b")) KEYS(HASH("a"))
             LOCAL(INDEX("ind", HASH("a") "," RANGE("b"), ALL)),
         INVALID "Table KeySchema does not have a range key, which is required when specifying a "
                 "LocalSecondaryIndex"},
        {NAME UNITS TWO LOCAL(INDEX("ind", HASH("a") "," RANGE("d"), ALL)),
         INVALID "Some index key attributes are not defined in AttributeDefinitions. "
                 "Keys: [a, d], AttributeDefinitions: [a, b]"},
        {NAME UNITS TWO LOCAL(INDEX("ind", HASH("a"), ALL)),
         INVALID "Index KeySchema does not have a range key for index: ind"},
        {NAME UNITS THREE LOCAL(INDEX("ind", HASH("b") "," RANGE("c"), ALL)),
         INVALID "Index KeySchema does not have the same leading hash key as table KeySchema for "
                 "index: ind. index hash key: b, table hash key: a"},
        {NAME UNITS THREE LOCAL(INDEX("ind", HASH("a") "," RANGE("c"),
                                      ALL) "," INDEX("ind", HASH("a") "," RANGE("c"), ALL)),
         INVALID "Duplicate index name: ind"},
        {NAME UNITS THREE LOCAL(
             LSI("in1") "," LSI("in2") "," LSI("in3") "," LSI("in4") "," LSI("in5") "," LSI("in6")),
         INVALID "Number of LocalSecondaryIndexes exceeds per-table limit of 5"},
        {NAME UNITS THREE LOCAL(INDEX("ind", HASH("a") "," RANGE("c"), ALL)), "ok"},
    };
    RUN_CASES(state, cases);
}

#define PROJECTED(projection) \
    NAME UNITS THREE LOCAL(   \
        INDEX("ind", HASH("a") "," RANGE("c"), "\"Projection\":{" projection "}"))

static void projections(void **state) {
    static const struct create_case cases[] = {
        {PROJECTED(""), INVALID "Unknown ProjectionType: null"},
        {PROJECTED("\"ProjectionType\":\"ALL\",\"NonKeyAttributes\":[\"x\"]"),
         INVALID "ProjectionType is ALL, but NonKeyAttributes is specified"},
        {PROJECTED("\"ProjectionType\":\"KEYS_ONLY\",\"NonKeyAttributes\":[\"x\"]"),
         INVALID "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"},
        {PROJECTED("\"ProjectionType\":\"INCLUDE\""),
         INVALID "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"},
        {PROJECTED("\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\",\"y\",\"x\"]"),
         INVALID "Duplicate element in NonKeyAttributes: x"},
    };
    RUN_CASES(state, cases);
}

#define GSI(keys, rest) NAME UNITS TWO GLOBAL(INDEX("ind", keys, ALL rest))

static void global_indexes(void **state) {
    static const struct create_case cases[] = {
        {NAME UNITS TWO GLOBAL(""), INVALID "List of GlobalSecondaryIndexes is empty"},
        {GSI(HASH("x"), ""),
         INVALID "Some index key attributes are not defined in AttributeDefinitions. "
                 "Keys: [x], AttributeDefinitions: [a, b]"},
        {GSI(HASH("b") "," RANGE("b"), ""),
         VE "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
        {GSI(HASH("b") "," HASH("b"), ""),
         VE "The KeySchema contains multiple key attributes with the same name"},
        {GSI(RANGE("b"), ""),
         VE "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
        {NAME UNITS THREE GLOBAL(INDEX("ind", HASH("a") "," RANGE("b") "," HASH("c"), ALL)),
         INVALID "All HASH key attributes must precede RANGE key attributes in the KeySchema"},
        {NAME UNITS DEFS(DEF("a") "," DEF("b") "," DEF("c") "," DEF("d") "," DEF("e")) PAIR GLOBAL(
             INDEX("ind", HASH("a") "," HASH("b") "," HASH("c") "," HASH("d") "," HASH("e"), ALL)),
         INVALID "The KeySchema exceeds the maximum allowed number of HASH key attributes"},
        {GSI(HASH("b"), ""), INVALID "ProvisionedThroughput is not specified for index: ind"},
        {NAME ON_DEMAND TWO GLOBAL(INDEX("ind", HASH("b"), ALL INDEX_UNITS)),
         INVALID "ProvisionedThroughput should not be specified for index: ind when BillingMode is "
                 "PAY_PER_REQUEST"},
        {NAME UNITS TWO GLOBAL(
             INDEX("ind", HASH("b"), ALL INDEX_UNITS) "," INDEX("ind", HASH("b"), ALL INDEX_UNITS)),
         INVALID "Duplicate index name: ind"},
        {NAME UNITS THREE LOCAL(INDEX("ind", HASH("a") "," RANGE("c"), ALL))
             GLOBAL(INDEX("ind", HASH("b"), ALL INDEX_UNITS)),
         INVALID "Duplicate index name: ind"},
        {NAME UNITS TWO GLOBAL(
             INDEX("ind", HASH("b"),
                   ALL ",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":1000000000001,"
                       "\"WriteCapacityUnits\":1}")),
         VE "Given value 1000000000001 for ReadCapacityUnits is out of bounds for index ind"},
        {GSI(HASH("b"), INDEX_UNITS ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":1,"
                                    "\"WriteUnitsPerSecond\":1}"),
         "ok"},
        {NAME ON_DEMAND TWO GLOBAL(INDEX("ind", HASH("b") "," HASH("a"), ALL)), "ok"},
        {NAME ON_DEMAND TWO GLOBAL(
             INDEX("ind", HASH("b"), ALL ",\"OnDemandThroughput\":{\"MaxReadRequestUnits\":0}")),
         INVALID "Requested MaxReadRequestUnits for OnDemandThroughput for index : ind is outside "
                 "of valid range"},
        {GSI(HASH("b"), INDEX_UNITS ",\"OnDemandThroughput\":{\"MaxReadRequestUnits\":9}"),
         INVALID "MaxReadRequestUnits for OnDemandThroughput for index: ind cannot be specified "
                 "when table BillingMode is PROVISIONED."},
    };
    RUN_CASES(state, cases);
}

static void too_many_global_indexes(void **state) {
    struct buffer json;
    buffer_init(&json, 1 << 16);
    buffer_append_text(&json, NAME ON_DEMAND TWO ",\"GlobalSecondaryIndexes\":[");
    for (int i = 0; i < 21; i++)
        buffer_printf(&json, "%s{\"IndexName\":\"in%d\",\"KeySchema\":[" HASH("b") "]," ALL "}",
                      i == 0 ? "" : ",", i);
    buffer_append_text(&json, "]");
    buffer_append_byte(&json, 0);
    assert_string_equal(create_text(*state, (const char *)json.data),
                        INVALID "GlobalSecondaryIndex count exceeds the per-table limit of 20");
    buffer_release(&json);
}

#define VECTOR(name, dimensions, rest)                                               \
    "{\"IndexName\":\"" name "\",\"VectorAttribute\":{\"AttributeName\":\"v\"}," ALL \
    ",\"Dimensions\":" dimensions ",\"DistanceFunction\":\"COSINE\"" rest "}"
#define VECTORS(list) ",\"VectorIndexes\":[" list "]"

static void vector_indexes(void **state) {
    static const struct create_case cases[] = {
        {NAME ON_DEMAND PLAIN VECTORS(""), INVALID "List of VectorIndexes is empty"},
        {NAME UNITS PLAIN VECTORS(VECTOR("vec", "3", "")),
         INVALID "Vector indexes are only supported for PAY_PER_REQUEST tables"},
        {NAME ON_DEMAND PLAIN VECTORS(VECTOR("vec", "4097", "")),
         INVALID "Number of dimensions must be between 1 and 4096 inclusive."},
        {NAME ON_DEMAND PLAIN VECTORS(
             VECTOR("vec", "3",
                    ",\"SearchSchema\":[{\"AttributeName\":\"x\",\"SearchSchemaElementType\":"
                    "\"HASH\"}]")),
         INVALID "One element in SearchSchema is not defined in attribute definitions"},
        {NAME ON_DEMAND PLAIN VECTORS(VECTOR("vec", "3", "") "," VECTOR("vec", "3", "")),
         INVALID "Duplicate index name: vec"},
        {NAME ON_DEMAND PLAIN VECTORS(VECTOR("vec", "3", "")),
         VE "Vector indexes are not supported by this version of gramme"},
    };
    RUN_CASES(state, cases);
}

static void streams_and_encryption(void **state) {
    static const struct create_case cases[] = {
        {NAME UNITS PLAIN ",\"StreamSpecification\":{\"StreamEnabled\":true}",
         INVALID "Table is being created with a stream enabled, UpdateViewType is required"},
        {NAME UNITS PLAIN
         ",\"StreamSpecification\":{\"StreamEnabled\":false,\"StreamViewType\":\"KEYS_ONLY\"}",
         INVALID "Table is being created with a stream disabled, UpdateViewType should not be "
                 "specified"},
        {NAME UNITS PLAIN
         ",\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"KEYS_ONLY\"}",
         "ok"},
        {NAME UNITS PLAIN ",\"SSESpecification\":{\"Enabled\":false,\"SSEType\":\"KMS\"}",
         INVALID "SSEType can not be specified if Enabled is false"},
        {NAME UNITS PLAIN ",\"SSESpecification\":{\"Enabled\":false,\"KMSMasterKeyId\":\"k\"}",
         INVALID "KMSMasterKeyId can not be specified if Enabled is false"},
        {NAME UNITS PLAIN ",\"SSESpecification\":{\"Enabled\":true,\"KMSMasterKeyId\":\"k\"}",
         INVALID "SSEType KMS is required if KMSMasterKeyId is specified"},
        {NAME UNITS PLAIN ",\"SSESpecification\":{\"Enabled\":true,\"SSEType\":\"AES256\"}",
         INVALID "SSEType AES256 is not supported"},
        {NAME UNITS PLAIN ",\"GlobalTableSourceArn\":\"arn\"",
         VE "Global tables are not supported by this version of gramme"},
    };
    RUN_CASES(state, cases);
}

static void on_demand_and_warm(void **state) {
    static const struct create_case cases[] = {
        {NAME UNITS PLAIN
         ",\"OnDemandThroughput\":{\"MaxReadRequestUnits\":0,\"MaxWriteRequestUnits\":1}",
         INVALID "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table "
                 "BillingMode is PROVISIONED."},
        {NAME UNITS PLAIN ",\"OnDemandThroughput\":{\"MaxWriteRequestUnits\":1}",
         INVALID "MaxWriteRequestUnits for OnDemandThroughput cannot be specified when table "
                 "BillingMode is PROVISIONED."},
        {NAME ON_DEMAND PLAIN ",\"OnDemandThroughput\":{\"MaxReadRequestUnits\":0}",
         INVALID "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of "
                 "valid range"},
        {NAME ON_DEMAND PLAIN ",\"OnDemandThroughput\":{\"MaxWriteRequestUnits\":-1}",
         INVALID "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of "
                 "valid range"},
        {NAME UNITS PLAIN
         ",\"WarmThroughput\":{\"WriteUnitsPerSecond\":1,\"ReadUnitsPerSecond\":1}",
         "ok"},
        {NAME "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":6}," PLAIN
              ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":4}",
         INVALID "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than "
                 "ReadCapacityUnits of ProvisionedThroughput"},
        {NAME "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":6}," PLAIN
              ",\"WarmThroughput\":{\"WriteUnitsPerSecond\":5}",
         INVALID "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than "
                 "WriteCapacityUnits of ProvisionedThroughput"},
        {NAME ON_DEMAND PLAIN ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":11999}",
         INVALID "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial "
                 "throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
                 "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"},
    };
    RUN_CASES(state, cases);
}

#define TAG(key, value) "{\"Key\":\"" key "\",\"Value\":\"" value "\"}"

static void tags(void **state) {
    static const struct create_case cases[] = {
        {NAME UNITS PLAIN ",\"Tags\":[" TAG("a!", "b") "]",
         VE "The Tag Key provided is invalid, Key: a!"},
        {NAME UNITS PLAIN ",\"Tags\":[" TAG("a", "b!") "]",
         VE "The Tag Value provided is invalid, Value: b!"},
        {NAME UNITS PLAIN ",\"Tags\":[" TAG("aws:a", "b") "]",
         VE "Tag Key cannot be prefixed with aws:, Key: aws:a"},
        {NAME UNITS PLAIN ",\"Tags\":[" TAG("a", "b") "," TAG("b", "") "," TAG("a", "c") "]",
         VE "Duplicate Tag Keys provided as input: Duplicate Tag Key found a"},
        {NAME UNITS PLAIN ",\"Tags\":[" TAG("a b", "\\u00e9 +-=._:/@") "]", "ok"},
    };
    RUN_CASES(state, cases);
}

static void too_many_tags(void **state) {
    for (int count = 50; count <= 51; count++) {
        struct buffer json;
        buffer_init(&json, 1 << 16);
        buffer_append_text(&json, NAME UNITS PLAIN ",\"Tags\":[");
        for (int i = 0; i < count; i++)
            buffer_printf(&json, "%s{\"Key\":\"k%d\",\"Value\":\"\"}", i == 0 ? "" : ",", i);
        buffer_append_text(&json, "]");
        buffer_append_byte(&json, 0);
        assert_string_equal(create_text(*state, (const char *)json.data),
                            count == 50 ? "ok"
                                        : VE
                                "Number of Tags exceed the current limit for the provided "
                                "ResourceArn");
        buffer_release(&json);
    }
}

static const char *resolved(struct arena *arena, const char *given) {
    static const struct op op = {.name = "GetItem"};
    struct op_context context = {.region = SLICE_LITERAL("eu-west-1"),
                                 .account = SLICE_LITERAL("123456789012")};
    const struct op_call call = {.op = &op, .context = &context, .arena = arena};
    struct slice name;
    struct error *error = table_name_resolve(&call, slice_text(given), &name);
    if (error != NULL)
        return error_text(arena, error);
    return (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(name)).data;
}

static void names_and_arns(void **state) {
    static const struct create_case cases[] = {
        {"table", "table"},
        {"arn:aws:dynamodb:eu-west-1:123456789012:table/my.table", "my.table"},
        {"arn:aws:dynamodb:us-west-2:123456789012:table/t",
         VE "1 validation error detected: Invalid AWS region in "
            "'arn:aws:dynamodb:us-west-2:123456789012:table/t'"},
        {"arn:azure:dynamodb:eu-west-1:123456789012:table/t",
         VE "1 validation error detected: Invalid AWS partition in "
            "'arn:azure:dynamodb:eu-west-1:123456789012:table/t'"},
        {"arn:aws:dynamodb:eu-west-1:123456789012:backup/t",
         VE "1 validation error detected: Invalid resource type in "
            "'arn:aws:dynamodb:eu-west-1:123456789012:backup/t'"},
        {"arn:aws:dynamodb:eu-west-1:123456789012:table/t/index/i",
         VE "1 validation error detected: Invalid resource type in "
            "'arn:aws:dynamodb:eu-west-1:123456789012:table/t/index/i'"},
        {"arn:aws:s3:::bucket",
         VE "1 validation error detected: Valid ARN format is "
            "arn:<partition>:dynamodb:<region>:<account-id>:table/<table-name>"},
        {"arn:aws:dynamodb",
         VE "1 validation error detected: Valid ARN format is "
            "arn:<partition>:dynamodb:<region>:<account-id>:table/<table-name>"},
        {"arn:aws:dynamodb:eu-west-1:123456789012:table/",
         VE "1 validation error detected: Valid ARN format is "
            "arn:<partition>:dynamodb:<region>:<account-id>:table/<table-name>"},
        {"arn:aws:dynamodb:eu-west-1:210987654321:table/t",
         "AccessDeniedException: User: arn:aws:iam::123456789012:root is not authorized to "
         "perform: dynamodb:GetItem on resource: arn:aws:dynamodb:eu-west-1:210987654321:table/t "
         "because no resource-based policy allows the dynamodb:GetItem action"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(resolved(*state, cases[i].json), cases[i].text);
}

static void indexes_become_definitions(void **state) {
    const struct create_table_request *request =
        decoded(*state, input_of("CreateTable"),
                "{" NAME UNITS THREE LOCAL(INDEX("loc", HASH("a") "," RANGE("c"), ALL))
                    GLOBAL(INDEX("glo", HASH("c") "," HASH("b") "," RANGE("a"),
                                 "\"Projection\":{\"ProjectionType\":\"INCLUDE\","
                                 "\"NonKeyAttributes\":[\"y\",\"x\"]}" INDEX_UNITS
                                 ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":9}")) "}");
    struct definitions definitions = definitions_of(*state, &request->attribute_definitions);
    struct table_index index =
        local_index_of(*state, request->local_secondary_indexes.items, &definitions);
    assert_true(slice_is(index.name, "loc") && !index.global);
    assert_int_equal(index.status, TABLE_ACTIVE);
    assert_int_equal(index.projection, PROJECT_ALL);
    assert_int_equal(index.non_key_attribute_count, 0);
    assert_true(slice_is(index.keys.hash[0].name, "a") && slice_is(index.keys.range[0].name, "c"));
    assert_int_equal(index.keys.range[0].type, VALUE_S);
    index = global_index_of(*state, request->global_secondary_indexes.items, &definitions);
    assert_true(slice_is(index.name, "glo") && index.global);
    assert_int_equal(index.keys.hash_count, 2);
    assert_int_equal(index.keys.range_count, 1);
    assert_true(slice_is(index.keys.hash[1].name, "b"));
    assert_int_equal(index.projection, PROJECT_INCLUDE);
    assert_int_equal(index.non_key_attribute_count, 2);
    assert_true(slice_is(index.non_key_attributes[0], "x"));
    assert_int_equal(index.throughput.read_units, 1);
    assert_int_equal(index.warm.read, 9);
    assert_int_equal(index.warm.write, -1);
    assert_int_equal(index.on_demand.read, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(good_tables),
        OPS_TEST(billing),
        OPS_TEST(keys_and_definitions),
        OPS_TEST(local_indexes),
        OPS_TEST(projections),
        OPS_TEST(global_indexes),
        OPS_TEST(too_many_global_indexes),
        OPS_TEST(vector_indexes),
        OPS_TEST(streams_and_encryption),
        OPS_TEST(on_demand_and_warm),
        OPS_TEST(tags),
        OPS_TEST(too_many_tags),
        OPS_TEST(names_and_arns),
        OPS_TEST(indexes_become_definitions),
    };
    return cmocka_run_group_tests_name("ops create table", tests, NULL, NULL);
}
