/* test_big_items.c - expressions of many paths on items of many elements: what is found in one pass
 * over the item is what looking up path by path finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "expr/compile.h"
#include "expr/path_tree.h"

enum {
    ATTRIBUTES = 85000,
    ELEMENTS = 195000,
    OLDER_UPDATES = 10000,
    OLDER_CONDITIONS = 5000,
    ACTIONS = 420,
    TESTS = 150,
};

/* ---- help ---- */

struct fixture {
    struct arena arena;
    struct buffer bytes; /* of the value that is being built */
    struct value_builder builder;
    struct ast ast;
    struct expr_placeholder *values;
    size_t value_count;
    struct expr_program *program;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof(*f));
    arena_init(&f->arena);
    buffer_init(&f->bytes, 1 << 24);
    f->values = ARENA_ARRAY(&f->arena, struct expr_placeholder, OLDER_UPDATES);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    expr_program_unref(f->program);
    buffer_release(&f->bytes);
    arena_release(&f->arena);
    free(f);
    return 0;
}

static struct value_builder *begin_value(struct fixture *f) {
    buffer_reset(&f->bytes);
    value_builder_init(&f->builder, &f->bytes, &f->arena);
    return &f->builder;
}

static void build_int(struct value_builder *builder, int64_t n) {
    struct number number;
    number_from_int(n, &number);
    value_builder_scalar(builder, VALUE_N, number_slice(&number));
}

static struct value make_int(struct fixture *f, int64_t n) {
    build_int(begin_value(f), n);
    return value_builder_finish(&f->builder, &f->arena);
}

static void build_entries(struct fixture *f, int count) {
    for (int i = 0; i < count; i++) {
        value_builder_name(&f->builder, arena_printf(&f->arena, "a%d", i));
        build_int(&f->builder, i);
    }
}

/* {"a0": 0, "a1": 1, ...} */
static void build_map(struct fixture *f, int count) {
    value_builder_open(&f->builder, VALUE_M);
    build_entries(f, count);
    value_builder_close(&f->builder);
}

/* [0, 1, ...] */
static void build_list(struct fixture *f, int count) {
    value_builder_open(&f->builder, VALUE_L);
    for (int i = 0; i < count; i++)
        build_int(&f->builder, i);
    value_builder_close(&f->builder);
}

static struct value wide_item(struct fixture *f) {
    begin_value(f);
    build_map(f, ATTRIBUTES);
    return value_builder_finish(&f->builder, &f->arena);
}

/* {name: what `build` makes} */
static struct value nested_item(struct fixture *f, const char *name,
                                void (*build)(struct fixture *f, int count), int count) {
    begin_value(f);
    value_builder_open(&f->builder, VALUE_M);
    value_builder_name(&f->builder, slice_text(name));
    build(f, count);
    value_builder_close(&f->builder);
    return value_builder_finish(&f->builder, &f->arena);
}

/* {"a0": 0, "a1": 1, ..., "z": {"a0": 0, "a1": 1, ...}} */
static struct value wide_item_with_map(struct fixture *f) {
    begin_value(f);
    value_builder_open(&f->builder, VALUE_M);
    build_entries(f, ATTRIBUTES / 2);
    value_builder_name(&f->builder, SLICE_LITERAL("z"));
    build_map(f, ATTRIBUTES / 2);
    value_builder_close(&f->builder);
    return value_builder_finish(&f->builder, &f->arena);
}

static struct ast_path *attribute(struct fixture *f, const char *prefix, int number) {
    struct ast_path *path = ast_path(&f->ast);
    ast_path_add_name(&f->ast, path, arena_printf(&f->arena, "%s%d", prefix, number));
    return path;
}

static struct ast_node *operand(struct fixture *f, int64_t n) {
    struct expr_placeholder *placeholder = &f->values[f->value_count];
    placeholder->key = arena_printf(&f->arena, ":%zu", f->value_count++);
    placeholder->value = make_int(f, n);
    return ast_operand_value(&f->ast, placeholder->key);
}

static void begin_tree(struct fixture *f, enum expr_kind kind) {
    ast_init(&f->ast, &f->arena, kind);
    f->ast.distinct_values = true;
    f->value_count = 0;
}

