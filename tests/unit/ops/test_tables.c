/* test_tables.c - the table operations from JSON to JSON, on the memory store with a clock and a
 * source of randomness that stand still. */
#include "call_test.h"

/* The reply, or the error as text; in the fixture's arena. */
static const char *answer(const char *name, const char *json) {
    struct test_call test;
    call_run(&test, name, json);
    const char *text = error_text(&fixture.arena, test.error);
    if (test.error == NULL)
        text = (const char *)arena_printf(&fixture.arena, "%.*s",
                                          SLICE_ARGS(buffer_slice(&test.reply)))
                   .data;
    call_end(&test);
    return text;
}

#define CREATE(name, more)                                                                     \
    "{\"TableName\":\"" name "\",\"AttributeDefinitions\":[{\"AttributeName\":\"pk\","         \
    "\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}" \
    "]" more "}"
#define UNITS(read, write) \
    ",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":" #read ",\"WriteCapacityUnits\":" #write "}"
#define ON_DEMAND ",\"BillingMode\":\"PAY_PER_REQUEST\""
#define NAMED_AND(name, status, units)                                         \
    "\"TableName\":\"" name "\",\"TableStatus\":\"" status                     \
    "\",\"ProvisionedThroughput\":{\"NumberOfDecreasesToday\":0" units "},"    \
    "\"TableSizeBytes\":0,\"ItemCount\":0,"                                    \
    "\"TableArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/" name "\"," \
    "\"TableId\":\"abababab-abab-4bab-abab-abababababab\","
#define SHOWN(read, write) ",\"ReadCapacityUnits\":" #read ",\"WriteCapacityUnits\":" #write
#define SCHEMA                                                                       \
    "\"AttributeDefinitions\":[{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}]," \
    "\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}],"               \
    "\"CreationDateTime\":1700000000.000"
#define WARM(read, write)                                                                   \
    ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":" #read ",\"WriteUnitsPerSecond\":" #write \
    ",\"Status\":\"ACTIVE\"}"
#define PROTECTED "\"DeletionProtectionEnabled\":true,"
#define UNPROTECTED "\"DeletionProtectionEnabled\":false,"
#define TABLE(name) "{\"TableName\":\"" name "\"}"

static void a_table_lives_and_dies(void **state) {
    (void)state;
    assert_string_equal(answer("CreateTable", CREATE("abc", UNITS(1, 2))),
                        "{\"TableDescription\":{" NAMED_AND("abc", "CREATING", SHOWN(1, 2))
                            UNPROTECTED SCHEMA "}}");
    assert_string_equal(answer("CreateTable", CREATE("abc", UNITS(1, 2))),
                        "ResourceInUseException: Table already exists: abc");
    assert_string_equal(answer("DescribeTable", TABLE("abc")),
                        "{\"Table\":{" NAMED_AND("abc", "ACTIVE", SHOWN(1, 2))
                            UNPROTECTED SCHEMA WARM(1, 2) "}}");
    assert_string_equal(
        answer("DescribeTable", TABLE("arn:aws:dynamodb:us-east-1:000000000000:table/abc")),
        answer("DescribeTable", TABLE("abc")));
    assert_string_equal(
        answer("DeleteTable", TABLE("abc")),
        "{\"TableDescription\":{" NAMED_AND("abc", "DELETING",
                                            SHOWN(1, 2)) "\"DeletionProtectionEnabled\":false}}");
    static const char gone[] =
        "ResourceNotFoundException: Requested resource not found: Table: abc not found";
    assert_string_equal(answer("DescribeTable", TABLE("abc")), gone);
    assert_string_equal(answer("DeleteTable", TABLE("abc")), gone);
    assert_string_equal(
        answer("UpdateTable", "{\"TableName\":\"abc\",\"DeletionProtectionEnabled\":true}"), gone);
}

static void settings_are_kept(void **state) {
    (void)state;
    assert_string_equal(
        answer("CreateTable",
               CREATE("abc", ON_DEMAND ",\"SSESpecification\":{\"Enabled\":true},\"TableClass\":"
                                       "\"STANDARD\",\"DeletionProtectionEnabled\":true,"
                                       "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":3},"
                                       "\"Tags\":[{\"Key\":\"b\",\"Value\":\"2\"},"
                                       "{\"Key\":\"a\",\"Value\":\"1\"}]")),
        "{\"TableDescription\":{" NAMED_AND(
            "abc", "CREATING",
            SHOWN(0, 0)) "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"}," PROTECTED
            SCHEMA ",\"SSEDescription\":{\"Status\":\"ENABLED\",\"SSEType\":\"KMS\","
                         "\"KMSMasterKeyArn\":"
                         "\"arn:aws:kms:us-east-1:000000000000:key/"
                         "abababab-abab-4bab-abab-abababababab\"},"
                         "\"TableClassSummary\":{\"TableClass\":\"STANDARD\"},"
                         "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":3}}}");
    const struct table_definition *definition =
        &catalog_find(fixture.view, SLICE_LITERAL("abc"))->definition;
    assert_int_equal(definition->tag_count, 2);
    assert_true(slice_is(definition->tags[0].key, "a") && slice_is(definition->tags[1].value, "2"));
    static const char protected_text[] =
        "ValidationException: Resource cannot be deleted as it is currently protected against "
        "deletion. Disable deletion protection first.";
    assert_string_equal(answer("DeleteTable", TABLE("abc")), protected_text);
    assert_non_null(
        strstr(answer("UpdateTable", "{\"TableName\":\"abc\",\"DeletionProtectionEnabled\":false}"),
               "\"TableStatus\":\"ACTIVE\""));
    assert_non_null(strstr(answer("DeleteTable", TABLE("abc")), "DELETING"));
}

