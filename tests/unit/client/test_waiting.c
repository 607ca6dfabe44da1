/* test_waiting.c - waiting for tables, indexes and backups, and lists page by page. */
#include "client/cursor.h"
#include "script.h"

#define TABLE(status, more) REPLY("{\"Table\":{\"TableStatus\":\"" status "\"" more "}}")
#define INDEX(name, status) "{\"IndexName\":\"" name "\",\"IndexStatus\":\"" status "\"}"
#define INDEXES(list) ",\"GlobalSecondaryIndexes\":[" list "]"
#define ABSENT \
    { ANSWER_REPLY, 400, "{\"__type\":\"x#ResourceNotFoundException\",\"message\":\"none\"}" }
#define DENIED \
    { ANSWER_REPLY, 400, "{\"__type\":\"x#AccessDeniedException\",\"message\":\"no\"}" }

/* ---- waiting ---- */

static bool wait_with(const struct step *steps, size_t count, const struct ddb_wait *wait,
                      const char *expected) {
    struct ddb_client *client = script_client(steps);
    bool ok = ddb_wait(client, wait);
    const struct ddb_error *error = ddb_client_error(client);
    assert_string_equal(error == NULL ? "" : error->message, expected);
    assert_int_equal(ok, error == NULL);
    assert_int_equal(script - steps, count);
    ddb_client_free(client);
    return ok;
}

#define WAIT(expected, steps, ...) \
    wait_with(steps, sizeof(steps) / sizeof(*(steps)), &(struct ddb_wait){__VA_ARGS__}, expected)

static void a_table_that_becomes_active(void **state) {
    (void)state;
    const struct step steps[] = {ABSENT, TABLE("CREATING", ""), TABLE("CREATING", ""),
                                 TABLE("ACTIVE", INDEXES(INDEX("i", "CREATING")))};
    assert_true(WAIT("", steps, .table = "t"));
    assert_string_equal(sent, "DynamoDB_20120810.DescribeTable {\"TableName\":\"t\"}");
    assert_string_equal(waits, "50 100 200 ");
}

static void waits_have_a_bound(void **state) {
    (void)state;
    const struct step steps[] = {TABLE("CREATING", ""), TABLE("CREATING", ""),
                                 TABLE("CREATING", ""), TABLE("CREATING", ""), TABLE("ACTIVE", "")};
    assert_true(WAIT("", steps, .table = "t", .delay_ms = 200, .delay_max_ms = 500));
    assert_string_equal(waits, "200 400 500 500 ");
}

static void a_table_that_goes(void **state) {
    (void)state;
    const struct step steps[] = {TABLE("DELETING", ""), ABSENT};
    assert_true(WAIT("", steps, .table = "t", .until = DDB_TABLE_GONE));
}

static void indexes(void **state) {
    (void)state;
    const struct step one[] = {
        TABLE("UPDATING", ""), TABLE("ACTIVE", ""),
        TABLE("ACTIVE", INDEXES(INDEX("a", "CREATING") "," INDEX("b", "CREATING"))),
        TABLE("ACTIVE", INDEXES(INDEX("a", "CREATING") "," INDEX("b", "ACTIVE")))};
    assert_true(WAIT("", one, .table = "t", .index = "b", .until = DDB_INDEX_ACTIVE));
    const struct step all[] = {
        TABLE("ACTIVE", INDEXES(INDEX("a", "ACTIVE") "," INDEX("b", "CREATING"))),
        TABLE("ACTIVE", INDEXES(INDEX("a", "ACTIVE") "," INDEX("b", "ACTIVE")))};
    assert_true(WAIT("", all, .table = "t", .until = DDB_INDEX_ACTIVE));
    const struct step none[] = {TABLE("ACTIVE", "")};
    assert_true(WAIT("", none, .table = "t", .until = DDB_INDEX_ACTIVE));
    const struct step gone[] = {TABLE("ACTIVE", INDEXES(INDEX("b", "DELETING"))),
                                TABLE("ACTIVE", "")};
    assert_true(WAIT("", gone, .table = "t", .index = "b", .until = DDB_INDEX_GONE));
}

#define BACKUP(status) \
    REPLY("{\"BackupDescription\":{\"BackupDetails\":{\"BackupStatus\":\"" status "\"}}}")

