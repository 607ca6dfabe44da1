/* test_resource.c - what a request is about: every operation says it, and it is found in requests
 * of every form. */
#include "ops_test.h"

#include "base/buffer.h"
#include "ops/op.h"
#include "ops/request/resource.h"

/* ---- every operation ---- */

static bool names_resource(const struct shape *shape) {
    for (const struct field *field = shape->fields; field->name != NULL; field++) {
        if (field->resource != RESOURCE_NONE && field->resource != RESOURCE_INDEX)
            return true;
        if (field->shape != NULL && names_resource(field->shape))
            return true;
    }
    return false;
}

/* An operation about a resource has a member for it, or asks for its permissions itself. */
static bool is_clear(const struct op *op) {
    bool names = names_resource(op->input);
    return op->flags & OP_NO_RESOURCE ? !names && op->authorize == NULL
                                      : names || op->authorize != NULL;
}

static void every_operation_says_what_it_is_about(void **state) {
    (void)state;
    const struct op_listing *list;
    size_t count = op_list(&list), here = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
        here += list[i].op != NULL;
        if (list[i].op == NULL || is_clear(list[i].op))
            continue;
        print_error("%s does not say which resource it is about\n", list[i].name);
        wrong++;
    }
    assert_true(here > 0);
    assert_int_equal(wrong, 0);
}

static const struct field nothing_fields[] = {{NAMED("Limit"), .type = FIELD_INTEGER}, FIELDS_END};
static const struct shape nothing_shape = {"XInput", 0, nothing_fields};

static void silence_is_noticed(void **state) {
    (void)state;
    const struct op silent = {.name = "X", .input = &nothing_shape};
    const struct op clear = {.name = "X", .input = &nothing_shape, .flags = OP_NO_RESOURCE};
    assert_false(is_clear(&silent));
    assert_true(is_clear(&clear));
    struct op both = *op_find(SLICE_LITERAL("DescribeTable"));
    assert_true(is_clear(&both));
    both.flags |= OP_NO_RESOURCE;
    assert_false(is_clear(&both));
}

/* ---- requests ---- */

static struct error *note(void *context, const struct resource *resource) {
    static const char *const kinds[] = {
        [RESOURCE_TABLE] = "table", [RESOURCE_TARGET_TABLE] = "target", [RESOURCE_ARN] = "arn"};
    buffer_printf(context, "%s %.*s", kinds[resource->kind], SLICE_ARGS(resource->given));
    if (slice_present(resource->index))
        buffer_printf(context, " index %.*s", SLICE_ARGS(resource->index));
    buffer_append_byte(context, '\n');
    return NULL;
}

static void expect(struct arena *arena, const char *name, const char *json, const char *expected) {
    const struct shape *shape = op_find(slice_text(name))->input;
    struct buffer text;
    buffer_init(&text, 1 << 16);
    assert_null(resources_visit(shape, decoded(arena, shape, json), note, &text));
    buffer_append_byte(&text, 0);
    const char *found = arena_copy(arena, text.data, text.len);
    buffer_release(&text);
    assert_string_equal(found, expected);
}

#define ARN "arn:aws:dynamodb:eu-west-1:123456789012:table/t"

static void single_members(void **state) {
    struct arena *arena = *state;
    expect(arena, "DescribeTable", "{\"TableName\":\"t\"}", "table t\n");
    expect(arena, "GetItem", "{\"TableName\":\"" ARN "\"}", "table " ARN "\n");
    expect(arena, "Query", "{\"TableName\":\"t\",\"IndexName\":\"i\"}", "table t index i\n");
    expect(arena, "GetRecords", "{\"ShardIterator\":\"" ARN "/stream/x|1|AAAA\"}",
           "arn " ARN "/stream/x\n");
    expect(arena, "RestoreTableFromBackup",
           "{\"TargetTableName\":\"t\",\"BackupArn\":\"" ARN "/backup/1\"}",
           "target t\narn " ARN "/backup/1\n");
    expect(arena, "UpdateContributorInsights", "{\"TableName\":\"t\",\"IndexName\":\"i\"}",
           "table t index i\n");
    expect(arena, "ListContributorInsights", "{\"TableName\":\"t\"}", "");
    expect(arena, "ListBackups", "{\"TableName\":\"t\"}", "");
    expect(arena, "DescribeTable", "{}", "");
}

static void nested_members(void **state) {
    struct arena *arena = *state;
    expect(arena, "BatchGetItem", "{\"RequestItems\":{\"t\":{\"Keys\":[]},\"u\":{\"Keys\":[]}}}",
           "table t\ntable u\n");
    expect(arena, "BatchWriteItem", "{\"RequestItems\":{\"t\":[{}],\"u\":[]}}",
           "table t\ntable u\n");
    expect(arena, "TransactWriteItems",
           "{\"TransactItems\":[{\"Put\":{\"TableName\":\"t\"}},"
           "{\"ConditionCheck\":{\"TableName\":\"u\"}},{}]}",
           "table t\ntable u\n");
    expect(arena, "TransactGetItems", "{\"TransactItems\":[{\"Get\":{\"TableName\":\"t\"}}]}",
           "table t\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(every_operation_says_what_it_is_about),
        OPS_TEST(silence_is_noticed),
        OPS_TEST(single_members),
        OPS_TEST(nested_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