static void updates_show_what_was(void **state) {
    (void)state;
    answer("CreateTable", CREATE("abc", UNITS(1, 2)));
    test_now_ms += 1000;
    assert_string_equal(answer("UpdateTable", "{\"TableName\":\"abc\"" UNITS(3, 4) "}"),
                        "{\"TableDescription\":{" NAMED_AND("abc", "UPDATING", SHOWN(1, 2))
                            UNPROTECTED SCHEMA WARM(1, 2) "}}");
    assert_string_equal(
        answer("DescribeTable", TABLE("abc")),
        "{\"Table\":{\"TableName\":\"abc\",\"TableStatus\":\"ACTIVE\",\"ProvisionedThroughput\":{"
        "\"LastIncreaseDateTime\":1700000001.000,\"NumberOfDecreasesToday\":0" SHOWN(
            3, 4) "},"
                  "\"TableSizeBytes\":0,\"ItemCount\":0,"
                  "\"TableArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\","
                  "\"TableId\":\"abababab-abab-4bab-abab-abababababab\"," UNPROTECTED SCHEMA WARM(
                      3, 4) "}}");
    assert_non_null(strstr(answer("UpdateTable", "{\"TableName\":\"abc\"" ON_DEMAND "}"),
                           "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"},"));
    assert_non_null(strstr(answer("DescribeTable", TABLE("abc")),
                           "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\","
                           "\"LastUpdateToPayPerRequestDateTime\":1700000001.000}"));
    assert_non_null(strstr(
        answer("UpdateTable", "{\"TableName\":\"abc\",\"SSESpecification\":{\"Enabled\":true}}"),
        "\"SSEDescription\":{\"Status\":\"UPDATING\""));
    assert_non_null(strstr(answer("DescribeTable", TABLE("abc")),
                           "\"SSEDescription\":{\"Status\":\"ENABLED\""));
    assert_non_null(
        strstr(answer("UpdateTable", "{\"TableName\":\"abc\",\"OnDemandThroughput\":{"
                                     "\"MaxReadRequestUnits\":5,\"MaxWriteRequestUnits\":6}}"),
               "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":5,\"MaxWriteRequestUnits\":6}"));
    assert_non_null(
        strstr(answer("UpdateTable", "{\"TableName\":\"abc\",\"OnDemandThroughput\":{"
                                     "\"MaxReadRequestUnits\":-1}}"),
               "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":-1,\"MaxWriteRequestUnits\":6}"));
    assert_non_null(strstr(answer("DescribeTable", TABLE("abc")),
                           "\"OnDemandThroughput\":{\"MaxWriteRequestUnits\":6}"));
}

static void indexes_are_made_and_deleted(void **state) {
    (void)state;
    static const char create[] =
        "{\"TableName\":\"abc\",\"AttributeDefinitions\":[{\"AttributeName\":\"pk\","
        "\"AttributeType\":\"S\"},{\"AttributeName\":\"g\",\"AttributeType\":\"N\"}],"
        "\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}],"
        "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"by-g\",\"KeySchema\":[{\"AttributeName\":"
        "\"g\",\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}]" ON_DEMAND
        "}";
    assert_non_null(strstr(answer("CreateTable", create), "\"IndexStatus\":\"CREATING\""));
    assert_non_null(strstr(answer("DescribeTable", TABLE("abc")), "\"IndexStatus\":\"ACTIVE\""));
    assert_null(fixture_put(&fixture, "abc", "{\"pk\":{\"S\":\"a\"},\"g\":{\"N\":\"1\"}}"));
    assert_non_null(
        strstr(answer("DescribeTable", TABLE("abc")), "\"IndexSizeBytes\":6,\"ItemCount\":1,"));
    const char *reply = answer(
        "UpdateTable", "{\"TableName\":\"abc\",\"GlobalSecondaryIndexUpdates\":[{\"Delete\":{"
                       "\"IndexName\":\"by-g\"}}]}");
    assert_non_null(strstr(reply, "\"IndexStatus\":\"DELETING\""));
    assert_non_null(strstr(reply, "\"TableStatus\":\"UPDATING\""));
    assert_string_equal(
        answer("DescribeTable", TABLE("abc")),
        "{\"Table\":{\"TableName\":\"abc\",\"TableStatus\":\"ACTIVE\",\"ProvisionedThroughput\":{"
        "\"NumberOfDecreasesToday\":0" SHOWN(
            0, 0) "},\"TableSizeBytes\":6,\"ItemCount\":1,"
                  "\"TableArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\","
                  "\"TableId\":\"abababab-abab-4bab-abab-abababababab\","
                  "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\","
                  "\"LastUpdateToPayPerRequestDateTime\":1700000000.000}," UNPROTECTED SCHEMA WARM(
                      12000, 4000) "}}");
}

static void names_come_in_pages(void **state) {
    (void)state;
    assert_string_equal(answer("ListTables", "{}"), "{\"TableNames\":[]}");
    answer("CreateTable", CREATE("bbb", ON_DEMAND));
    answer("CreateTable", CREATE("ccc", ON_DEMAND));
    answer("CreateTable", CREATE("BBB", ON_DEMAND));
    assert_string_equal(answer("ListTables", "{}"), "{\"TableNames\":[\"BBB\",\"bbb\",\"ccc\"]}");
    assert_string_equal(answer("ListTables", "{\"Limit\":2}"),
                        "{\"TableNames\":[\"BBB\",\"bbb\"],\"LastEvaluatedTableName\":\"bbb\"}");
    assert_string_equal(answer("ListTables", "{\"Limit\":3}"),
                        "{\"TableNames\":[\"BBB\",\"bbb\",\"ccc\"]}");
    assert_string_equal(answer("ListTables", "{\"Limit\":2,\"ExclusiveStartTableName\":\"bbb\"}"),
                        "{\"TableNames\":[\"ccc\"]}");
    assert_string_equal(answer("ListTables", "{\"ExclusiveStartTableName\":\"aaa\",\"Limit\":1}"),
                        "{\"TableNames\":[\"bbb\"],\"LastEvaluatedTableName\":\"bbb\"}");
    assert_string_equal(answer("ListTables", "{\"ExclusiveStartTableName\":\"zzz\"}"),
                        "{\"TableNames\":[]}");
}

static void limits_and_endpoints(void **state) {
    (void)state;
    assert_string_equal(
        answer("DescribeLimits", "{}"),
        "{\"AccountMaxReadCapacityUnits\":80000,\"AccountMaxWriteCapacityUnits\":80000,"
        "\"TableMaxReadCapacityUnits\":40000,\"TableMaxWriteCapacityUnits\":40000}");
    assert_string_equal(
        answer("DescribeEndpoints", "{}"),
        "{\"Endpoints\":[{\"Address\":\"localhost:8000\",\"CachePeriodInMinutes\":1440}]}");
}

static void every_name_of_the_api_once(void **state) {
    (void)state;
    const struct op_listing *list;
    size_t count = op_list(&list), present = 0;
    assert_int_equal(count, 66);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(list[i].name, list[j].name);
        assert_ptr_equal(op_find(slice_text(list[i].name)), list[i].op);
        if (list[i].op == NULL)
            continue;
        present++;
        assert_string_equal(list[i].op->name, list[i].name);
        bool composite = strstr(list[i].name, "Transact") || strstr(list[i].name, "Execute");
        struct slice action = arena_printf(&fixture.arena, "dynamodb:%s", list[i].name);
        if (composite)
            assert_null(list[i].op->action);
        else
            assert_true(slice_is(action, list[i].op->action));
        assert_non_null(list[i].op->input);
        assert_non_null(list[i].op->run);
    }
    assert_true(present >= 15);
    assert_null(op_find(SLICE_LITERAL("PutItemX")));
    assert_null(op_find(SLICE_LITERAL("putitem")));
    assert_null(op_find(SLICE_LITERAL("")));
}

