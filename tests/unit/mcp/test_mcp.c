/* test_mcp.c - sessions of the Model Context Protocol: replies, validation of arguments, and which
 * calls reach the database. Texts have ' for ". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/tree.h"
#include "mcp/session.h"
#include "mcp/tools.h"

static struct {
    struct arena arena;
    struct buffer out;
    struct mcp_session session;
    unsigned calls;
    char operation[64]; /* of the last call; so is `body` */
    char body[1024];
    struct slice reply; /* the database's next one */
    bool fails;
} scene;

static bool call(void *context, struct arena *arena, const char *operation, struct slice body,
                 struct slice *ret_text) {
    assert_ptr_equal(context, &scene);
    assert_ptr_equal(arena, &scene.arena);
    assert_int_equal(body.data[body.len], '\0');
    assert_true(body.len < sizeof(scene.body));
    scene.calls++;
    strcpy(scene.operation, operation);
    memcpy(scene.body, body.data, body.len + 1);
    *ret_text = scene.reply;
    return !scene.fails;
}

static int set_up(void **state) {
    (void)state;
    memset(&scene, 0, sizeof(scene));
    arena_init(&scene.arena);
    buffer_init(&scene.out, 4 * 1024 * 1024);
    scene.session = (struct mcp_session){.version = "1.2", .call = call, .context = &scene};
    scene.reply = SLICE_LITERAL("{}");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    buffer_release(&scene.out);
    arena_release(&scene.arena);
    return 0;
}

/* ---- messages ---- */

static const char *with_quotes(const char *text) {
    char *copy = arena_copy(&scene.arena, text, strlen(text) + 1);
    for (char *at = copy; *at != '\0'; at++)
        if (*at == '\'')
            *at = '"';
    return copy;
}

/* The reply; "" when there is none. */
static const char *answer(const char *message) {
    size_t len = strlen(message);
    char *exact = malloc(len == 0 ? 1 : len); /* so that the sanitizer sees reads past its end */
    memcpy(exact, with_quotes(message), len);
    buffer_reset(&scene.out);
    mcp_answer(&scene.session, &scene.arena, slice_of(exact, len), &scene.out);
    free(exact);
    assert_false(scene.out.overflow);
    struct slice text = buffer_slice(&scene.out);
    assert_true(text.len == 0 || json_tree_read(&scene.arena, text, NULL) != NULL);
    return (const char *)arena_printf(&scene.arena, "%.*s", SLICE_ARGS(text)).data;
}

static void expect_answer(const char *message, const char *wanted) {
    assert_string_equal(answer(message), with_quotes(wanted));
}

#define ERROR(id, code, text) \
    "{'jsonrpc':'2.0','id':" id ",'error':{'code':" code ",'message':'" text "'}}"

static const char *tool_message(const char *tool, const char *arguments) {
    return (const char *)arena_printf(&scene.arena,
                                      "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{"
                                      "'name':'%s','arguments':%s}}",
                                      tool, arguments)
        .data;
}

static void expect_text(const char *tool, const char *arguments, const char *text, bool failed) {
    expect_answer(tool_message(tool, arguments),
                  (const char *)arena_printf(&scene.arena,
                                             "{'jsonrpc':'2.0','id':1,'result':{'content':[{"
                                             "'type':'text','text':'%s'}],'isError':%s}}",
                                             text, failed ? "true" : "false")
                      .data);
}

static void expect_sent(const char *tool, const char *arguments, const char *operation,
                        const char *body) {
    unsigned before = scene.calls;
    expect_text(tool, arguments, "{}", false);
    assert_int_equal(scene.calls, before + 1);
    assert_string_equal(scene.operation, operation);
    assert_string_equal(scene.body, with_quotes(body));
}

/* Expects an error that is made without a call to the database. */
static void expect_refused(const char *tool, const char *arguments, const char *text) {
    unsigned before = scene.calls;
    expect_text(tool, arguments, text, true);
    assert_int_equal(scene.calls, before);
}

/* ---- JSON-RPC ---- */

