/* test_arn.c - ARNs taken apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/request/arn.h"

/* Kind, table and id as one text; "no" for what is no ARN. */
static void expect(const char *text, const char *expected) {
    static const char *const kinds[] = {
        [ARN_OTHER] = "other",   [ARN_TABLE] = "table",   [ARN_INDEX] = "index",
        [ARN_STREAM] = "stream", [ARN_BACKUP] = "backup", [ARN_EXPORT] = "export",
        [ARN_IMPORT] = "import",
    };
    struct arena arena;
    struct arn arn;
    arena_init(&arena);
    struct slice told = SLICE_LITERAL("no");
    if (arn_parse(slice_text(text), &arn)) {
        struct slice nothing = SLICE_LITERAL("-");
        struct slice table = slice_present(arn.table) ? arn.table : nothing;
        struct slice id = slice_present(arn.id) ? arn.id : nothing;
        told = arena_printf(&arena, "%s %.*s %.*s", kinds[arn.kind], SLICE_ARGS(table),
                            SLICE_ARGS(id));
    }
    assert_int_equal(told.len, strlen(expected));
    assert_memory_equal(told.data, expected, told.len);
    arena_release(&arena);
}

#define OURS "arn:aws:dynamodb:us-east-1:000000000000:"

static void resources_of_tables(void **state) {
    (void)state;
    expect(OURS "table/t", "table t -");
    expect(OURS "table/t/index/i", "index t i");
    expect(OURS "table/t/stream/2015-05-11T21:21:33.291", "stream t 2015-05-11T21:21:33.291");
    expect(OURS "table/t/backup/01489602797149-73d8d5bc", "backup t 01489602797149-73d8d5bc");
    expect(OURS "table/t/export/1", "export t 1");
    expect(OURS "table/t/import/1", "import t 1");
    expect(OURS "table/t/index/", "index t ");
    expect(OURS "table/t/index/a/b", "index t a/b");
    expect(OURS "table/", "table  -");
}

static void everything_else(void **state) {
    (void)state;
    expect(OURS "table", "other - -");
    expect(OURS "table/t/", "other - -");
    expect(OURS "table/t/index", "other - -");
    expect(OURS "table/t/thing/i", "other - -");
    expect(OURS "tables/t", "other - -");
    expect(OURS, "other - -");
    expect("arn:aws:s3:::bucket", "other - -");
    expect("arn:aws:dynamodb:us-east-1:000000000000", "no");
    expect("ARN:aws:dynamodb:us-east-1:000000000000:table/t", "no");
    expect("arn", "no");
    expect("", "no");
}

static void parts_are_views(void **state) {
    (void)state;
    struct arn arn;
    assert_true(arn_parse(SLICE_LITERAL("arn:aws-cn:dynamodb:r:1:table/t/index/i"), &arn));
    assert_true(slice_is(arn.partition, "aws-cn") && slice_is(arn.service, "dynamodb"));
    assert_true(slice_is(arn.region, "r") && slice_is(arn.account, "1"));
    assert_true(slice_is(arn.resource, "table/t/index/i"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources_of_tables),
        cmocka_unit_test(everything_else),
        cmocka_unit_test(parts_are_views),
    };
    return cmocka_run_group_tests_name("ops_arn", tests, NULL, NULL);
}