static void backups_and_imports(void **state) {
    (void)state;
    const struct step good[] = {BACKUP("CREATING"), BACKUP("AVAILABLE")};
    assert_true(WAIT("", good, .arn = "arn", .until = DDB_BACKUP_AVAILABLE));
    assert_string_equal(sent, "DynamoDB_20120810.DescribeBackup {\"BackupArn\":\"arn\"}");
    const struct step never[] = {BACKUP("DELETED")};
    WAIT("waiting for arn: it is DELETED", never, .arn = "arn", .until = DDB_BACKUP_AVAILABLE);
    const struct step failed[] = {
        REPLY("{\"ImportTableDescription\":{\"ImportStatus\":\"IN_PROGRESS\"}}"),
        REPLY("{\"ImportTableDescription\":{\"ImportStatus\":\"CANCELLED\"}}")};
    WAIT("waiting for arn: it is CANCELLED", failed, .arn = "arn", .until = DDB_IMPORT_COMPLETED);
}

static void what_ends_a_wait(void **state) {
    (void)state;
    const struct step slow[] = {TABLE("CREATING", ""), TABLE("CREATING", ""), TABLE("CREATING", ""),
                                TABLE("CREATING", ""), TABLE("CREATING", "")};
    WAIT("waiting for t: it is still CREATING", slow, .table = "t", .timeout_ms = 400);
    assert_in_range(script_ms, 390, 400);
    const struct step denied[] = {DENIED};
    WAIT("no", denied, .table = "t");
    const struct step absent[] = {ABSENT};
    WAIT("none", absent, .table = "t", .must_exist = true);
    WAIT("", absent, .table = "t", .until = DDB_TABLE_GONE, .must_exist = true);
    wait_with(denied, 0, &(struct ddb_wait){.until = DDB_TABLE_GONE},
              "no table is named to wait for");
    wait_with(denied, 0, &(struct ddb_wait){.until = DDB_BACKUP_AVAILABLE, .table = "t"},
              "no ARN is named to wait for");
    wait_with(denied, 0, &(struct ddb_wait){.until = (enum ddb_state)99, .table = "t"},
              "`until` is none of enum ddb_state");
}

static void a_server_that_is_away_for_a_moment(void **state) {
    (void)state;
    const struct step away = {ANSWER_NOT_SENT, 0, NULL};
    const struct step never[] = {away, away, away, away, away, away};
    WAIT("http://x: no", never, .table = "t");
    const struct step steps[] = {TABLE("CREATING", ""), away, away, away, away, away, away,
                                 TABLE("ACTIVE", "")};
    assert_true(WAIT("", steps, .table = "t"));
    /* What was seen last is told, though the last looks saw nothing. */
    const struct step gone[] = {
        TABLE("CREATING", ""), away, away, away, away, away, away, away, away, away, away, away};
    struct ddb_client *client = script_client(gone);
    assert_false(ddb_wait(client, &(struct ddb_wait){.table = "t", .timeout_ms = 1000}));
    assert_string_equal(ddb_client_error(client)->message, "waiting for t: it is still CREATING");
    ddb_client_free(client);
}

static bool twice(void *context) {
    int *left = context;
    return (*left)-- > 0;
}

static void the_caller_may_end_it(void **state) {
    (void)state;
    int left = 2;
    const struct step slow[] = {TABLE("CREATING", ""), TABLE("CREATING", ""),
                                TABLE("CREATING", "")};
    WAIT("waiting for t: it is still CREATING", slow, .table = "t", .go_on = twice,
         .context = &left);
}

static void the_deadline_of_the_client_holds(void **state) {
    (void)state;
    const struct step slow[] = {TABLE("CREATING", ""), TABLE("CREATING", ""), TABLE("CREATING", ""),
                                TABLE("CREATING", ""), TABLE("CREATING", ""), TABLE("ACTIVE", "")};
    struct ddb_client *client = script_client(slow);
    ddb_client_set_deadline(client, 100);
    assert_false(ddb_wait(client, &(struct ddb_wait){.table = "t"}));
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_TIMEOUT);
    assert_in_range(script_ms, 80, 100);
    ddb_client_free(client);
}

/* ---- lists ---- */