static void malformed_requests_are_refused(void **state) {
    (void)state;
    static const char *const no_json[] = {"", "{", "{}}", "nothing", "{'a':1,}", "\xff"};
    static const char *const no_request[] = {"{}",
                                             "[]",
                                             "1",
                                             "{'method':1,'id':1}",
                                             "{'id':1}",
                                             "{'id':null,'method':'ping'}",
                                             "{'id':{},'method':'ping'}",
                                             "{'id':1.5,'method':'ping'}",
                                             "[{'id':1,'method':'ping'}]"};
    for (size_t i = 0; i < sizeof(no_json) / sizeof(no_json[0]); i++)
        expect_answer(no_json[i], ERROR("null", "-32700", "this is not JSON"));
    for (size_t i = 0; i < sizeof(no_request) / sizeof(no_request[0]); i++)
        expect_answer(no_request[i], ERROR("null", "-32600", "this is no request of JSON-RPC"));
    expect_answer("{'id':1,'method':'x'}", ERROR("1", "-32601", "there is no method x"));
    buffer_reset(&scene.out);
    mcp_refuse_length(&scene.out);
    assert_true(slice_is(buffer_slice(&scene.out),
                         with_quotes(ERROR("null", "-32600", "a message has at most 4 MB"))));
}

static void id_is_returned_unchanged(void **state) {
    (void)state;
    static const char *const ids[] = {"1",   "-7", "123456789012345678901234567890",
                                      "'a'", "''", "'\\u00e4\\\\'"};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        const char *message =
            (const char *)arena_printf(&scene.arena, "{'id':%s,'method':'ping'}", ids[i]).data;
        const char *id = i == 5 ? "'\xc3\xa4\\\\'" : ids[i];
        expect_answer(message, (const char *)arena_printf(
                                   &scene.arena, "{'jsonrpc':'2.0','id':%s,'result':{}}", id)
                                   .data);
    }
}

static void notifications_are_ignored(void **state) {
    (void)state;
    expect_answer("{'method':'notifications/initialized'}", "");
    expect_answer("{'method':'unknown'}", "");
    expect_answer("{'method':'tools/call','params':{'name':'list_tables','arguments':{}}}", "");
    expect_answer("{'id':1,'result':{}}", ""); /* an unexpected reply */
    assert_int_equal(scene.calls, 0);
}

/* ---- initialize ---- */

static const char *agreed(const char *version) {
    const char *text = answer((const char *)arena_printf(&scene.arena,
                                                         "{'id':1,'method':'initialize','params':{"
                                                         "'protocolVersion':%s}}",
                                                         version)
                                  .data);
    const struct json_value *all = json_tree_read(&scene.arena, slice_text(text), NULL);
    struct slice agreed = json_find_text(json_find(all, "result"), "protocolVersion");
    return (const char *)arena_printf(&scene.arena, "%.*s", SLICE_ARGS(agreed)).data;
}

static void protocol_version_is_negotiated(void **state) {
    (void)state;
    assert_string_equal(agreed("'2024-11-05'"), "2024-11-05");
    assert_string_equal(agreed("'2025-06-18'"), "2025-06-18");
    assert_string_equal(agreed("'2099-01-01'"), "2025-06-18");
    assert_string_equal(agreed("1"), "2025-06-18");
    assert_non_null(strstr(answer("{'id':1,'method':'initialize'}"), "Nothing can be changed."));
    scene.session.writing = true;
    assert_non_null(strstr(answer("{'id':1,'method':'initialize'}"), "Items may be written."));
}

/* ---- tools/list ---- */

static const struct json_value *listed(const char *name) {
    const struct json_value *all =
        json_tree_read(&scene.arena, slice_text(answer("{'id':1,'method':'tools/list'}")), NULL);
    const struct json_value *tool = json_find_items(json_find(all, "result"), "tools");
    while (tool != NULL && !slice_is(json_find_text(tool, "name"), name))
        tool = tool->next;
    return tool;
}

static enum json_token read_only_hint(const char *name) {
    return json_find(json_find(listed(name), "annotations"), "readOnlyHint")->kind;
}

static void writing_tools_are_listed_only_with_writing(void **state) {
    (void)state;
    assert_int_equal(read_only_hint("scan"), JSON_TRUE);
    assert_int_equal(read_only_hint("partiql"), JSON_TRUE);
    assert_null(listed("put_item"));
    assert_null(listed("create_table"));
    scene.session.writing = true;
    assert_int_equal(read_only_hint("scan"), JSON_TRUE);
    assert_int_equal(read_only_hint("partiql"), JSON_FALSE);
    assert_int_equal(read_only_hint("put_item"), JSON_FALSE);
}

