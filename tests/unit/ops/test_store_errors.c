/* test_store_errors.c - an operation that reads fails when any of its calls to the store fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "call_test.h"
#include "store/fault/fault.h"

static struct store *store;

#define TEXT(...) ((const char *)arena_printf(&fixture.arena, __VA_ARGS__).data)

/* The engine is stepped, so that only the operation calls the store. */
static int open_stepped(void **state) {
    store = fault_store_new(fixture_store());
    struct engine_options options = fixture_options(store);
    options.stepped = true;
    options.random = &test_random; /* it decides which shard has which partition */
    assert_null(fixture_open_with(&fixture, &options));
    fixture_exprs = expr_cache_new(16);
    test_now_ms = 1700000000000;
    *state = &fixture;
    assert_null(fixture_create_indexed(&fixture, "Table"));
    assert_null(fixture_set_stream(&fixture, "Table", STREAM_NEW_IMAGE));
    for (int i = 0; i < 40; i++)
        assert_null(fixture_put(&fixture, "Table",
                                TEXT("{\"pk\":{\"S\":\"p%d\"},\"sk\":{\"S\":\"1\"},"
                                     "\"g\":{\"S\":\"g\"},\"l\":{\"N\":\"1\"}}",
                                     i)));
    return 0;
}

/* Fails each call in turn. Returns the reply without a fault. */
static const char *check(const char *name, const char *request) {
    struct test_call test;
    fault_store_arm(store, FAULT_NONE, 0);
    call_run(&test, name, request);
    uint64_t calls = fault_store_calls(store);
    if (test.error != NULL || calls == 0)
        fail_msg("%s: %llu calls, %.*s", name, (unsigned long long)calls,
                 SLICE_ARGS(test.error == NULL ? SLICE_LITERAL("") : test.error->message));
    buffer_append_byte(&test.reply, 0);
    const char *reply = arena_copy(&fixture.arena, test.reply.data, test.reply.len);
    call_end(&test);
    for (uint64_t n = 1; n <= calls; n++) {
        fault_store_arm(store, FAULT_ERROR, n);
        call_run(&test, name, request);
        assert_true(fault_store_fired(store));
        if (test.error == NULL)
            fail_msg("%s succeeds when call %llu fails", name, (unsigned long long)n);
        call_end(&test);
    }
    fault_store_arm(store, FAULT_NONE, 0);
    return reply;
}

/* The text of the first member of that name. */
static const char *member(const char *reply, const char *name) {
    const char *at = strstr(reply, name);
    assert_non_null(at);
    at += strlen(name) + strlen("\":\"");
    struct slice value = slice_of((const uint8_t *)at, strcspn(at, "\""));
    return TEXT("%.*s", SLICE_ARGS(value));
}

#define KEY "{\"pk\":{\"S\":\"p1\"},\"sk\":{\"S\":\"1\"}}"

static void reads_of_items(void **state) {
    (void)state;
    check("GetItem", "{\"TableName\":\"Table\",\"Key\":" KEY "}");
    check("BatchGetItem", "{\"RequestItems\":{\"Table\":{\"Keys\":[" KEY "]}}}");
    check("TransactGetItems",
          "{\"TransactItems\":[{\"Get\":{\"TableName\":\"Table\",\"Key\":" KEY "}}]}");
    check("Scan", "{\"TableName\":\"Table\"}");
    check("Scan", "{\"TableName\":\"Table\",\"IndexName\":\"by-g\"}");
    check("Query", "{\"TableName\":\"Table\",\"KeyConditionExpression\":\"pk = :p\","
                   "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"p1\"}}}");
    check("Query", "{\"TableName\":\"Table\",\"IndexName\":\"by-l\",\"Select\":\"ALL_ATTRIBUTES\","
                   "\"KeyConditionExpression\":\"pk = :p\","
                   "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"p1\"}}}");
    check("ExecuteStatement",
          "{\"Statement\":\"SELECT * FROM \\\"Table\\\" WHERE pk = 'p1' AND sk = '1'\"}");
    check("ExecuteTransaction", "{\"TransactStatements\":[{\"Statement\":"
                                "\"SELECT * FROM \\\"Table\\\" WHERE pk = 'p1' AND sk = '1'\"}]}");
}

static void reads_of_streams(void **state) {
    (void)state;
    const char *stream = member(check("ListStreams", "{}"), "StreamArn");
    const char *described = check("DescribeStream", TEXT("{\"StreamArn\":\"%s\"}", stream));
    const char *request = TEXT("{\"StreamArn\":\"%s\",\"ShardId\":\"%s\","
                               "\"ShardIteratorType\":\"TRIM_HORIZON\"}",
                               stream, member(described, "ShardId"));
    const char *iterator = member(check("GetShardIterator", request), "ShardIterator");
    const char *records = check("GetRecords", TEXT("{\"ShardIterator\":\"%s\"}", iterator));
    assert_non_null(strstr(records, "\"INSERT\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_of_items, open_stepped, close_engine),
        cmocka_unit_test_setup_teardown(reads_of_streams, open_stepped, close_engine),
    };
    return cmocka_run_group_tests_name("store errors", tests, NULL, NULL);
}
