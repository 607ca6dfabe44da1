/* test_sending.c - attempts, waits and errors, with a transport that follows a script. */
#include "script.h"

static void waits_double_up_to_their_maximum(void **state) {
    (void)state;
    const struct step steps[] = {
        THROTTLED, {ANSWER_NOT_SENT, 0, NULL}, THROTTLED, THROTTLED, THROTTLED, DONE};
    struct ddb_client *client = script_client(steps);
    assert_string_equal(ddb_call(client, "PutItem", "{\"a\":1}"), "{}");
    assert_string_equal(waits, "50 100 200 300 300 ");
    assert_string_equal(sent, "DynamoDB_20120810.PutItem {\"a\":1}");
    assert_ptr_equal(script, steps + 6);
    ddb_client_free(client);
}

static void a_transaction_has_a_token(void **state) {
    (void)state;
    struct ddb_client *client = script_client((const struct step[]){DONE});
    assert_true(ddb_transact_write_items(client, NULL, 0, NULL));
    assert_string_equal(sent, "DynamoDB_20120810.TransactWriteItems {\"TransactItems\":[],"
                              "\"ClientRequestToken\":\"ffffffff-ffff-4fff-bfff-ffffffffffff\"}");
    ddb_client_free(client);
}

static void attempts_end(void **state) {
    (void)state;
    const struct step steps[] = {THROTTLED, THROTTLED, THROTTLED, THROTTLED,
                                 THROTTLED, THROTTLED, THROTTLED};
    struct ddb_client *client = script_client(steps);
    assert_null(ddb_call(client, "PutItem", "{}"));
    assert_ptr_equal(script, steps + 6);
    assert_int_equal(ddb_client_error(client)->attempts, 6);
    assert_false(ddb_client_error(client)->maybe_applied);
    assert_true(ddb_client_failed_with(client, "ThrottlingException"));
    assert_string_equal(ddb_client_error(client)->message, "");
    ddb_client_free(client);
}

/* What a second attempt after an ambiguous first one depends on. */
static void assert_attempts(const char *operation, enum answer_kind kind, int status,
                            int attempts) {
    const struct step steps[] = {{kind, status, ""}, DONE};
    struct ddb_client *client = script_client(steps);
    ddb_call(client, operation, "{}");
    assert_int_equal(script - steps, attempts);
    if (attempts == 1)
        assert_true(ddb_client_error(client)->maybe_applied);
    ddb_client_free(client);
}

static void what_is_sent_twice(void **state) {
    (void)state;
    static const char *const twice[] = {"GetItem",    "DescribeTable",  "ListTables", "PutItem",
                                        "DeleteItem", "BatchWriteItem", "CreateTable"};
    static const char *const once[] = {"UpdateItem", "ExecuteStatement", "BatchExecuteStatement",
                                       "TransactWriteItems", "ExecuteTransaction"};
    for (size_t i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
        assert_attempts(twice[i], ANSWER_BROKEN, 0, 2);
        assert_attempts(twice[i], ANSWER_REPLY, 500, 2);
    }
    for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++) {
        assert_attempts(once[i], ANSWER_BROKEN, 0, 1);
        assert_attempts(once[i], ANSWER_TIMEOUT, 0, 1);
        assert_attempts(once[i], ANSWER_REPLY, 503, 1);
        assert_attempts(once[i], ANSWER_NOT_SENT, 0, 2);
        assert_attempts(once[i], ANSWER_REPLY, 429, 2);
    }
}

static void hopeless_connections_are_not_tried_again(void **state) {
    (void)state;
    const struct step steps[] = {{ANSWER_NEVER, 0, NULL}, DONE};
    struct ddb_client *client = script_client(steps);
    assert_null(ddb_call(client, "GetItem", NULL));
    assert_ptr_equal(script, steps + 1);
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_NETWORK);
    assert_string_equal(ddb_client_error(client)->message, "http://x: no");
    assert_string_equal(ddb_client_error(client)->request_id, "");
    ddb_client_free(client);
}

static void assert_error(const char *body, enum ddb_error_kind kind, const char *type,
                         const char *message) {
    const struct step steps[] = {{ANSWER_REPLY, 400, body}};
    struct ddb_client *client = script_client(steps);
    assert_null(ddb_call(client, "UpdateItem", "{}"));
    const struct ddb_error *error = ddb_client_error(client);
    assert_int_equal(error->kind, kind);
    assert_string_equal(error->type, type);
    assert_string_equal(error->message, message);
    assert_int_equal(error->http_status, 400);
    assert_string_equal(error->request_id, "ID");
    assert_int_equal(error->attempts, 1);
    ddb_client_free(client);
}