static void lists_go_on_page_by_page(void **state) {
    (void)state;
    const struct step steps[] = {
        REPLY(
            "{\"TableNames\":[\"a\",\"b\"],\"LastEvaluatedTableName\":\"b\",\"More\":{\"x\":[]}}"),
        REPLY("{\"LastEvaluatedTableName\":\"b2\",\"TableNames\":[]}"),
        REPLY("{\"TableNames\":[\"c\"]}"),
        REPLY("{\"Tags\":[{\"Key\":\"k\",\"Value\":\"v\"}],\"NextToken\":\"t\"}"),
        REPLY("{\"Tags\":[1]}"),
    };
    struct ddb_client *client = script_client(steps);
    struct ddb_item *parameters = ddb_item_new();
    ddb_item_set_int(parameters, "Limit", 2);
    struct ddb_cursor *cursor = ddb_call_pages(client, "ListTables", parameters);
    assert_string_equal(sent, "DynamoDB_20120810.ListTables {\"Limit\":2}");
    ddb_item_free(parameters);
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(ddb_item_string(ddb_cursor_next(cursor), "TableName", "?"), names[i]);
    assert_string_equal(sent, "DynamoDB_20120810.ListTables "
                              "{\"ExclusiveStartTableName\":\"b2\",\"Limit\":2}");
    assert_null(ddb_cursor_next(cursor));
    assert_null(ddb_client_error(client));
    assert_int_equal(ddb_cursor_count(cursor), 3);
    ddb_cursor_free(cursor);
    cursor = ddb_call_pages(client, "ListTagsOfResource", NULL);
    assert_string_equal(ddb_item_string(ddb_cursor_next(cursor), "Value", "?"), "v");
    assert_null(ddb_cursor_next(cursor));
    assert_string_equal(sent, "DynamoDB_20120810.ListTagsOfResource {\"NextToken\":\"t\"}");
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_REPLY);
    ddb_cursor_free(cursor);
    assert_null(ddb_call_pages(client, NULL, NULL));
    assert_string_equal(ddb_client_error(client)->message, "that is not the name of an operation");
    ddb_client_free(client);
}

/* ---- pages that do not go on ---- */

static void assert_circles(struct ddb_cursor *cursor, const char *expected) {
    while (ddb_cursor_next(cursor) != NULL)
        continue;
    assert_string_equal(ddb_client_error(cursor->client)->message, expected);
    ddb_cursor_free(cursor);
}

static void pages_in_circles_are_an_error(void **state) {
    (void)state;
    const struct step lists[] = {REPLY("{\"NextToken\":\"t\"}"), REPLY("{\"NextToken\":\"t\"}")};
    struct ddb_client *client = script_client(lists);
    assert_circles(ddb_call_pages(client, "ListExports", NULL),
                   "ListExports: the server's pages go in circles");
    ddb_client_free(client);
    client = script_client(lists);
    assert_circles(ddb_execute_statement(client, &(struct ddb_statement){.text = "SELECT 1"}),
                   "ExecuteStatement: the server's pages go in circles");
    ddb_client_free(client);
    const struct step query[] = {REPLY("{\"LastEvaluatedKey\":{\"a\":{\"S\":\"b\"}}}"),
                                 REPLY("{\"LastEvaluatedKey\":{\"a\":{\"S\":\"c\"}}}"),
                                 REPLY("{\"LastEvaluatedKey\":{\"a\":{\"S\":\"c\"}}}")};
    client = script_client(query);
    assert_circles(ddb_query(client, &(struct ddb_query){.table = "t"}),
                   "Query: the server's pages go in circles");
    ddb_client_free(client);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_that_becomes_active),
        cmocka_unit_test(waits_have_a_bound),
        cmocka_unit_test(a_table_that_goes),
        cmocka_unit_test(indexes),
        cmocka_unit_test(backups_and_imports),
        cmocka_unit_test(what_ends_a_wait),
        cmocka_unit_test(a_server_that_is_away_for_a_moment),
        cmocka_unit_test(the_caller_may_end_it),
        cmocka_unit_test(the_deadline_of_the_client_holds),
        cmocka_unit_test(lists_go_on_page_by_page),
        cmocka_unit_test(pages_in_circles_are_an_error),
    };
    return cmocka_run_group_tests_name("client waiting", tests, NULL, NULL);
}