static struct error *bind(struct fixture *f, struct expr **ret_expr) {
    struct expr_placeholders given = {.values = f->values, .value_count = f->value_count};
    return expr_bind(&f->arena, f->program, &given, ret_expr);
}

static struct expr *bind_tree(struct fixture *f) {
    struct expr *expr;
    assert_true(ast_fits(&f->ast));
    expr_program_unref(f->program);
    f->program = ast_compile(&f->ast);
    assert_null(bind(f, &expr));
    return expr;
}

/* With ":v". */
static struct expr *bind_text(struct fixture *f, enum expr_kind kind, struct slice text, int v) {
    struct expr *expr;
    expr_program_unref(f->program);
    f->program = NULL;
    assert_null(expr_compile(&f->arena, kind, text, NULL, &f->program));
    f->values[0] = (struct expr_placeholder){.key = SLICE_LITERAL(":v"), .value = make_int(f, v)};
    f->value_count = 1;
    assert_null(bind(f, &expr));
    return expr;
}

static void assert_number(struct value v, int64_t expected) {
    struct number number;
    number_from_int(expected, &number);
    assert_int_equal(value_type(v), VALUE_N);
    assert_true(slice_equal(value_scalar(v), number_slice(&number)));
}

static int number_in_name(struct slice name) {
    char text[16];
    assert_true(name.len < sizeof(text));
    snprintf(text, sizeof(text), "%.*s", SLICE_ARGS(name));
    return atoi(text + 1);
}

/* ---- updates ---- */

static struct expr *bind_older_update(struct fixture *f, enum update_section section) {
    begin_tree(f, EXPR_UPDATE);
    f->ast.attribute_updates = true;
    ast_begin_clause(&f->ast);
    for (int i = 0; i < OLDER_UPDATES / 2; i++) {
        ast_act(&f->ast, section, attribute(f, "a", 17 * i), operand(f, 1000000));
        ast_act(&f->ast, section, attribute(f, "b", i), operand(f, i));
    }
    return bind_tree(f);
}

/* Half of them to attributes that are there, half to new ones. */
static void many_adds_to_a_wide_item(void **state) {
    struct fixture *f = *state;
    struct value result, item = wide_item(f);
    assert_null(expr_update(&f->arena, bind_older_update(f, SECTION_ADD), item, &result));
    assert_int_equal(value_count(result), ATTRIBUTES + OLDER_UPDATES / 2);
    assert_true(value_check(value_slice(result), 33));
    struct value_iter iter;
    value_iter_init(&iter, result);
    while (value_iter_next(&iter)) {
        int number = number_in_name(iter.name);
        bool added = iter.name.data[0] == 'a' && number % 17 == 0;
        assert_number(iter.value, added ? number + 1000000 : number);
    }
}

/* "SET z.a0=:v,z.a1=:v,..." */
static struct slice many_sets(struct fixture *f) {
    struct buffer text;
    buffer_init(&text, 4096);
    buffer_append_text(&text, "SET ");
    for (int i = 0; i < ACTIONS; i++) {
        char action[32];
        snprintf(action, sizeof(action), "%sz.a%d=:v", i == 0 ? "" : ",", i);
        buffer_append_text(&text, action);
    }
    struct slice copy = arena_printf(&f->arena, "%.*s", SLICE_ARGS(buffer_slice(&text)));
    buffer_release(&text);
    return copy;
}

static void many_sets_in_a_nested_map(void **state) {
    struct fixture *f = *state;
    struct value result, item = wide_item_with_map(f);
    struct expr *update = bind_text(f, EXPR_UPDATE, many_sets(f), -7);
    assert_null(expr_update(&f->arena, update, item, &result));
    assert_true(value_check(value_slice(result), 33));
    struct value map = value_map_find(result, SLICE_LITERAL("z"));
    assert_int_equal(value_count(result), ATTRIBUTES / 2 + 1);
    assert_int_equal(value_count(map), ATTRIBUTES / 2);
    struct value_iter iter;
    value_iter_init(&iter, map);
    while (value_iter_next(&iter)) {
        int number = number_in_name(iter.name);
        assert_number(iter.value, number < ACTIONS ? -7 : number);
    }
}

