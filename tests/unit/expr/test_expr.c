/* test_expr.c - what the text cases of tests/data/expr cannot say: limits and all reserved words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "expr_fixture.h"

/* ---- limits ---- */

static void an_expression_has_4096_bytes(void **state) {
    struct fixture *f = *state;
    buffer_append_text(&f->text, "a = :v");
    repeat(f, " ", 4090);
    assert_string_equal(compile_error(f, EXPR_CONDITION), "");
    repeat(f, "x", 4097);
    assert_string_equal(compile_error(f, EXPR_CONDITION),
                        "Invalid ConditionExpression: Expression size has exceeded the maximum "
                        "allowed size; expression size: 4097");
    repeat(f, "x", 5000);
    assert_string_equal(compile_error(f, EXPR_PROJECTION),
                        "Invalid ProjectionExpression: Expression size has exceeded the maximum "
                        "allowed size; expression size: 5000");
    repeat(f, "x", 4097);
    assert_string_equal(compile_error(f, EXPR_KEY_CONDITION),
                        "Invalid KeyConditionExpression: Expression size has exceeded the maximum "
                        "allowed size; expression size: 4097");
    repeat(f, "x", 4097);
    assert_string_equal(
        compile_error(f, EXPR_UPDATE),
        "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;");
}

#define TOO_MANY "The expression contains too many operators; operator count: 301"

static void an_expression_has_300_operators(void **state) {
    struct fixture *f = *state;
    buffer_append_text(&f->text, "a=:v");
    repeat(f, " OR a=:v", 149); /* 150 comparisons and 149 ORs */
    buffer_append_text(&f->text, " AND size(a) IN(:v,:v,:v)");
    assert_string_equal(compile_error(f, EXPR_CONDITION), "Invalid ConditionExpression: " TOO_MANY);
    buffer_append_text(&f->text, "a=:v");
    repeat(f, " OR a=:v", 149);
    assert_string_equal(compile_error(f, EXPR_CONDITION), "");
    repeat(f, "NOT ", 299);
    buffer_append_text(&f->text, "a=:v");
    assert_string_equal(compile_error(f, EXPR_CONDITION), "");
    repeat(f, "NOT ", 300);
    buffer_append_text(&f->text, "a=:v");
    assert_string_equal(compile_error(f, EXPR_FILTER), "Invalid FilterExpression: " TOO_MANY);
    buffer_append_text(&f->text, "SET a=a+:v");
    for (int i = 0; i < 299; i++)
        buffer_printf(&f->text, ",b%d=a-:v", i);
    assert_string_equal(compile_error(f, EXPR_UPDATE), "");
    buffer_append_text(&f->text, "SET a=a+:v");
    for (int i = 0; i < 300; i++)
        buffer_printf(&f->text, ",b%d=a-:v", i);
    assert_string_equal(compile_error(f, EXPR_UPDATE), "Invalid UpdateExpression: " TOO_MANY);
}