static void errors_are_decoded(void **state) {
    (void)state;
    assert_error("{\"__type\":\"a.b#ValidationException\",\"message\":\"wrong\"}",
                 DDB_ERROR_SERVICE, "ValidationException", "wrong");
    assert_error("{\"Message\":\"wrong\",\"__type\":\"Plain:http://x/\",\"more\":[{}]}",
                 DDB_ERROR_SERVICE, "Plain", "wrong");
    assert_error("{\"message\":\"wrong\"}", DDB_ERROR_REPLY, "ClientError",
                 "HTTP status 400 without an error of DynamoDB: {\"message\":\"wrong\"}");
    assert_error("{\"__type\":\"x\",\"Item\":{\"a\":{\"S\":1}}}", DDB_ERROR_REPLY, "ClientError",
                 "HTTP status 400 without an error of DynamoDB: "
                 "{\"__type\":\"x\",\"Item\":{\"a\":{\"S\":1}}}");
    assert_error("{\"__type\":\"x\",\"CancellationReasons\":[{\"Item\":{\"a\":{\"S\":\"b\"}}},1]}",
                 DDB_ERROR_REPLY, "ClientError",
                 "HTTP status 400 without an error of DynamoDB: "
                 "{\"__type\":\"x\",\"CancellationReasons\":[{\"Item\":{\"a\":{\"S\":\"b\"}}},1]}");
}

static void an_error_has_items_and_reasons(void **state) {
    (void)state;
    const struct step steps[] = {
        {ANSWER_REPLY, 400,
         "{\"__type\":\"x#TransactionCanceledException\",\"Message\":\"cancelled\",\"Item\":{\"i\":"
         "{\"N\":\"1\"}},\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"Code\","
         "\"Message\":\"text\",\"Item\":{\"a\":{\"S\":\"b\"}}},{\"Code\":\"Other\",\"Message\":"
         "null}]}"},
        DONE,
    };
    struct ddb_client *client = script_client(steps);
    assert_null(ddb_call(client, "UpdateItem", "{}"));
    const struct ddb_error *error = ddb_client_error(client);
    assert_string_equal(error->message, "cancelled; action 2 of 3: Code: text");
    assert_int_equal(ddb_item_int(error->item, "i", 0), 1);
    assert_int_equal(error->reason_count, 3);
    assert_string_equal(error->reasons[0].code, "None");
    assert_string_equal(error->reasons[0].message, "");
    assert_null(error->reasons[0].item);
    assert_string_equal(ddb_item_string(error->reasons[1].item, "a", "?"), "b");
    assert_string_equal(error->reasons[2].code, "Other");
    assert_non_null(ddb_call(client, "UpdateItem", "{}"));
    assert_null(ddb_client_error(client));
    ddb_client_free(client);
}

static void a_client_without_settings_fails_every_call(void **state) {
    (void)state;
    struct ddb_client *client = client_new(NULL, no_variable, NULL, &fake_random);
    struct ddb_item *item = NULL;
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_CONFIG);
    assert_null(ddb_call(client, "ListTables", "{}"));
    assert_false(ddb_get_item(client, &(struct ddb_get){.table = "t"}, &item));
    assert_null(ddb_scan(client, &(struct ddb_query){.table = "t"}));
    assert_false(ddb_batch_write_items(client, NULL, 0, NULL));
    assert_null(ddb_cursor_next(NULL));
    assert_string_equal(ddb_client_error(client)->message,
                        "no region: set AWS_REGION, or `region` in the profile, or the option");
    ddb_client_free(client);
    ddb_client_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_double_up_to_their_maximum),
        cmocka_unit_test(a_transaction_has_a_token),
        cmocka_unit_test(attempts_end),
        cmocka_unit_test(what_is_sent_twice),
        cmocka_unit_test(hopeless_connections_are_not_tried_again),
        cmocka_unit_test(errors_are_decoded),
        cmocka_unit_test(an_error_has_items_and_reasons),
        cmocka_unit_test(a_client_without_settings_fails_every_call),
    };
    return cmocka_run_group_tests_name("client sending", tests, NULL, NULL);
}