static void assert_update_fails(struct fixture *f, const char *text, struct value item,
                                const char *expected) {
    struct value result;
    struct expr *update = bind_text(f, EXPR_UPDATE, slice_text(text), 1);
    struct error *error = expr_update(&f->arena, update, item, &result);
    assert_non_null(error);
    struct slice message = arena_printf(&f->arena, "%.*s", SLICE_ARGS(error->message));
    assert_string_equal((const char *)message.data, expected);
}

/* The checks of parents and operands see the same with many paths as with few. */
static void many_paths_fail_as_few_do(void **state) {
    static const char bad_path[] =
        "The document path provided in the update expression is invalid for update";
    static const char missing[] =
        "The provided expression refers to an attribute that does not exist in the item";
    struct fixture *f = *state;
    struct value map = nested_item(f, "z", build_map, 5000);
#define MANY "SET z.a0=:v,z.a1=:v,z.a2=:v,z.a3=:v,"
    assert_update_fails(f, MANY "z.a4.x=:v", map, bad_path); /* a number */
    assert_update_fails(f, MANY "y.x=:v", map, bad_path);    /* nothing */
    assert_update_fails(f, "SET z[0]=:v,z[1]=:v,z[2]=:v,z[3]=:v,z[4]=:v", map, bad_path);
    assert_update_fails(f, MANY "z.a4=z.a5000", map, missing);
    assert_update_fails(f, MANY "z.a4=z.a4.x", map, missing);
    assert_update_fails(f, MANY "z.a4=z[0]+:v", map, missing);
    assert_update_fails(f, MANY "z.a4=z+:v", map,
                        "An operand in the update expression has an incorrect data type");
#undef MANY
    struct value result, key = nested_item(f, "p", build_list, 5000);
    struct expr *update =
        bind_text(f, EXPR_UPDATE, SLICE_LITERAL("REMOVE z.a0,z.a1,z.a2,z.a3,y.x SET q=:v"), 1);
    assert_null(expr_update_new_item(&f->arena, update, key, &result));
    assert_int_equal(value_count(result), 2);
    assert_number(value_map_find(result, SLICE_LITERAL("q")), 1);
}

/* Reads, among them the same path twice and a path within another. */
static void many_reads_of_a_long_list(void **state) {
    struct fixture *f = *state;
    struct value result, item = nested_item(f, "l", build_list, ELEMENTS);
    struct expr *update = bind_text(
        f, EXPR_UPDATE,
        SLICE_LITERAL("SET a=l[194999]+:v, b=l[194999]-:v, c=if_not_exists(l[195000],:v), "
                      "d=if_not_exists(l[0],:v), e=if_not_exists(l.x,:v), g=l"),
        5);
    assert_null(expr_update(&f->arena, update, item, &result));
    static const int64_t expected[] = {195004, 194994, 5, 0, 5};
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
        assert_number(value_map_find(result, slice_of("abcde" + i, 1)), expected[i]);
    assert_true(value_equal(value_map_find(result, SLICE_LITERAL("g")),
                            value_map_find(item, SLICE_LITERAL("l"))));
    assert_int_equal(value_count(result), 7);
}

/* ---- conditions ---- */

/* "attribute_exists(a0) AND attribute_exists(a17) AND ...", the last of attribute `last`. */
static struct ast_node *join_conditions(struct fixture *f, int from, int count, int last) {
    if (count == 1) {
        int number = from == OLDER_CONDITIONS - 1 ? last : 17 * from;
        struct ast_list args = {0};
        ast_list_add(&args, ast_operand_path(&f->ast, attribute(f, "a", number)));
        return ast_call(&f->ast, SLICE_LITERAL("attribute_exists"), args);
    }
    struct ast_node *left = join_conditions(f, from, count / 2, last);
    return ast_binary(&f->ast, OPERATOR_AND, left,
                      join_conditions(f, from + count / 2, count - count / 2, last));
}