/* Whatever a text nests, the parser's stack is bounded. */
static void nesting_is_bounded(void **state) {
    struct fixture *f = *state;
    repeat(f, "(", 4096);
    assert_string_equal(compile_error(f, EXPR_CONDITION),
                        "Invalid ConditionExpression: The expression has redundant parentheses;");
    repeat(f, "(", 100);
    assert_string_equal(compile_error(f, EXPR_CONDITION),
                        "Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"(\"");
    repeat(f, "NOT ", 1024);
    assert_string_equal(compile_error(f, EXPR_CONDITION), "Invalid ConditionExpression: " TOO_MANY);
    repeat(f, "f(", 2048);
    assert_string_equal(compile_error(f, EXPR_CONDITION), "Invalid ConditionExpression: " TOO_MANY);
    repeat(f, "(NOT", 1024);
    assert_string_equal(compile_error(f, EXPR_CONDITION), "Invalid ConditionExpression: " TOO_MANY);
    buffer_append_text(&f->text, "SET a=");
    repeat(f, "(", 4000);
    assert_string_equal(compile_error(f, EXPR_UPDATE),
                        "Invalid UpdateExpression: The expression has redundant parentheses;");
    buffer_append_text(&f->text, "a=");
    repeat(f, "(", 4000);
    assert_string_equal(compile_error(f, EXPR_FILTER),
                        "Invalid FilterExpression: The expression has redundant parentheses;");
}

/* The deepest condition that is allowed, as a tree and as a text. */
static void deep_conditions_work(void **state) {
    struct fixture *f = *state;
    repeat(f, "(NOT ", 299);
    buffer_append_text(&f->text, "(a) = :v");
    repeat(f, ")", 299);
    struct expr_program *program;
    struct expr *expr;
    assert_null(expr_compile(&f->arena, EXPR_CONDITION, buffer_slice(&f->text), NULL, &program));
    struct value one = make_scalar(f, VALUE_N, "1");
    assert_null(bind(f, program, one, &expr));
    assert_false(expr_holds(expr, make_item(f, "a", one)));
    assert_true(expr_holds(expr, make_item(f, "b", one)));
    expr_program_unref(program);
}

static void in_takes_100_operands(void **state) {
    struct fixture *f = *state;
    struct value one = make_scalar(f, VALUE_N, "1");
    for (int count = 100; count <= 101; count++) {
        buffer_reset(&f->text);
        buffer_append_text(&f->text, "a IN (:v");
        repeat(f, ",:v", count - 1);
        buffer_append_text(&f->text, ")");
        struct expr_program *program;
        struct expr *expr;
        assert_null(expr_compile(&f->arena, EXPR_FILTER, buffer_slice(&f->text), NULL, &program));
        const char *expected = count == 100 ? ""
                                            : "Invalid FilterExpression: The IN operator is "
                                              "provided with too many operands; number of "
                                              "operands: 101";
        assert_string_equal(text_of(f, bind(f, program, one, &expr)), expected);
        expr_program_unref(program);
    }
}

/* The longest paths and the most paths that fit. */
static void many_paths_are_checked(void **state) {
    struct fixture *f = *state;
    struct expr_program *program;
    struct expr *expr;
    struct expr_placeholders none = {0};
    buffer_append_text(&f->text, "a");
    repeat(f, ".b", 2047);
    assert_null(expr_compile(&f->arena, EXPR_PROJECTION, buffer_slice(&f->text), NULL, &program));
    assert_string_equal(text_of(f, expr_bind(&f->arena, program, &none, &expr)),
                        "Invalid ProjectionExpression: The document path has too many nesting "
                        "levels; nesting levels: 2048");
    expr_program_unref(program);
    buffer_reset(&f->text);
    buffer_append_text(&f->text, "REMOVE a");
    repeat(f, ",a", 2000);
    assert_null(expr_compile(&f->arena, EXPR_UPDATE, buffer_slice(&f->text), NULL, &program));
    assert_string_equal(text_of(f, expr_bind(&f->arena, program, &none, &expr)),
                        "Invalid UpdateExpression: Two document paths overlap with each other; "
                        "must remove or rewrite one of these paths; path one: [a], path two: [a]");
    expr_program_unref(program);
}

#define TOO_LARGE "Item size to update has exceeded the maximum allowed size"

/* No update makes the server allocate much more than an item can hold. */
static void updates_cannot_blow_up(void **state) {
    struct fixture *f = *state;
    struct value list = make_list(f, make_scalar(f, VALUE_S, "0123456789"), 20000);
    struct value item = make_item(f, "l", list), updated;
    buffer_append_text(&f->text, "SET x = l");
    for (int i = 0; i < 300; i++)
        buffer_printf(&f->text, ",x%d=l", i);
    struct expr_program *program;
    struct expr *expr;
    assert_null(expr_compile(&f->arena, EXPR_UPDATE, buffer_slice(&f->text), NULL, &program));
    assert_null(bind(f, program, list, &expr));
    assert_string_equal(text_of(f, expr_update(&f->arena, expr, item, &updated)), TOO_LARGE);
    expr_program_unref(program);
    buffer_reset(&f->text);
    buffer_append_text(&f->text, "SET x = ");
    repeat(f, "list_append(l, if_not_exists(y, ", 100);
    buffer_append_text(&f->text, "l");
    repeat(f, "))", 100);
    assert_null(expr_compile(&f->arena, EXPR_UPDATE, buffer_slice(&f->text), NULL, &program));
    assert_null(bind(f, program, list, &expr));
    assert_string_equal(text_of(f, expr_update(&f->arena, expr, item, &updated)), TOO_LARGE);
    expr_program_unref(program);
}

/* ---- reserved words ---- */

static const char *const words[] = {
#define RESERVED_WORD(word) #word,
#include "expr/reserved_words.def"
#undef RESERVED_WORD
};

static void every_reserved_word_is_refused(void **state) {
    struct fixture *f = *state;
    int reserved = 0, keywords = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        buffer_printf(&f->text, "%s", words[i]);
        for (size_t at = i % 2; at < f->text.len; at++) /* every other one in mixed case */
            f->text.data[at] = (uint8_t)(f->text.data[at] | (i % 2 == 1 ? 0x20 : 0));
        struct slice word = arena_slice(&f->arena, buffer_slice(&f->text));
        const char *error = compile_error(f, EXPR_PROJECTION);
        struct slice expected = arena_printf(&f->arena,
                                             "Invalid ProjectionExpression: Attribute name is a "
                                             "reserved keyword; reserved keyword: %.*s",
                                             SLICE_ARGS(word));
        if (strstr(error, "Syntax error") != NULL)
            keywords++;
        else if (strcmp(error, (const char *)expected.data) == 0)
            reserved++;
    }
    assert_int_equal(keywords, 8); /* REMOVE is a keyword too, but not on the list */
    assert_int_equal(reserved, 565);
    const char *const free_words[] = {"ABORTS",          "A",  "ZONES", "AB",
                                      "LOCALTIMESTAMPX", "pk", "gone"};
    for (size_t i = 0; i < sizeof(free_words) / sizeof(free_words[0]); i++) {
        buffer_append_text(&f->text, free_words[i]);
        assert_string_equal(compile_error(f, EXPR_PROJECTION), "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_expression_has_4096_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_expression_has_300_operators, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nesting_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_conditions_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(in_takes_100_operands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_paths_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(updates_cannot_blow_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_reserved_word_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
