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
    assert_true(ddb_client_error(client)->retryable);
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

/* ---- deadlines ---- */

static void no_wait_goes_past_the_deadline(void **state) {
    (void)state;
    const struct step steps[] = {THROTTLED, THROTTLED, THROTTLED, THROTTLED, DONE};
    struct ddb_client *client = script_client(steps);
    ddb_client_set_deadline(client, 300);
    assert_null(ddb_call(client, "GetItem", "{}"));
    assert_string_equal(waits, "50 100 ");
    assert_int_equal(timeout_ms, 300 - 152);
    assert_true(ddb_client_failed_with(client, "ThrottlingException"));
    assert_int_equal(ddb_client_error(client)->attempts, 3);
    script_ms = 280;
    assert_null(ddb_call(client, "GetItem", "{}"));
    assert_int_equal(ddb_client_error(client)->attempts, 1);
    script_ms = 300;
    assert_null(ddb_call(client, "GetItem", "{}"));
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_TIMEOUT);
    assert_string_equal(ddb_client_error(client)->message, "GetItem: the deadline has passed");
    assert_int_equal(ddb_client_error(client)->attempts, 0);
    ddb_client_set_deadline(client, 0);
    assert_non_null(ddb_call(client, "GetItem", "{}"));
    assert_int_equal(timeout_ms, 30000);
    ddb_client_free(client);
}

static void a_call_has_a_deadline_of_its_own(void **state) {
    (void)state;
    const struct step steps[] = {THROTTLED, {ANSWER_TIMEOUT, 0, NULL}, DONE, DONE};
    struct ddb_client *client = client_new(&(struct ddb_options){.endpoint = "http://x",
                                                                 .region = "r",
                                                                 .access_key_id = "a",
                                                                 .secret_access_key = "b",
                                                                 .call_timeout_ms = 200},
                                           no_variable, script_transport(steps), &fake_random);
    assert_null(ddb_call(client, "GetItem", "{}"));
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_TIMEOUT);
    assert_int_equal(script_ms, 200);
    assert_non_null(ddb_call(client, "GetItem", "{}"));
    assert_int_equal(timeout_ms, 200);
    ddb_client_set_deadline(client, 150);
    assert_non_null(ddb_call(client, "GetItem", "{}"));
    assert_int_equal(timeout_ms, 150);
    ddb_client_free(client);
}

/* ---- what is worth another call, and what pays for it ---- */

static void assert_retryable(const struct step *step, const char *operation, bool expected) {
    const struct step steps[] = {*step, *step, *step, *step, *step, *step};
    struct ddb_client *client = script_client(steps);
    assert_null(ddb_call(client, operation, "{}"));
    assert_int_equal(ddb_client_error(client)->retryable, expected);
    ddb_client_free(client);
}

#define CANCELLED(reasons)                                    \
    {                                                         \
        ANSWER_REPLY, 400,                                    \
            "{\"__type\":\"x#TransactionCanceledException\"," \
            "\"CancellationReasons\":[" reasons "]}"          \
    }

static void errors_say_whether_another_call_may_work(void **state) {
    (void)state;
    const struct step yes[] = {
        THROTTLED,
        {ANSWER_NOT_SENT, 0, NULL},
        {ANSWER_TIMEOUT, 0, NULL},
        {ANSWER_REPLY, 500, "{}"},
        {ANSWER_REPLY, 400, "{\"__type\":\"x#RequestTimeoutException\"}"},
        {ANSWER_REPLY, 400, "{\"__type\":\"x#LimitExceededException\"}"},
        CANCELLED("{\"Code\":\"None\"},{\"Code\":\"TransactionConflict\"}"),
    };
    const struct step no[] = {
        {ANSWER_NEVER, 0, NULL},
        {ANSWER_REPLY, 400, "{\"__type\":\"x#ValidationException\"}"},
        {ANSWER_REPLY, 404, "no"},
        CANCELLED("{\"Code\":\"TransactionConflict\"},{\"Code\":\"ConditionalCheckFailed\"}"),
    };
    for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
        assert_retryable(&yes[i], "UpdateItem", true);
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
        assert_retryable(&no[i], "UpdateItem", false);
}

static struct ddb_client *client_with_budget(const struct step *steps, int budget) {
    return client_new(&(struct ddb_options){.endpoint = "http://x",
                                            .region = "r",
                                            .access_key_id = "a",
                                            .secret_access_key = "b",
                                            .retry_budget = budget},
                      no_variable, script_transport(steps), &fake_random);
}

static void second_attempts_are_paid_for(void **state) {
    (void)state;
    /* 12 tokens: two attempts more, 2 left; none; and after three calls that worked one more, whose
     * success gives its 5 back. */
    const struct step steps[] = {THROTTLED, THROTTLED, THROTTLED, THROTTLED, DONE, DONE,
                                 DONE,      THROTTLED, DONE,      THROTTLED, DONE};
    static const int attempts[] = {3, 1, 1, 1, 1, 2, 2};
    struct ddb_client *client = client_with_budget(steps, 12);
    for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
        const struct step *before = script;
        ddb_call(client, "GetItem", "{}");
        assert_int_equal(script - before, attempts[i]);
        assert_int_equal(ddb_client_error(client) != NULL, i < 2);
    }
    assert_ptr_equal(script, steps + 11);
    ddb_client_free(client);
}

static void a_time_out_costs_more(void **state) {
    (void)state;
    const struct step steps[] = {{ANSWER_TIMEOUT, 0, NULL}, THROTTLED, DONE, DONE};
    struct ddb_client *client = client_with_budget(steps, 12);
    assert_null(ddb_call(client, "GetItem", "{}"));
    assert_ptr_equal(script, steps + 2);
    ddb_client_free(client);
    const struct step many[] = {{ANSWER_TIMEOUT, 0, NULL}, THROTTLED, THROTTLED, THROTTLED, DONE};
    client = client_with_budget(many, -1);
    assert_non_null(ddb_call(client, "GetItem", "{}"));
    ddb_client_free(client);
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
        cmocka_unit_test(no_wait_goes_past_the_deadline),
        cmocka_unit_test(a_call_has_a_deadline_of_its_own),
        cmocka_unit_test(errors_say_whether_another_call_may_work),
        cmocka_unit_test(second_attempts_are_paid_for),
        cmocka_unit_test(a_time_out_costs_more),
    };
    return cmocka_run_group_tests_name("client sending", tests, NULL, NULL);
}