static bool begins_with_one_of(const char *name, const char *const *words) {
    for (; *words != NULL; words++)
        if (strncmp(name, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* Statements tell by themselves, and have both flags. */
static void what_changes_something_says_so(void **state) {
    (void)state;
    static const char *const reading[] = {"BatchGet", "Describe", "Get",         "List",
                                          "Query",    "Scan",     "TransactGet", NULL};
    static const char *const both[] = {"BatchExecute", "Execute", NULL};
    const struct op_listing *list;
    size_t count = op_list(&list);
    for (size_t i = 0; i < count; i++) {
        const struct op *op = list[i].op;
        if (op == NULL)
            continue;
        bool writes = op->flags & OP_WRITES, reads = begins_with_one_of(op->name, reading);
        if (writes == reads)
            fail_msg("%s: OP_WRITES is %s", op->name, writes ? "there" : "missing");
        if (begins_with_one_of(op->name, both))
            assert_true(op->flags & OP_READS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_table_lives_and_dies),       CALL_TEST(settings_are_kept),
        CALL_TEST(updates_show_what_was),        CALL_TEST(names_come_in_pages),
        CALL_TEST(indexes_are_made_and_deleted), CALL_TEST(limits_and_endpoints),
        CALL_TEST(every_name_of_the_api_once),   CALL_TEST(what_changes_something_says_so),
    };
    return cmocka_run_group_tests_name("ops tables", tests, NULL, NULL);
}