static void schema_describes_the_arguments(void **state) {
    (void)state;
    const struct json_value *schema = json_find(listed("query"), "inputSchema");
    const struct json_value *limit = json_find(json_find(schema, "properties"), "Limit");
    assert_true(slice_is(json_find_text(limit, "type"), "integer"));
    assert_true(slice_is(json_find(limit, "maximum")->text, "1000"));
    assert_true(slice_is(json_find(limit, "minimum")->text, "1"));
    const struct json_value *needed = json_find_items(schema, "required");
    assert_true(slice_is(needed->text, "TableName"));
    assert_true(slice_is(needed->next->text, "KeyConditionExpression"));
    assert_null(needed->next->next);
    assert_int_equal(json_find(schema, "additionalProperties")->kind, JSON_FALSE);
}

/* Nothing else checks these tables. */
static void tool_tables_are_consistent(void **state) {
    (void)state;
    for (const struct mcp_tool *tool = mcp_tools; tool->name != NULL; tool++) {
        const struct mcp_member *limit = mcp_member_find(tool, SLICE_LITERAL("Limit"));
        assert_ptr_equal(mcp_tool_find(slice_text(tool->name)), tool);
        assert_true((limit != NULL) == (tool->limit_max > 0));
        for (const struct mcp_member *member = tool->members; member->name != NULL; member++) {
            assert_ptr_equal(mcp_member_find(tool, slice_text(member->name)), member);
            assert_true(member->kind != MCP_COUNT || member == limit);
            assert_true(strlen(member->help) > 0);
        }
    }
    assert_null(mcp_tool_find(SLICE_LITERAL("")));
    assert_null(mcp_tool_find(SLICE_LITERAL("Query")));
    assert_null(mcp_tool_find(SLICE_NONE));
}

/* ---- tools/call ---- */

static void arguments_are_sent_unchanged_with_a_limit(void **state) {
    (void)state;
    expect_sent("describe_table", "{'TableName':'t'}", "DescribeTable", "{'TableName':'t'}");
    expect_sent("list_tables", "{}", "ListTables", "{'Limit':25}");
    expect_sent("list_tables", "{ }", "ListTables", "{'Limit':25 }");
    expect_sent("scan", "{'TableName':'t'}", "Scan", "{'Limit':25,'TableName':'t'}");
    expect_sent("scan", "{'TableName':'t','Limit':1000}", "Scan", "{'TableName':'t','Limit':1000}");
    expect_sent("scan", "{ 'TableName' : 't\\u00e4' }", "Scan",
                "{'Limit':25, 'TableName' : 't\\u00e4' }");
    expect_answer("{'id':1,'method':'tools/call','params':{'name':'list_tables'}}",
                  "{'jsonrpc':'2.0','id':1,'result':{'content':[{'type':'text','text':'{}'}],"
                  "'isError':false}}");
    assert_string_equal(scene.body, "{\"Limit\":25}");
}

