/* test_permission.c - what an operation asks to be allowed when its descriptor says nothing about
 * it: from the members that name resources. The operations that ask in their own way are tested
 * through the server, by tests/wire/test_policy.py. */
#include "ops_test.h"

#include "base/buffer.h"
#include "ops/permission/permission.h"

#define TABLE "arn:aws:dynamodb:eu-west-1:123456789012:table/"

/* Of operations to come: by index, and with a parameter that policies look at. */
struct request {
    struct slice table_name;
    struct slice index_name;
    struct slice return_consumed_capacity;
};

#define TEXT(text, member, kind) \
    { NAMED(text), AT(struct request, member), .type = FIELD_STRING, .resource = (kind) }

static const struct field fields[] = {
    TEXT("TableName", table_name, RESOURCE_TABLE),
    TEXT("IndexName", index_name, RESOURCE_INDEX),
    TEXT("ReturnConsumedCapacity", return_consumed_capacity, RESOURCE_NONE),
    FIELDS_END,
};
static const struct shape shape = {"SearchVectorsInput", sizeof(struct request), fields};
static const struct op search_vectors = {.name = "SearchVectors", .input = &shape};

struct asked {
    struct permission_check check;
    struct buffer *text;
    const char *refused; /* an action, or NULL */
};

static struct error *ask(const struct permission_check *check, struct permission *permission) {
    const struct asked *asked = (const struct asked *)(const void *)check;
    const struct policy_request *request = &permission->request;
    const struct policy_values *values = &request->values[POLICY_KEY_RETURN_CONSUMED_CAPACITY];
    buffer_printf(asked->text, "%.*s %.*s", SLICE_ARGS(request->action),
                  SLICE_ARGS(request->resource));
    if (values->count > 0)
        buffer_printf(asked->text, " %.*s", SLICE_ARGS(values->list[0]));
    buffer_append_byte(asked->text, '\n');
    if (asked->refused == NULL || !slice_is(request->action, asked->refused))
        return NULL;
    return error_new(permission->call->arena, ERROR_ACCESS_DENIED, "no");
}

/* The permissions that were asked for, one per line, and the error. */
static const char *permissions_of(struct arena *arena, const struct op *op, const char *json,
                                  uint64_t keys, const char *refused) {
    struct op_context context = {.region = SLICE_LITERAL("eu-west-1"),
                                 .account = SLICE_LITERAL("123456789012")};
    struct op_call call = {.op = op, .context = &context, .arena = arena};
    struct buffer text;
    buffer_init(&text, 1 << 16);
    call.request = decoded(arena, op->input, json);
    struct asked asked = {.check = {ask, keys}, .text = &text, .refused = refused};
    struct error *error = permission_ask(&call, &asked.check);
    buffer_append_text(&text, error_text(arena, error));
    const char *lines =
        (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(buffer_slice(&text))).data;
    buffer_release(&text);
    return lines;
}

static void expect(struct arena *arena, const char *name, const char *json, const char *expected) {
    assert_string_equal(permissions_of(arena, op_find(slice_text(name)), json, 0, NULL), expected);
}

static void tables(void **state) {
    struct arena *arena = *state;
    expect(arena, "DescribeTimeToLive", "{\"TableName\":\"t\"}",
           "dynamodb:DescribeTimeToLive " TABLE "t\nok");
    expect(arena, "DescribeTimeToLive", "{\"TableName\":\"" TABLE "t\"}",
           "dynamodb:DescribeTimeToLive " TABLE "t\nok");
    expect(arena, "DescribeTimeToLive",
           "{\"TableName\":\"arn:aws-cn:dynamodb:eu-west-1:123456789012:table/t\"}",
           "dynamodb:DescribeTimeToLive " TABLE "t\nok");
    /* What the operation will refuse is asked for as it stands. */
    expect(arena, "DescribeTimeToLive", "{\"TableName\":\"arn:aws:s3:::t\"}",
           "dynamodb:DescribeTimeToLive arn:aws:s3:::t\nok");
    assert_string_equal(permissions_of(arena, &search_vectors,
                                       "{\"TableName\":\"t\",\"IndexName\":\"i\"}", 0, NULL),
                        "dynamodb:SearchVectors " TABLE "t/index/i\nok");
}

