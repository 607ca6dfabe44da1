/* test_account.c - every call keeps an account of what it touched, although it does not ask for
 * ConsumedCapacity. What replies show of it is tested through the server:
 * tests/wire/test_capacity.py and tests/data/wire/capacity.txt. */
#include "call_test.h"

#define ARN "arn:aws:dynamodb:us-east-1:000000000000:table/indexed"
#define ITEM(sk, more) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}" more "}"
#define G(value) ",\"g\":{\"S\":\"" value "\"}"
#define L(value) ",\"l\":{\"N\":\"" value "\"}"

static void add_access(struct buffer *text, uint32_t access) {
    static const char *const words[] = {"read", "consistent", "write", "transaction", "replay"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (access >> i & 1)
            buffer_printf(text, " %s", words[i]);
}

static void add_cost(struct buffer *text, const struct account_cost *cost) {
    buffer_printf(text, ": %llu halves, %llu bytes", (unsigned long long)cost->halves,
                  (unsigned long long)cost->bytes);
    if (cost->examined > 0)
        buffer_printf(text, ", %llu of %llu", (unsigned long long)cost->returned,
                      (unsigned long long)cost->examined);
    if (cost->written > 0)
        buffer_printf(text, ", %llu written", (unsigned long long)cost->written);
}

static void add_table(struct buffer *text, const struct account_table *table) {
    buffer_printf(text, "%.*s", SLICE_ARGS(table->table->definition.name));
    if (!slice_equal(table->name, table->table->definition.name))
        buffer_printf(text, " as %.*s", SLICE_ARGS(table->name));
    add_access(text, table->access);
    add_cost(text, &table->cost);
    if (table->failed > 0)
        buffer_printf(text, ", %llu failed for %llu", (unsigned long long)table->failed,
                      (unsigned long long)table->failed_halves);
    if (table->conditions_failed > 0)
        buffer_printf(text, ", %u false", table->conditions_failed);
    for (const struct account_index *index = table->indexes; index != NULL; index = index->next) {
        buffer_printf(text, "; %s %.*s", index->global ? "global" : "local",
                      SLICE_ARGS(index->name));
        add_cost(text, &index->cost);
    }
    buffer_append_byte(text, '\n');
}

/* The account of a call, a line for each table, and its error. */
static void expect(const char *name, const char *json, const char *expected) {
    struct test_call test;
    struct buffer text;
    buffer_init(&text, 1 << 16);
    call_run(&test, name, json);
    const struct account_table *table = &test.call.account.first;
    for (; table != NULL && table->table != NULL; table = table->next)
        add_table(&text, table);
    if (test.error != NULL)
        buffer_append_text(&text, error_kind(test.error->code)->type);
    call_end(&test);
    buffer_append_byte(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    buffer_release(&text);
}

static void open_tables(void) {
    assert_null(fixture_create_indexed(&fixture, "indexed"));
    assert_null(fixture_create_table(&fixture, "plain", VALUE_NONE));
    assert_null(fixture_put(&fixture, "indexed", ITEM("a", G("x") L("1"))));
    assert_null(fixture_put(&fixture, "indexed", ITEM("b", G("x") L("2"))));
    assert_null(fixture_put(&fixture, "indexed", ITEM("c", G("y"))));
}

static void gets(void **state) {
    (void)state;
    open_tables();
    expect("GetItem", "{\"TableName\":\"indexed\",\"Key\":" ITEM("a", "") "}",
           "indexed read: 1 halves, 11 bytes, 1 of 1\n");
    expect("GetItem",
           "{\"TableName\":\"" ARN "\",\"ConsistentRead\":true,\"Key\":" ITEM("z", "") "}",
           "indexed as " ARN " read consistent: 2 halves, 0 bytes\n");
    expect("BatchGetItem",
           "{\"RequestItems\":{\"indexed\":{\"Keys\":[" ITEM("a", "") "," ITEM(
               "c", "") "]},"
                        "\"plain\":{\"ConsistentRead\":true,\"Keys\":[{\"pk\":{\"S\":\"q\"}}]}}}",
           "indexed read: 2 halves, 19 bytes, 2 of 2\nplain read consistent: 2 halves, 0 bytes\n");
    expect("TransactGetItems",
           "{\"TransactItems\":[{\"Get\":{\"TableName\":\"indexed\",\"Key\":" ITEM(
               "a", "") "}},"
                        "{\"Get\":{\"TableName\":\"" ARN "\",\"Key\":" ITEM("b", "") "}}]}",
           "indexed read consistent transaction: 4 halves, 11 bytes, 1 of 1\n"
           "indexed as " ARN " read consistent transaction: 4 halves, 11 bytes, 1 of 1\n");
}

#define QUERY(more)                                                              \
    "{\"TableName\":\"indexed\",\"KeyConditionExpression\":\"pk = :p\","         \
    "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"p\"},\":x\":{\"S\":\"x\"}}," \
    "\"FilterExpression\":\"g = :x\"" more "}"

static void ranges(void **state) {
    (void)state;
    open_tables();
    expect("Query", QUERY(""), "indexed read: 1 halves, 30 bytes, 2 of 3\n");
    expect("Query", QUERY(",\"Limit\":1,\"ConsistentRead\":true"),
           "indexed read consistent: 2 halves, 11 bytes, 1 of 1\n");
    expect(
        "Query",
        "{\"TableName\":\"indexed\",\"IndexName\":\"by-g\",\"KeyConditionExpression\":\"g = :x\","
        "\"ExpressionAttributeValues\":{\":x\":{\"S\":\"x\"}}}",
        "indexed read: 0 halves, 0 bytes; global by-g: 1 halves, 22 bytes, 2 of 2\n");
    /* A local index that does not have all that is asked for: each item is fetched. */
    expect("Query",
           "{\"TableName\":\"indexed\",\"IndexName\":\"by-l\",\"Select\":\"ALL_ATTRIBUTES\","
           "\"KeyConditionExpression\":\"pk = :p\","
           "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"p\"}}}",
           "indexed read: 2 halves, 22 bytes, 0 of 2; local by-l: 1 halves, 18 bytes, 2 of 2\n");
    expect("Scan", "{\"TableName\":\"plain\"}", "plain read: 4 halves, 0 bytes\n");
}

static void single_writes(void **state) {
    (void)state;
    open_tables();
    expect(
        "PutItem", "{\"TableName\":\"indexed\",\"Item\":" ITEM("d", G("x") L("1")) "}",
        "indexed write: 2 halves, 11 bytes, 1 written; global by-g: 2 halves, 11 bytes, 1 written; "
        "local by-l: 2 halves, 9 bytes, 1 written\n");
    /* The key of an entry changes: one is deleted, one is written. */
    expect("UpdateItem",
           "{\"TableName\":\"indexed\",\"Key\":" ITEM(
               "d", "") ",\"UpdateExpression\":\"SET g = :g\","
                        "\"ExpressionAttributeValues\":{\":g\":{\"S\":\"z\"}}}",
           "indexed write: 2 halves, 11 bytes, 1 written; global by-g: 4 halves, 11 bytes, 1 "
           "written\n");
    expect("DeleteItem", "{\"TableName\":\"plain\",\"Key\":{\"pk\":{\"S\":\"none\"}}}",
           "plain write: 2 halves, 0 bytes, 1 written\n");
    expect("PutItem",
           "{\"TableName\":\"indexed\",\"Item\":" ITEM("a", "") ",\"ConditionExpression\":"
                                                                "\"attribute_not_exists(pk)\"}",
           "indexed write: 0 halves, 0 bytes, 1 failed for 2, 1 "
           "false\nConditionalCheckFailedException");
    expect("PutItem", "{\"TableName\":\"none\",\"Item\":" ITEM("a", "") "}",
           "ResourceNotFoundException");
}

static void batches_of_writes(void **state) {
    (void)state;
    open_tables();
    expect("BatchWriteItem",
           "{\"RequestItems\":{\"plain\":[{\"PutRequest\":{\"Item\":{\"pk\":{\"S\":\"q\"}}}}],"
           "\"indexed\":[{\"DeleteRequest\":{\"Key\":" ITEM(
               "c", "") "}},"
                        "{\"PutRequest\":{\"Item\":" ITEM("e", G("x")) "}}]}}",
           "plain write: 2 halves, 3 bytes, 1 written\n"
           "indexed write: 4 halves, 16 bytes, 2 written; global by-g: 4 halves, 16 bytes, 2 "
           "written\n");
}

#define TRANSACTION(condition)                                             \
    "{\"ClientRequestToken\":\"token" condition "\",\"TransactItems\":["   \
    "{\"Put\":{\"TableName\":\"plain\",\"Item\":{\"pk\":{\"S\":\"q\"}}}}," \
    "{\"ConditionCheck\":{\"TableName\":\"indexed\",\"Key\":" ITEM(        \
        "a", "") ","                                                       \
                 "\"ConditionExpression\":\"" condition "(pk)\"}}]}"

static void transactions(void **state) {
    (void)state;
    open_tables();
    expect("TransactWriteItems", TRANSACTION("attribute_not_exists"),
           "plain write transaction: 0 halves, 0 bytes, 1 failed for 4\n"
           "indexed write transaction: 0 halves, 0 bytes, 1 failed for 4, 1 false\n"
           "TransactionCanceledException");
    expect("TransactWriteItems", TRANSACTION("attribute_exists"),
           "plain write transaction: 4 halves, 3 bytes, 1 written\n"
           "indexed write transaction: 4 halves, 11 bytes, 1 written\n");
    expect("TransactWriteItems", TRANSACTION("attribute_exists"),
           "plain read consistent transaction replay: 4 halves, 0 bytes\n"
           "indexed read consistent transaction replay: 4 halves, 0 bytes\n");
}

static void statements(void **state) {
    (void)state;
    open_tables();
    expect("ExecuteStatement",
           "{\"Statement\":\"SELECT * FROM indexed WHERE pk = 'p' AND sk IN ['a','c']\"}",
           "indexed read: 2 halves, 19 bytes, 2 of 2\n");
    expect("ExecuteStatement",
           "{\"Statement\":\"SELECT * FROM indexed.\\\"by-g\\\" WHERE g = 'x'\"}",
           "indexed read: 0 halves, 0 bytes; global by-g: 1 halves, 22 bytes, 2 of 2\n");
    expect("ExecuteStatement", "{\"Statement\":\"INSERT INTO plain VALUE {'pk': 'q'}\"}",
           "plain write: 2 halves, 3 bytes, 1 written\n");
    expect("ExecuteStatement", "{\"Statement\":\"INSERT INTO plain VALUE {'pk': 'q'}\"}",
           "plain write: 0 halves, 0 bytes, 1 failed for 2, 1 false\nDuplicateItemException");
    expect("BatchExecuteStatement",
           "{\"Statements\":[{\"Statement\":\"INSERT INTO plain VALUE {'pk': 'q'}\"},"
           "{\"Statement\":\"INSERT INTO indexed VALUE {'pk': 'p', 'sk': 'f'}\"}]}",
           "plain write: 0 halves, 0 bytes, 1 failed for 2, 1 false\nindexed write: 2 halves, 6 "
           "bytes, 1 "
           "written\n");
    expect("ExecuteTransaction",
           "{\"TransactStatements\":[{\"Statement\":\"SELECT * FROM plain WHERE pk = 'q'\"}]}",
           "plain read consistent transaction: 4 halves, 3 bytes, 1 of 1\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CALL_TEST(gets),         CALL_TEST(ranges),     CALL_TEST(single_writes),
        CALL_TEST(transactions), CALL_TEST(statements), CALL_TEST(batches_of_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
