/* test_documents.c - plain JSON to items and back, and calls that take and give it. */
#include "script.h"

#include <stdlib.h>

static void assert_document(const char *json, const char *expected, const char *typed) {
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_document(item, "d", json, strlen(json));
    assert_null(ddb_item_error(item));
    char *back = ddb_value_document(ddb_item_value(item, "d"));
    assert_string_equal(back, expected);
    char *json_of_item = ddb_item_json(item);
    assert_string_equal(json_of_item, typed);
    free(json_of_item);
    free(back);
    ddb_item_free(item);
}

static void every_kind_goes_there_and_back(void **state) {
    (void)state;
    assert_document(
        " {\"b\": [1, -2.50, \"x\\ny\", true, false, null, {}],\"a\":\"\\u00e9\"} ",
        "{\"a\":\"é\",\"b\":[1,-2.50,\"x\\ny\",true,false,null,{}]}",
        "{\"d\":{\"M\":{\"a\":{\"S\":\"é\"},\"b\":{\"L\":[{\"N\":\"1\"},{\"N\":\"-2.50\"},"
        "{\"S\":\"x\\ny\"},{\"BOOL\":true},{\"BOOL\":false},{\"NULL\":true},{\"M\":{}}]}}}}");
    assert_document("7", "7", "{\"d\":{\"N\":\"7\"}}");
    assert_document("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}",
                    "{\"d\":{\"M\":{\"a\":{\"N\":\"3\"},\"b\":{\"N\":\"2\"}}}}");
}

static void assert_problem(const char *json, const char *expected) {
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_document(item, "d", json, strlen(json));
    assert_string_equal(ddb_item_error(item), expected);
    ddb_item_free(item);
}

static void what_is_wrong_is_told_by_its_line(void **state) {
    (void)state;
    char deep[128];
    assert_problem("", "line 1: this is not JSON");
    assert_problem("{\"a\": 1,\n\"b\": 01}", "line 2: this is not JSON");
    assert_problem("[1] 2", "line 1: this is not JSON");
    assert_problem("[1,]", "line 1: this is not JSON");
    assert_problem("{\"a\":1", "line 1: this is not JSON");
    assert_problem("\n\n\"\xff\"", "line 3: this is not JSON");
    assert_problem("[\n1e999]", "line 2: a number has more than 38 digits or is out of range");
    assert_problem("{\"\":1}", "line 1: a name is empty or has a NUL character");
    assert_problem("{\"a\\u0000\":1}", "line 1: a name is empty or has a NUL character");
    memset(deep, '[', sizeof(deep));
    deep[sizeof(deep) - 1] = '\0';
    assert_problem(deep, "line 1: objects and arrays are nested too deep");
}

static void what_json_has_no_form_for(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_binary(item, "binary", "\x00\xff", 2);
    ddb_item_set_numbers(item, "numbers", (const char *[]){"+1", ".5", "1e3", "-0"}, 4);
    ddb_item_set_text(item, "text", "a\0b", 3);
    struct ddb_item *holder = ddb_item_new();
    ddb_list_add_null(ddb_item_set_list(holder, "l"));
    ddb_item_set_value(ddb_item_set_map(holder, "m"), "numbers", ddb_item_value(item, "numbers"));
    char *json = ddb_value_document(ddb_item_value(item, "numbers"));
    assert_string_equal(json, "[1,0.5,1e3,-0]");
    free(json);
    json = ddb_value_document(ddb_item_value(item, "binary"));
    assert_string_equal(json, "\"AP8=\"");
    free(json);
    json = ddb_value_document(ddb_item_value(item, "text"));
    assert_string_equal(json, "\"a\\u0000b\"");
    free(json);
    json = ddb_value_document(ddb_item_value(holder, "m"));
    assert_string_equal(json, "{\"numbers\":[1,0.5,1e3,-0]}");
    free(json);
    json = ddb_value_document(NULL);
    assert_string_equal(json, "null");
    free(json);
    ddb_item_free(holder);
    ddb_item_free(item);
}

static void a_call_takes_and_gives_documents(void **state) {
    (void)state;
    const struct step steps[] = {
        REPLY(
            "{\"Table\":{\"TableStatus\":\"ACTIVE\",\"ItemCount\":12,\"CreationDateTime\":1.5e9}}"),
        REPLY(""), REPLY("[]"), REPLY("{\"a\":1}x")};
    struct ddb_client *client = script_client(steps);
    struct ddb_item *parameters = ddb_item_new(), *reply = NULL;
    ddb_item_set_string(parameters, "TableName", "music");
    ddb_list_add_int(ddb_item_set_list(parameters, "Numbers"), 5);
    assert_true(ddb_call_document(client, "DescribeTable", parameters, &reply));
    assert_string_equal(sent, "DynamoDB_20120810.DescribeTable "
                              "{\"Numbers\":[5],\"TableName\":\"music\"}");
    const struct ddb_item *table = ddb_item_map(reply, "Table");
    assert_string_equal(ddb_item_string(table, "TableStatus", "?"), "ACTIVE");
    assert_int_equal(ddb_item_int(table, "ItemCount", 0), 12);
    assert_string_equal(ddb_item_number(table, "CreationDateTime", "?"), "1.5e9");
    ddb_item_free(reply);
    assert_true(ddb_call_document(client, "DynamoDBStreams_20120810.ListStreams", NULL, &reply));
    assert_string_equal(sent, "DynamoDBStreams_20120810.ListStreams {}");
    assert_int_equal(ddb_item_count(reply), 0);
    ddb_item_free(reply);
    assert_false(ddb_call_document(client, "ListTables", NULL, &reply));
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_REPLY);
    assert_false(ddb_call_document(client, "ListTables", NULL, NULL));
    assert_false(ddb_call_document(client, NULL, NULL, NULL));
    ddb_item_set_number(parameters, "Limit", "many");
    assert_false(ddb_call_document(client, "ListTables", parameters, NULL));
    assert_string_equal(ddb_client_error(client)->message,
                        "ListTables: attribute \"Limit\": \"many\" is not a number");
    assert_ptr_equal(script, steps + 4);
    ddb_item_free(parameters);
    ddb_client_free(client);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_goes_there_and_back),
        cmocka_unit_test(what_is_wrong_is_told_by_its_line),
        cmocka_unit_test(what_json_has_no_form_for),
        cmocka_unit_test(a_call_takes_and_gives_documents),
    };
    return cmocka_run_group_tests_name("client documents", tests, NULL, NULL);
}
