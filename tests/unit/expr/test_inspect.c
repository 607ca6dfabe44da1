/* test_inspect.c - what validation asks of an expression: its paths and its placeholders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "expr_fixture.h"
#include "model/limits.h"

static struct error *print_visit(void *context, const struct expr_path_visit *visit) {
    struct fixture *f = context;
    buffer_printf(&f->text, "%.*s%s%s%s ", SLICE_ARGS(visit->name), visit->nested ? ".." : "",
                  visit->target ? "!" : "",
                  visit->assigned_type == VALUE_NONE ? "" : value_type_name(visit->assigned_type));
    if (slice_is(visit->name, "stop"))
        return error_validation(&f->arena, "stopped");
    return NULL;
}

static void expect_visits(struct fixture *f, enum expr_kind kind, const char *text,
                          const char *expected) {
    struct expr_program *program;
    struct expr *expr = compile_and_bind(f, kind, text, make_scalar(f, VALUE_N, "1"), &program);
    buffer_reset(&f->text);
    struct error *error = expr_visit_paths(expr, print_visit, f);
    buffer_append_text(&f->text, text_of(f, error));
    buffer_append_byte(&f->text, 0);
    assert_string_equal((const char *)f->text.data, expected);
    expr_program_unref(program);
}

static void paths_are_visited_in_written_order(void **state) {
    struct fixture *f = *state;
    expect_visits(f, EXPR_CONDITION, "b = :v AND (a.x > :v OR contains(c[0], d))", "b a.. c.. d ");
    expect_visits(f, EXPR_FILTER, "a BETWEEN b AND size(c.d)", "a b c.. ");
    expect_visits(f, EXPR_PROJECTION, "b, a.x, a.y", "b a.. a.. ");
    expect_visits(f, EXPR_KEY_CONDITION, "sk > :v AND pk = :v", "sk pk ");
    expect_visits(f, EXPR_UPDATE, "SET b = :v, c = d.e + :v, f.g = :v, h = if_not_exists(i, j)",
                  "b!N c!N d.. f..! h! i j ");
    expect_visits(f, EXPR_UPDATE, "REMOVE r, s.t SET b = (:v) ADD n :v", "r! s..! b!N n!N ");
    expect_visits(f, EXPR_UPDATE, "SET a = if_not_exists(b, :v), c = list_append(d, e), g = h",
                  "a!N b c!L d e g! h ");
    expect_visits(f, EXPR_UPDATE, "SET a = stop, b = :v", "a! stop stopped");
}

static void placeholders_that_are_used_are_marked(void **state) {
    struct fixture *f = *state;
    struct value one = make_scalar(f, VALUE_N, "1");
    struct expr_placeholder names[] = {
        {.key = SLICE_LITERAL("#a"), .name = SLICE_LITERAL("a")},
        {.key = SLICE_LITERAL("#b"), .name = SLICE_LITERAL("b")},
    };
    struct expr_placeholder values[] = {
        {.key = SLICE_LITERAL(":v"), .value = one},
        {.key = SLICE_LITERAL(":w"), .value = one},
    };
    struct expr_placeholders given = {names, 2, values, 2};
    struct expr_program *program;
    struct expr *expr;
    assert_null(expr_compile(&f->arena, EXPR_CONDITION, SLICE_LITERAL("#b = :v"), NULL, &program));
    assert_null(expr_bind(&f->arena, program, &given, &expr));
    expr_program_unref(program);
    assert_false(names[0].used);
    assert_true(names[1].used && values[0].used);
    assert_false(values[1].used);
    assert_null(expr_compile(&f->arena, EXPR_FILTER, SLICE_LITERAL("#a = :w"), NULL, &program));
    assert_null(expr_bind(&f->arena, program, &given, &expr));
    expr_program_unref(program);
    assert_null(expr_placeholders_check_unused(&f->arena, &given));
}

/* #n0 to #n<count-1> for a0 and so on. */
static struct expr_placeholder *numbered_names(struct fixture *f, size_t count) {
    struct expr_placeholder *names = ARENA_ARRAY(&f->arena, struct expr_placeholder, count);
    for (size_t i = 0; i < count; i++)
        names[i] = (struct expr_placeholder){.key = arena_printf(&f->arena, "#n%zu", i),
                                             .name = arena_printf(&f->arena, "a%zu", i)};
    return names;
}