static void arns(void **state) {
    struct arena *arena = *state;
    expect(arena, "DeleteBackup", "{\"BackupArn\":\"" TABLE "t/backup/1\"}",
           "dynamodb:DeleteBackup " TABLE "t/backup/1\nok");
    expect(arena, "TagResource",
           "{\"ResourceArn\":\"arn:aws-cn:dynamodb:eu-west-1:123456789012:table/t\"}",
           "dynamodb:TagResource " TABLE "t\nok");
    expect(arena, "TagResource", "{\"ResourceArn\":\"t\"}", "dynamodb:TagResource t\nok");
    expect(arena, "GetRecords", "{\"ShardIterator\":\"" TABLE "t/stream/x|1|AAAA\"}",
           "dynamodb:GetRecords " TABLE "t/stream/x\nok");
}

static void no_resource(void **state) {
    struct arena *arena = *state;
    expect(arena, "DescribeLimits", "{}", "dynamodb:DescribeLimits *\nok");
    expect(arena, "ListBackups", "{\"TableName\":\"t\"}", "dynamodb:ListBackups *\nok");
    expect(arena, "ListStreams", "{\"TableName\":\"t\"}", "dynamodb:ListStreams *\nok");
    expect(arena, "ListTagsOfResource", "{\"ResourceArn\":\"" TABLE "t\"}",
           "dynamodb:ListTagsOfResource " TABLE "t\nok");
}

#define FILLING(table)                                                                          \
    "dynamodb:BatchWriteItem " table "\ndynamodb:DeleteItem " table "\ndynamodb:GetItem " table \
    "\ndynamodb:PutItem " table "\ndynamodb:Query " table "\ndynamodb:Scan " table              \
    "\ndynamodb:UpdateItem " table "\n"

static void restores(void **state) {
    struct arena *arena = *state;
    expect(arena, "RestoreTableToPointInTime",
           "{\"SourceTableName\":\"old\",\"TargetTableName\":\"new\"}",
           "dynamodb:RestoreTableToPointInTime " TABLE "old\n"
           "dynamodb:RestoreTableToPointInTime " TABLE "new\n" FILLING(TABLE "new") "ok");
    expect(arena, "RestoreTableFromBackup",
           "{\"TargetTableName\":\"new\",\"BackupArn\":\"" TABLE "old/backup/1\"}",
           "dynamodb:RestoreTableFromBackup " TABLE
           "new\n" FILLING(TABLE "new") "dynamodb:RestoreTableFromBackup " TABLE
                                        "old/backup/1\nok");
}

static void refusals_end_the_questions(void **state) {
    struct arena *arena = *state;
    const char *json = "{\"TargetTableName\":\"new\",\"BackupArn\":\"" TABLE "old/backup/1\"}";
    assert_string_equal(permissions_of(arena, op_find(SLICE_LITERAL("RestoreTableFromBackup")),
                                       json, 0, "dynamodb:DeleteItem"),
                        "dynamodb:RestoreTableFromBackup " TABLE
                        "new\ndynamodb:BatchWriteItem " TABLE "new\ndynamodb:DeleteItem " TABLE
                        "new\nAccessDeniedException: no");
}

static void parameters(void **state) {
    struct arena *arena = *state;
    const uint64_t keys = policy_key_bit(POLICY_KEY_RETURN_CONSUMED_CAPACITY);
    assert_string_equal(permissions_of(arena, &search_vectors, "{\"TableName\":\"t\"}", keys, NULL),
                        "dynamodb:SearchVectors " TABLE "t NONE\nok");
    assert_string_equal(permissions_of(arena, &search_vectors,
                                       "{\"TableName\":\"t\",\"ReturnConsumedCapacity\":\"TOTAL\"}",
                                       keys, NULL),
                        "dynamodb:SearchVectors " TABLE "t TOTAL\nok");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(tables),      OPS_TEST(arns),       OPS_TEST(restores),
        OPS_TEST(no_resource), OPS_TEST(parameters), OPS_TEST(refusals_end_the_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
