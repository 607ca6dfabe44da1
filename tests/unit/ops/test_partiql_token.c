/* test_partiql_token.c - forged tokens of ExecuteStatement: the key in one must be a key of the
 * table, and of the index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base64.h"
#include "call_test.h"
#include "ops/partiql/partiql_token.h"

#define TEXT(...) ((const char *)arena_printf(&fixture.arena, __VA_ARGS__).data)
#define ITEM(sk) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"},\"g\":{\"S\":\"g\"}}"

/* The reply to a statement with a token, or the message of its error. */
static const char *page(const char *from, struct slice token) {
    struct test_call test;
    const char *next = token.len == 0 ? "" : TEXT(",\"NextToken\":\"%.*s\"", SLICE_ARGS(token));
    call_run(&test, "ExecuteStatement",
             TEXT("{\"Statement\":\"SELECT * FROM %s\",\"Limit\":1%s}", from, next));
    struct slice text = test.error == NULL ? buffer_slice(&test.reply) : test.error->message;
    const char *reply = TEXT("%.*s", SLICE_ARGS(text));
    call_end(&test);
    return reply;
}

/* A token that belongs to the statement. */
static struct partiql_token token_of(const char *from) {
    static const char name[] = "\"NextToken\":\"";
    const char *at = strstr(page(from, SLICE_NONE), name);
    assert_non_null(at);
    at += strlen(name);
    struct slice text = slice_of((const uint8_t *)at, strcspn(at, "\""));
    uint8_t *bytes = arena_alloc(&fixture.arena, base64_decoded_max(text.len));
    size_t len;
    assert_int_equal(base64_decode(text, bytes, &len), BASE64_OK);
    struct partiql_token token = {.range = 0};
    assert_true(len > 1 + 2 * sizeof(token.fingerprint)); /* version, hash, fingerprint */
    memcpy(token.fingerprint, bytes + 1 + sizeof(token.fingerprint), sizeof(token.fingerprint));
    return token;
}

static const char *start_at(const char *from, const char *key) {
    struct partiql_token token = token_of(from);
    token.last_key = fixture_item(&fixture, key);
    return page(from, partiql_token_encode(&fixture.arena, &token));
}

static void fill_table(void) {
    assert_null(fixture_create_indexed(&fixture, "Table"));
    assert_null(fixture_put(&fixture, "Table", ITEM("1")));
    assert_null(fixture_put(&fixture, "Table", ITEM("2")));
}

#define IN_TABLE "\\\"Table\\\""
#define IN_INDEX "\\\"Table\\\".\\\"by-g\\\""
#define PK "\"pk\":{\"S\":\"p\"}"
#define SK "\"sk\":{\"S\":\"1\"}"
#define G "\"g\":{\"S\":\"g\"}"

static void a_table_is_read_from_its_key(void **state) {
    (void)state;
    fill_table();
    assert_non_null(strstr(start_at(IN_TABLE, "{" PK "," SK "}"), "\"Items\""));
    assert_string_equal(start_at(IN_TABLE, "{" PK "}"), "Invalid NextToken");
    assert_string_equal(start_at(IN_TABLE, "{" PK ",\"sk\":{\"N\":\"1\"}}"), "Invalid NextToken");
}

static void an_index_is_read_from_its_key_and_that_of_the_table(void **state) {
    (void)state;
    fill_table();
    assert_non_null(strstr(start_at(IN_INDEX, "{" PK "," SK "," G "}"), "\"Items\""));
    assert_string_equal(start_at(IN_INDEX, "{" PK "," SK "}"), "Invalid NextToken");
    assert_string_equal(start_at(IN_INDEX, "{" PK "," G "}"), "Invalid NextToken");
    assert_string_equal(start_at(IN_INDEX, "{" PK ",\"sk\":{\"N\":\"1\"}," G "}"),
                        "Invalid NextToken");
    assert_string_equal(start_at(IN_INDEX, "{" PK ",\"sk\":{\"S\":\"\"}," G "}"),
                        "Invalid NextToken");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_table_is_read_from_its_key),
        CALL_TEST(an_index_is_read_from_its_key_and_that_of_the_table),
    };
    return cmocka_run_group_tests_name("partiql token", tests, NULL, NULL);
}