static void many_conditions_on_a_wide_item(void **state) {
    struct fixture *f = *state;
    struct value item = wide_item(f);
    static const struct {
        int last;
        bool holds;
    } cases[] = {{ATTRIBUTES - 1, true}, {ATTRIBUTES, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        begin_tree(f, EXPR_CONDITION);
        f->ast.condition = join_conditions(f, 0, OLDER_CONDITIONS, cases[i].last);
        struct expr *condition = bind_tree(f);
        assert_int_equal(expr_holds(condition, item), cases[i].holds);
        assert_false(expr_holds(condition, VALUE_ABSENT));
    }
}

/* "l[194999] = :v AND l[194999] = :v AND ..." */
static struct slice many_tests(struct fixture *f, const char *test) {
    struct buffer text;
    buffer_init(&text, 4096);
    for (int i = 0; i < TESTS; i++) {
        buffer_append_text(&text, i == 0 ? "" : " AND ");
        buffer_append_text(&text, test);
    }
    struct slice copy = arena_printf(&f->arena, "%.*s", SLICE_ARGS(buffer_slice(&text)));
    buffer_release(&text);
    return copy;
}

static void many_tests_of_a_long_list(void **state) {
    struct fixture *f = *state;
    struct value item = nested_item(f, "l", build_list, ELEMENTS);
    static const struct {
        const char *test;
        int v;
        bool holds;
    } cases[] = {
        {"l[194999] = :v", 194999, true}, {"l[194999] = :v", 194998, false},
        {"l[195000] <> :v", 0, true},     {"l[195000] = :v", 0, false},
        {"l[0] < :v", 1, true},           {"l < :v", 1, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct slice text = many_tests(f, cases[i].test);
        struct expr *condition = bind_text(f, EXPR_CONDITION, text, cases[i].v);
        assert_int_equal(expr_holds(condition, item), cases[i].holds);
    }
}

/* ---- one pass and path by path ---- */

enum { ROUNDS = 300, PATHS = 40, PATH_LENGTH = 4 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* A map or list of up to four elements, of which some are containers again. */
static void build_random(struct fixture *f, uint32_t *random, int depth, bool map) {
    value_builder_open(&f->builder, map ? VALUE_M : VALUE_L);
    for (int i = 0; i < 4; i++) {
        if (next_random(random) % 4 == 0)
            continue;
        if (map)
            value_builder_name(&f->builder, slice_of("abcd" + i, 1));
        uint32_t kind = next_random(random) % 4;
        if (kind < 2 || depth == PATH_LENGTH)
            build_int(&f->builder, i);
        else
            build_random(f, random, depth + 1, kind == 2);
    }
    value_builder_close(&f->builder);
}

/* Elements that go with no such item are among them: "e", [4]. */
static struct path random_path(struct fixture *f, uint32_t *random) {
    uint32_t count = 1 + next_random(random) % PATH_LENGTH;
    struct path_element *elements = ARENA_ARRAY(&f->arena, struct path_element, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t which = next_random(random) % 5;
        if (i == 0 || next_random(random) % 2 == 0)
            elements[i].name = slice_of("abcde" + which, 1);
        else
            elements[i].index = which;
    }
    return (struct path){elements, count};
}

static void assert_place(struct value item, uint32_t place, struct value expected) {
    assert_ptr_equal(place == 0 ? NULL : item.bytes + place, expected.bytes);
}

static void one_pass_finds_what_lookups_find(void **state) {
    struct fixture *f = *state;
    uint32_t random = 42;
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        begin_value(f);
        build_random(f, &random, 1, true);
        struct value item = value_builder_finish(&f->builder, &f->arena);
        struct path paths[PATHS];
        uint32_t places[PATHS], parents[PATHS];
        for (int i = 0; i < PATHS; i++)
            paths[i] = random_path(f, &random);
        struct path_set set = path_set_sort(&f->arena, paths, PATHS);
        path_set_find(&set, item, (struct path_places){places, parents});
        for (int i = 0; i < PATHS; i++) {
            assert_place(item, places[i], path_find(paths[i], item));
            if (paths[i].count > 1)
                assert_place(item, parents[i], path_find_parent(paths[i], item));
            found += places[i] != 0 && paths[i].count > 1;
        }
    }
    assert_true(found > ROUNDS);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(many_adds_to_a_wide_item),         TEST(many_sets_in_a_nested_map),
        TEST(many_paths_fail_as_few_do),        TEST(many_reads_of_a_long_list),
        TEST(many_conditions_on_a_wide_item),   TEST(many_tests_of_a_long_list),
        TEST(one_pass_finds_what_lookups_find),
    };
    return cmocka_run_group_tests_name("expr big items", tests, NULL, NULL);
}
