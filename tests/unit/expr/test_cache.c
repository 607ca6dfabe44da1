/* test_cache.c - programs that are kept for the next request with the same text, and shared by
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>

#include "expr_fixture.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_cache_keeps_programs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cache_keeps_no_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cache_forgets_the_least_recently_used, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(large_programs_are_not_cached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(programs_are_shared_by_threads, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("expr cache", tests, NULL, NULL);
}
