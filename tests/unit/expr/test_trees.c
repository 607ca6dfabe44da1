/* test_trees.c - trees that no text was parsed to: what another syntax can build and ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/compile.h"
#include "model/value_json.h"

/* ---- help ---- */

struct fixture {
    struct arena arena;
    struct ast ast;
    struct expr_placeholder values[4];
    size_t value_count;
    struct expr_program *program;
};

static int set_up(void **state) {
    static struct fixture fixture;
    fixture = (struct fixture){0};
    arena_init(&fixture.arena);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    expr_program_unref(f->program);
    arena_release(&f->arena);
    return 0;
}

static struct value read_json(struct fixture *f, const char *json, bool item) {
    struct json_reader reader;
    struct buffer buffer;
    struct value_builder builder;
    struct value_fault fault = {0};
    buffer_init(&buffer, 1 << 16);
    value_builder_init(&builder, &buffer, &f->arena);
    json_reader_init(&reader, slice_text(json), &f->arena);
    json_next(&reader);
    assert_null(item ? item_read_json(&reader, &builder, &fault)
                     : value_read_json(&reader, &builder, &fault));
    assert_null(fault.error);
    struct value value = value_builder_finish(&builder, &f->arena);
    buffer_release(&buffer);
    return value;
}

static const char *json_text(struct fixture *f, struct value item) {
    struct buffer buffer;
    struct json_writer writer;
    buffer_init(&buffer, 1 << 16);
    json_writer_init(&writer, &buffer);
    item_write_json(&writer, item);
    const char *text =
        (const char *)arena_printf(&f->arena, "%.*s", SLICE_ARGS(buffer_slice(&buffer))).data;
    buffer_release(&buffer);
    return text;
}

static const char *error_text(struct fixture *f, const struct error *error) {
    assert_non_null(error);
    return (const char *)arena_printf(&f->arena, "%.*s", SLICE_ARGS(error->message)).data;
}

static struct ast_path *path(struct fixture *f, const char *name) {
    struct ast_path *made = ast_path(&f->ast);
    ast_path_add_name(&f->ast, made, slice_text(name));
    return made;
}

static struct ast_node *value(struct fixture *f, const char *json) {
    struct expr_placeholder *placeholder = &f->values[f->value_count];
    placeholder->key = arena_printf(&f->arena, ":%zu", f->value_count++);
    placeholder->value = read_json(f, json, false);
    return ast_operand_value(&f->ast, placeholder->key);
}

static struct error *compile(struct fixture *f, struct expr **ret_expr) {
    struct expr_placeholders given = {.values = f->values, .value_count = f->value_count};
    assert_true(ast_fits(&f->ast));
    expr_program_unref(f->program);
    f->program = ast_compile(&f->ast);
    return expr_bind(&f->arena, f->program, &given, ret_expr);
}

/* An update of one action, as the older API has it. */
static struct error *compile_action(struct fixture *f, enum update_section section,
                                    const char *operand, struct expr **ret_expr) {
    bool older = f->ast.attribute_updates;
    ast_init(&f->ast, &f->arena, EXPR_UPDATE);
    f->ast.attribute_updates = older;
    f->ast.distinct_values = true;
    f->value_count = 0;
    ast_begin_clause(&f->ast);
    struct ast_path *target = path(f, "a");
    ast_act(&f->ast, section, target, operand == NULL ? NULL : value(f, operand));
    return compile(f, ret_expr);
}

static const char *updated(struct fixture *f, enum update_section section, const char *operand,
                           const char *item) {
    struct expr *update;
    struct value result;
    f->ast.attribute_updates = true;
    assert_null(compile_action(f, section, operand, &update));
    struct error *error = expr_update(&f->arena, update, read_json(f, item, true), &result);
    return error != NULL ? error_text(f, error) : json_text(f, result);
}

/* ---- tests ---- */

