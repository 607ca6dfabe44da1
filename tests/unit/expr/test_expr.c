/* test_expr.c - what the text cases of tests/data/expr cannot say: limits, the cache, programs
 * shared by threads, and what validation asks of an expression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "expr/expr.h"
#include "model/limits.h"

/* ---- help ---- */

struct fixture {
    struct arena arena;
    struct buffer text;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof(*f));
    arena_init(&f->arena);
    buffer_init(&f->text, 1 << 24);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    arena_release(&f->arena);
    buffer_release(&f->text);
    free(f);
    return 0;
}

static void repeat(struct fixture *f, const char *text, int times) {
    for (int i = 0; i < times; i++)
        buffer_append_text(&f->text, text);
}

static const char *text_of(struct fixture *f, const struct error *error) {
    if (error == NULL)
        return "";
    return (const char *)arena_printf(&f->arena, "%.*s", SLICE_ARGS(error->message)).data;
}

/* Compiles what the buffer holds and empties it. */
static const char *compile_error(struct fixture *f, enum expr_kind kind) {
    struct expr_program *program = NULL;
    struct error *error = expr_compile(&f->arena, kind, buffer_slice(&f->text), NULL, &program);
    assert_int_equal(error == NULL, program != NULL);
    expr_program_unref(program);
    buffer_reset(&f->text);
    return text_of(f, error);
}

static struct value make_scalar(struct fixture *f, enum value_type type, const char *text) {
    struct buffer buffer;
    struct value_builder builder;
    buffer_init(&buffer, 1 << 24);
    value_builder_init(&builder, &buffer, &f->arena);
    struct number number;
    struct slice bytes = slice_text(text);
    if (type == VALUE_N) {
        assert_int_equal(number_parse(bytes, &number), NUMBER_OK);
        bytes = number_slice(&number);
    }
    value_builder_scalar(&builder, type, bytes);
    struct value value = value_builder_finish(&builder, &f->arena);
    buffer_release(&buffer);
    return value;
}

static struct value make_list(struct fixture *f, struct value element, int times) {
    struct buffer buffer;
    struct value_builder builder;
    buffer_init(&buffer, 1 << 24);
    value_builder_init(&builder, &buffer, &f->arena);
    value_builder_open(&builder, VALUE_L);
    for (int i = 0; i < times; i++)
        value_builder_value(&builder, element);
    value_builder_close(&builder);
    struct value value = value_builder_finish(&builder, &f->arena);
    buffer_release(&buffer);
    return value;
}

static struct value make_item(struct fixture *f, const char *name, struct value value) {
    struct buffer buffer;
    struct value_builder builder;
    buffer_init(&buffer, 1 << 24);
    value_builder_init(&builder, &buffer, &f->arena);
    value_builder_open(&builder, VALUE_M);
    value_builder_name(&builder, slice_text(name));
    value_builder_value(&builder, value);
    value_builder_close(&builder);
    struct value item = value_builder_finish(&builder, &f->arena);
    buffer_release(&buffer);
    return item;
}

/* Binds with one value, ":v". */
static struct error *bind(struct fixture *f, const struct expr_program *program, struct value value,
                          struct expr **ret_expr) {
    struct expr_placeholder v = {.key = SLICE_LITERAL(":v"), .value = value};
    struct expr_placeholders given = {.values = &v, .value_count = 1};
    return expr_bind(&f->arena, program, &given, ret_expr);
}

static struct expr *compile_and_bind(struct fixture *f, enum expr_kind kind, const char *text,
                                     struct value value, struct expr_program **ret_program) {
    struct expr *expr;
    assert_null(expr_compile(&f->arena, kind, slice_text(text), NULL, ret_program));
    assert_null(bind(f, *ret_program, value, &expr));
    return expr;
}

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

/* ---- the cache ---- */

static struct expr_program *compile_cached(struct fixture *f, struct expr_cache *cache,
                                           enum expr_kind kind, const char *text) {
    struct expr_program *program;
    assert_null(expr_compile(&f->arena, kind, slice_text(text), cache, &program));
    return program;
}

static void the_cache_keeps_programs(void **state) {
    struct fixture *f = *state;
    struct expr_cache *cache = expr_cache_new(16);
    struct expr_program *first = compile_cached(f, cache, EXPR_CONDITION, "a = :v");
    struct expr_program *again = compile_cached(f, cache, EXPR_CONDITION, "a = :v");
    struct expr_program *spaced = compile_cached(f, cache, EXPR_CONDITION, "a  = :v");
    struct expr_program *filter = compile_cached(f, cache, EXPR_FILTER, "a = :v");
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, spaced);
    assert_ptr_not_equal(first, filter);
    struct expr_program *const programs[] = {first, again, spaced, filter};
    expr_cache_free(cache); /* the references live on */
    for (int i = 0; i < 4; i++) {
        struct expr *expr;
        assert_null(bind(f, programs[i], make_scalar(f, VALUE_N, "1"), &expr));
        expr_program_unref(programs[i]);
    }
}