static struct error *note_name(void *context, const struct expr_path_visit *visit) {
    buffer_printf(context, "%.*s ", SLICE_ARGS(visit->name));
    return NULL;
}

/* On both sides of the number from which the slots are sorted; of equal keys the later counts. */
static void placeholders_are_found_among_many(void **state) {
    struct fixture *f = *state;
    static const size_t counts[] = {16, 21, 22, 64, 1000, 65536};
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        size_t count = counts[i];
        struct expr_placeholders given = {numbered_names(f, count), count, NULL, 0};
        given.names[3].key = given.names[count - 1].key;
        struct slice text = arena_printf(&f->arena, "#n0, #n%zu, #n7", count - 1);
        struct expr_program *program;
        struct expr *expr;
        assert_null(expr_compile(&f->arena, EXPR_PROJECTION, text, NULL, &program));
        assert_null(expr_bind(&f->arena, program, &given, &expr));
        assert_null(expr_visit_paths(expr, note_name, &f->text));
        expr_program_unref(program);
        struct slice expected = arena_printf(&f->arena, "a0 a%zu a7 ", count - 1);
        assert_true(slice_equal(buffer_slice(&f->text), expected));
        buffer_reset(&f->text);
        size_t used = 0;
        for (size_t n = 0; n < count; n++)
            used += given.names[n].used;
        assert_int_equal(used, 3);
        assert_false(given.names[3].used);
        given.names[count - 1].key = SLICE_LITERAL("#other");
        given.names[3].key = SLICE_LITERAL("#another");
        assert_null(expr_compile(&f->arena, EXPR_PROJECTION, text, NULL, &program));
        text =
            arena_printf(&f->arena,
                         "Invalid ProjectionExpression: An expression attribute name used in the "
                         "document path is not defined; attribute name: #n%zu",
                         count - 1);
        assert_string_equal(text_of(f, expr_bind(&f->arena, program, &given, &expr)),
                            (const char *)text.data);
        expr_program_unref(program);
    }
}

static void placeholders_have_two_megabytes(void **state) {
    struct fixture *f = *state;
    size_t name_len = 1000, rest = LIMIT_PLACEHOLDERS_BYTES - name_len;
    char *text = arena_zalloc(&f->arena, rest + 1);
    memset(text, 'x', rest);
    /* ":v", ":n" and "#n" are six bytes, a number of one digit is two. */
    struct expr_placeholder values[] = {
        {.key = SLICE_LITERAL(":v"), .value = make_scalar(f, VALUE_S, text + 8)},
        {.key = SLICE_LITERAL(":n"), .value = make_scalar(f, VALUE_N, "1")},
        {.key = SLICE_LITERAL(":absent")},
    };
    struct expr_placeholder name = {.key = SLICE_LITERAL("#n"), .name = slice_of(text, name_len)};
    struct expr_placeholders given = {&name, 1, values, 2};
    assert_null(expr_placeholders_check(&f->arena, &given));
    name.name.len++;
    static const char refused[] =
        "ExpressionAttributeValues contains invalid value: The expression "
        "attribute map exceeds the maximum allowed size";
    assert_string_equal(text_of(f, expr_placeholders_check(&f->arena, &given)), refused);
    name.name.len--;
    given.value_count = 3;
    assert_string_equal(text_of(f, expr_placeholders_check(&f->arena, &given)), refused);
    /* The keys come first. */
    values[1].key = SLICE_LITERAL("n");
    assert_string_equal(text_of(f, expr_placeholders_check(&f->arena, &given)),
                        "ExpressionAttributeValues contains invalid key: Syntax error; key: \"n\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_are_visited_in_written_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(placeholders_that_are_used_are_marked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(placeholders_are_found_among_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(placeholders_have_two_megabytes, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("expr inspect", tests, NULL, NULL);
}