static void limit_is_validated(void **state) {
    (void)state;
    static const char *const wrong[] = {"0",       "-1",         "1001",
                                        "1000000", "4294967297", "99999999999999999999"};
    static const char *const no_count[] = {"'5'", "1.0", "1e2", "true", "null"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        expect_refused(
            "scan",
            (const char *)arena_printf(&scene.arena, "{'TableName':'t','Limit':%s}", wrong[i]).data,
            "Limit is to be from 1 to 1000");
    for (size_t i = 0; i < sizeof(no_count) / sizeof(no_count[0]); i++)
        expect_refused(
            "scan",
            (const char *)arena_printf(&scene.arena, "{'TableName':'t','Limit':%s}", no_count[i])
                .data,
            "Limit is to be of type integer");
    expect_refused("list_tables", "{'Limit':101}", "Limit is to be from 1 to 100");
    expect_sent("list_tables", "{'Limit':100}", "ListTables", "{'Limit':100}");
}

static void arguments_are_validated_before_sending(void **state) {
    (void)state;
    expect_refused("scan", "{}", "scan needs TableName");
    expect_refused("scan", "{'TableName':1}", "TableName is to be of type string");
    expect_refused("scan", "{'TableName':'t','Segment':1}", "scan takes no Segment");
    expect_refused("scan", "{'TableName':'t','tablename':'t'}", "scan takes no tablename");
    expect_refused("get_item", "{'TableName':'t','Key':[]}", "Key is to be of type object");
    expect_refused("get_item", "{'TableName':'t','Key':null}", "Key is to be of type object");
    expect_refused("partiql", "{'Statement':'SELECT x','Parameters':{}}",
                   "Parameters is to be of type array");
    expect_refused("scan", "{'TableName':'t','ConsistentRead':'yes'}",
                   "ConsistentRead is to be of type boolean");
}

/* The database might use the other value than the one that was validated. */
static void duplicate_arguments_are_refused(void **state) {
    (void)state;
    expect_refused("scan", "{'TableName':'t','TableName':'u'}", "TableName is there twice");
    expect_refused("scan", "{'TableName':'t','Limit':1,'Lim\\u0069t':5000}",
                   "Limit is there twice");
    expect_refused("partiql", "{'Statement':'SELECT x','St\\u0061tement':'DELETE x'}",
                   "Statement is there twice");
}

static void unknown_tool_is_an_error(void **state) {
    (void)state;
    expect_answer(tool_message("DeleteTable", "{}"),
                  ERROR("1", "-32602", "there is no tool DeleteTable"));
    expect_answer("{'id':1,'method':'tools/call'}", ERROR("1", "-32602", "there is no tool "));
    expect_answer(tool_message("scan", "[]"), ERROR("1", "-32602", "arguments is to be an object"));
    expect_answer(tool_message("scan", "null"),
                  ERROR("1", "-32602", "arguments is to be an object"));
}

#define READ_ONLY "nothing can be changed here: gramme mcp was started without --write"

static void read_only_session_sends_no_writes(void **state) {
    (void)state;
    static const char *const statements[] = {
        "INSERT INTO t VALUE {}",
        "DELETE FROM t",
        "UPDATE t SET a = 1",
        "",
        " ",
        "SELECT",
        "SELECTX * FROM t",
        "EXISTS(SELECT * FROM t)",
        "-- SELECT * FROM t",
        "/**/SELECT * FROM t",
        "SELEC T",
        "(SELECT * FROM t)",
    };
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
        expect_refused(
            "partiql",
            (const char *)arena_printf(&scene.arena, "{'Statement':'%s'}", statements[i]).data,
            READ_ONLY);
    for (const struct mcp_tool *tool = mcp_tools; tool->name != NULL; tool++)
        if (tool->effect == MCP_WRITES)
            answer(tool_message(tool->name, "{'TableName':'t','Key':{},'Item':{},"
                                            "'UpdateExpression':'x','AttributeDefinitions':[],"
                                            "'KeySchema':[],'BillingMode':'x'}"));
    assert_int_equal(scene.calls, 0);
    expect_refused("put_item", "{'TableName':'t','Item':{}}", READ_ONLY);
    expect_sent("partiql", "{'Statement':' \\n\\tselect * from t'}", "ExecuteStatement",
                "{'Limit':25,'Statement':' \\n\\tselect * from t'}");
}

static void writing_session_sends_writes(void **state) {
    (void)state;
    scene.session.writing = true;
    expect_sent("put_item", "{'TableName':'t','Item':{}}", "PutItem",
                "{'TableName':'t','Item':{}}");
    expect_sent("partiql", "{'Statement':'DELETE FROM t','Limit':1}", "ExecuteStatement",
                "{'Statement':'DELETE FROM t','Limit':1}");
}

/* ---- replies of the database ---- */

static void database_error_is_returned(void **state) {
    (void)state;
    scene.fails = true;
    scene.reply = SLICE_LITERAL("ValidationException: so \"not\"\n");
    expect_text("describe_table", "{'TableName':'t'}", "ValidationException: so \\\"not\\\"\\n",
                true);
}

static void too_long_reply_is_refused(void **state) {
    (void)state;
    char *text = malloc(MCP_RESULT_BYTES_MAX + 1);
    memset(text, 'x', MCP_RESULT_BYTES_MAX + 1);
    scene.reply = slice_of(text, MCP_RESULT_BYTES_MAX);
    assert_non_null(strstr(answer(tool_message("list_tables", "{}")), "\"isError\":false"));
    scene.reply.len++;
    expect_text("list_tables", "{}",
                "the answer has 262145 bytes, of which none are shown: at most 262144 are. Ask for "
                "fewer items by Limit, or for fewer attributes by ProjectionExpression.",
                true);
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(malformed_requests_are_refused),
        TEST(id_is_returned_unchanged),
        TEST(notifications_are_ignored),
        TEST(protocol_version_is_negotiated),
        TEST(writing_tools_are_listed_only_with_writing),
        TEST(schema_describes_the_arguments),
        TEST(tool_tables_are_consistent),
        TEST(arguments_are_sent_unchanged_with_a_limit),
        TEST(limit_is_validated),
        TEST(arguments_are_validated_before_sending),
        TEST(duplicate_arguments_are_refused),
        TEST(unknown_tool_is_an_error),
        TEST(read_only_session_sends_no_writes),
        TEST(writing_session_sends_writes),
        TEST(database_error_is_returned),
        TEST(too_long_reply_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