/* Errors are not kept, and their texts are those of the kind at hand. */
static void the_cache_keeps_no_errors(void **state) {
    struct fixture *f = *state;
    struct expr_cache *cache = expr_cache_new(1);
    struct expr_program *program = NULL;
    for (int i = 0; i < 3; i++) {
        struct error *error =
            expr_compile(&f->arena, EXPR_FILTER, SLICE_LITERAL("a ="), cache, &program);
        assert_string_equal(text_of(f, error), "Invalid FilterExpression: Syntax error; token: "
                                               "\"<EOF>\", near: \"=\"");
    }
    assert_null(program);
    expr_cache_free(cache);
    expr_cache_free(NULL);
}

static void the_cache_forgets_the_least_recently_used(void **state) {
    struct fixture *f = *state;
    struct expr_cache *cache = expr_cache_new(8); /* one set */
    struct expr_program *kept = compile_cached(f, cache, EXPR_CONDITION, "kept = :v");
    struct expr_program *left = compile_cached(f, cache, EXPR_CONDITION, "lost = :v");
    for (int i = 0; i < 100; i++) {
        char text[32];
        snprintf(text, sizeof(text), "a%d = :v", i);
        expr_program_unref(compile_cached(f, cache, EXPR_CONDITION, text));
        struct expr_program *found = compile_cached(f, cache, EXPR_CONDITION, "kept = :v");
        assert_ptr_equal(found, kept);
        expr_program_unref(found);
    }
    struct expr_program *found = compile_cached(f, cache, EXPR_CONDITION, "lost = :v");
    assert_ptr_not_equal(found, left);
    expr_program_unref(found);
    expr_program_unref(left);
    expr_program_unref(kept);
    expr_cache_free(cache);
}

static void large_programs_are_not_cached(void **state) {
    struct fixture *f = *state;
    struct expr_cache *cache = expr_cache_new(8);
    buffer_append_text(&f->text, "a");
    repeat(f, ",b.c", 1000);
    buffer_append_byte(&f->text, 0);
    struct expr_program *one =
        compile_cached(f, cache, EXPR_PROJECTION, (const char *)f->text.data);
    struct expr_program *two =
        compile_cached(f, cache, EXPR_PROJECTION, (const char *)f->text.data);
    assert_ptr_not_equal(one, two);
    expr_program_unref(one);
    expr_program_unref(two);
    expr_cache_free(cache);
}

/* ---- threads ---- */

struct worker {
    struct expr_program *program;
    struct value item;
    int holds;
};

static void *work(void *argument) {
    struct worker *worker = argument;
    struct fixture f;
    arena_init(&f.arena);
    for (int i = 0; i < 2000; i++) {
        struct expr *expr;
        if (bind(&f, worker->program, make_scalar(&f, VALUE_N, "1"), &expr) == NULL)
            worker->holds += expr_holds(expr, worker->item);
        arena_reset(&f.arena);
    }
    expr_program_unref(worker->program);
    arena_release(&f.arena);
    return NULL;
}

static void programs_are_shared_by_threads(void **state) {
    struct fixture *f = *state;
    struct value item = make_item(f, "a", make_scalar(f, VALUE_N, "1"));
    struct expr_cache *cache = expr_cache_new(8);
    struct worker workers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){compile_cached(f, cache, EXPR_FILTER, "a = :v"), item, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    expr_cache_free(cache); /* while they work */
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].holds, 2000);
    }
}

/* ---- what validation asks ---- */

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

/* On both sides of the number from which a table is made; of equal keys the later counts. */
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
        assert_string_equal(text_of(f, expr_bind(&f->arena, program, &given, &expr)), text.data);
        expr_program_unref(program);
    }
}

static void placeholders_have_two_megabytes(void **state) {
    struct fixture *f = *state;
    size_t half = LIMIT_PLACEHOLDERS_BYTES / 2;
    char *text = arena_zalloc(&f->arena, half + 1);
    memset(text, 'x', half);
    /* ":v" and "#n" are four bytes, a number of one digit is two. */
    struct expr_placeholder values[] = {
        {.key = SLICE_LITERAL(":v"), .value = make_scalar(f, VALUE_S, text + 6)},
        {.key = SLICE_LITERAL(":n"), .value = make_scalar(f, VALUE_N, "1")},
        {.key = SLICE_LITERAL(":absent")},
    };
    struct expr_placeholder name = {.key = SLICE_LITERAL("#n"), .name = slice_of(text, half - 2)};
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
        cmocka_unit_test_setup_teardown(an_expression_has_4096_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_expression_has_300_operators, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nesting_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_conditions_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(in_takes_100_operands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_paths_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(updates_cannot_blow_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_reserved_word_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cache_keeps_programs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cache_keeps_no_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cache_forgets_the_least_recently_used, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(large_programs_are_not_cached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(programs_are_shared_by_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(paths_are_visited_in_written_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(placeholders_that_are_used_are_marked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(placeholders_are_found_among_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(placeholders_have_two_megabytes, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