/* `year = 1 OR NOT begins_with(#x, "ab")`, where neither name is what a text would take it for. */
static void names_stand_as_they_are(void **state) {
    struct fixture *f = *state;
    ast_init(&f->ast, &f->arena, EXPR_CONDITION);
    f->ast.distinct_values = true;
    struct ast_node *year = ast_operand_path(&f->ast, path(f, "year"));
    struct ast_node *is_one = ast_binary(&f->ast, OPERATOR_EQ, year, value(f, "{\"N\":\"1\"}"));
    struct ast_list args = {0};
    ast_list_add(&args, ast_operand_path(&f->ast, path(f, "#x")));
    ast_list_add(&args, value(f, "{\"S\":\"ab\"}"));
    struct ast_node *begins = ast_call(&f->ast, SLICE_LITERAL("begins_with"), args);
    f->ast.condition =
        ast_binary(&f->ast, OPERATOR_OR, is_one, ast_unary(&f->ast, OPERATOR_NOT, begins));
    struct expr *condition;
    assert_null(compile(f, &condition));
    static const struct {
        const char *item;
        bool holds;
    } cases[] = {
        {"{\"year\":{\"N\":\"1\"},\"#x\":{\"S\":\"abc\"}}", true},
        {"{\"year\":{\"N\":\"2\"},\"#x\":{\"S\":\"abc\"}}", false},
        {"{\"#x\":{\"S\":\"b\"}}", true},
        {"{}", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(expr_holds(condition, read_json(f, cases[i].item, true)), cases[i].holds);
}

static void older_updates_append_to_lists(void **state) {
    struct fixture *f = *state;
    static const char one[] = "{\"a\":{\"L\":[{\"N\":\"1\"}]}}";
    static const char two[] = "{\"L\":[{\"S\":\"x\"},{\"N\":\"1\"}]}";
    assert_string_equal(updated(f, SECTION_ADD, two, one),
                        "{\"a\":{\"L\":[{\"N\":\"1\"},{\"S\":\"x\"},{\"N\":\"1\"}]}}");
    assert_string_equal(updated(f, SECTION_ADD, two, "{}"),
                        "{\"a\":{\"L\":[{\"S\":\"x\"},{\"N\":\"1\"}]}}");
    assert_string_equal(updated(f, SECTION_ADD, "{\"L\":[]}", one), one);
    assert_string_equal(updated(f, SECTION_ADD, "{\"N\":\"2\"}", "{\"a\":{\"N\":\"1\"}}"),
                        "{\"a\":{\"N\":\"3\"}}");
    assert_string_equal(
        updated(f, SECTION_DELETE, "{\"SS\":[\"x\"]}", "{\"a\":{\"SS\":[\"x\",\"y\"]}}"),
        "{\"a\":{\"SS\":[\"y\"]}}");
}

static void older_updates_name_mismatches(void **state) {
    struct fixture *f = *state;
    static const char text[] = "Type mismatch for attribute to update";
    assert_string_equal(updated(f, SECTION_ADD, "{\"N\":\"1\"}", "{\"a\":{\"L\":[]}}"), text);
    assert_string_equal(updated(f, SECTION_ADD, "{\"L\":[]}", "{\"a\":{\"N\":\"1\"}}"), text);
    assert_string_equal(updated(f, SECTION_DELETE, "{\"SS\":[\"x\"]}", "{\"a\":{\"NS\":[\"1\"]}}"),
                        text);
}

static void only_older_updates_add_lists(void **state) {
    struct fixture *f = *state;
    struct expr *update;
    struct error *error = compile_action(f, SECTION_ADD, "{\"L\":[]}", &update);
    assert_string_equal(error_text(f, error),
                        "Invalid UpdateExpression: Incorrect operand type for operator or "
                        "function; operator: ADD, operand type: LIST, typeSet: "
                        "ALLOWED_FOR_ADD_OPERAND");
}

static void older_updates_are_not_charged(void **state) {
    struct fixture *f = *state;
    struct expr *update;
    assert_null(compile_action(f, SECTION_ADD, "{\"N\":\"1\"}", &update));
    assert_int_equal(expr_update_charge(update), 3 + 19 + 1 + 2);
    f->ast.attribute_updates = true;
    assert_null(compile_action(f, SECTION_ADD, "{\"N\":\"1\"}", &update));
    assert_int_equal(expr_update_charge(update), 0);
}

static void updates_that_only_take_are_known(void **state) {
    struct fixture *f = *state;
    static const struct {
        enum update_section section;
        const char *operand;
        bool only_takes;
    } cases[] = {
        {SECTION_REMOVE, NULL, true},
        {SECTION_DELETE, "{\"SS\":[\"x\"]}", true},
        {SECTION_ADD, "{\"SS\":[\"x\"]}", false},
        {SECTION_SET, "{\"SS\":[\"x\"]}", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct expr *update;
        assert_null(compile_action(f, cases[i].section, cases[i].operand, &update));
        assert_int_equal(expr_update_only_takes(update), cases[i].only_takes);
    }
    /* One that gives is enough. */
    struct expr *update;
    assert_null(compile_action(f, SECTION_SET, "{\"S\":\"x\"}", &update));
    ast_act(&f->ast, SECTION_REMOVE, path(f, "b"), NULL);
    assert_null(compile(f, &update));
    assert_false(expr_update_only_takes(update));
}

/* An update of as many attributes as there are numbers for. */
static void trees_fit_up_to_a_limit(void **state) {
    struct fixture *f = *state;
    enum { NODES_MAX = UINT16_MAX / 4 - 1 };
    ast_init(&f->ast, &f->arena, EXPR_UPDATE);
    f->ast.distinct_values = true;
    ast_begin_clause(&f->ast);
    struct expr_placeholder *values = ARENA_ARRAY(&f->arena, struct expr_placeholder, NODES_MAX);
    for (int i = 0; i < NODES_MAX; i++) {
        values[i].key = arena_printf(&f->arena, ":%d", i);
        values[i].value = read_json(f, "{\"NULL\":true}", false);
        struct ast_path *target = ast_path(&f->ast);
        ast_path_add_name(&f->ast, target, arena_printf(&f->arena, "a%d", i));
        ast_act(&f->ast, SECTION_SET, target, ast_operand_value(&f->ast, values[i].key));
    }
    assert_true(ast_fits(&f->ast));
    f->program = ast_compile(&f->ast);
    struct expr_placeholders given = {.values = values, .value_count = NODES_MAX};
    struct expr *update;
    struct value result;
    assert_null(expr_bind(&f->arena, f->program, &given, &update));
    assert_null(expr_update(&f->arena, update, read_json(f, "{}", true), &result));
    assert_int_equal(value_count(result), NODES_MAX);
    assert_true(value_present(value_map_find(result, SLICE_LITERAL("a16381"))));
    ast_operand_value(&f->ast, values[0].key);
    assert_false(ast_fits(&f->ast));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(names_stand_as_they_are),       TEST(older_updates_append_to_lists),
        TEST(older_updates_name_mismatches), TEST(only_older_updates_add_lists),
        TEST(older_updates_are_not_charged), TEST(updates_that_only_take_are_known),
        TEST(trees_fit_up_to_a_limit),
    };
    return cmocka_run_group_tests_name("expr trees", tests, NULL, NULL);
}
