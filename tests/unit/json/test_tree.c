/* test_tree.c - JSON as a tree: all there, in order, and where it stood. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "json/tree.h"

static struct arena arena;

/* kind@place, with name and text; the children in brackets. */
static void print_value(struct buffer *out, const struct json_value *value) {
    static const char *const names[] = {
        [JSON_OBJECT_BEGIN] = "object", [JSON_ARRAY_BEGIN] = "array", [JSON_STRING] = "string",
        [JSON_INTEGER] = "integer",     [JSON_DECIMAL] = "decimal",   [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",         [JSON_NULL] = "null",
    };
    if (slice_present(value->name))
        buffer_printf(out, "%.*s@%zu=", SLICE_ARGS(value->name), value->name_at);
    buffer_printf(out, "%s@%zu", names[value->kind], value->at);
    if (slice_present(value->text))
        buffer_printf(out, ":%.*s", SLICE_ARGS(value->text));
    if (value->first != NULL)
        buffer_append_text(out, "(");
    for (const struct json_value *child = value->first; child != NULL; child = child->next) {
        print_value(out, child);
        buffer_append_text(out, child->next == NULL ? ")" : " ");
    }
}

static void assert_tree(const char *text, const char *expected) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    const struct json_value *root = json_tree_read(&arena, slice_text(text), NULL);
    assert_non_null(root);
    assert_null(root->next);
    print_value(&out, root);
    buffer_append_byte(&out, '\0');
    assert_string_equal((const char *)out.data, expected);
    buffer_release(&out);
}

static void test_every_kind(void **state) {
    (void)state;
    assert_tree(" true", "true@1");
    assert_tree("\"a\\u0062\"", "string@0:ab");
    assert_tree("[]", "array@0");
    assert_tree("{}", "object@0");
    assert_tree("[1, -2.5e1, null, false, \"\"]",
                "array@0(integer@1:1 decimal@4:-2.5e1 null@12 false@18 string@25:)");
    assert_tree("{\"a\" : {\"b\":[[],{}]}, \"\":1}",
                "object@0(a@1=object@7(b@8=array@12(array@13 object@16)) @22=integer@25:1)");
}

static void test_what_is_wrong_and_where(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t at;
    } rows[] = {{"", 0}, {"  ", 2}, {"[1, }", 4}, {"{\"a\": x}", 6}, {"[] []", 3}, {"[1", 2}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        size_t at = 99;
        assert_null(json_tree_read(&arena, slice_text(rows[i].text), &at));
        assert_int_equal(at, rows[i].at);
    }
    assert_null(json_tree_read(&arena, SLICE_LITERAL("nothing"), NULL));
}

static void test_depth(void **state) {
    (void)state;
    char text[2 * JSON_DEPTH_MAX + 3];
    memset(text, '[', JSON_DEPTH_MAX + 1);
    memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    assert_null(json_tree_read(&arena, slice_of(text, 2 * JSON_DEPTH_MAX + 2), NULL));
    const struct json_value *value =
        json_tree_read(&arena, slice_of(text + 1, 2 * JSON_DEPTH_MAX), NULL);
    size_t depth = 0;
    for (; value != NULL; value = value->first)
        depth++;
    assert_int_equal(depth, JSON_DEPTH_MAX);
}

static void test_finding(void **state) {
    (void)state;
    const struct json_value *root = json_tree_read(
        &arena, SLICE_LITERAL("{\"a\":\"x\",\"b\":[\"y\",\"z\"],\"c\":1,\"a\":2,\"d\":[]}"), NULL);
    assert_true(slice_is(json_find_text(root, "a"), "x"));
    assert_false(slice_present(json_find_text(root, "c")));
    assert_false(slice_present(json_find_text(root, "none")));
    assert_true(slice_is(json_find_items(root, "b")->next->text, "z"));
    assert_null(json_find_items(root, "d"));
    assert_null(json_find_items(root, "a"));
    assert_null(json_find(json_find(root, "b"), "a"));
    assert_null(json_find(NULL, "a"));
}

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_what_is_wrong_and_where),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_finding),
    };
    return cmocka_run_group_tests_name("json tree", tests, set_up, tear_down);
}
