/* expr_fixture.h - what the tests of expressions in C share: an arena, a text to compile, values.
 * Included after cmocka.h. */
#ifndef GRAMME_TESTS_EXPR_FIXTURE_H
#define GRAMME_TESTS_EXPR_FIXTURE_H

#include <stdlib.h>

#include "expr/expr.h"

struct fixture {
    struct arena arena;
    struct buffer text;
};

static inline int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof(*f));
    arena_init(&f->arena);
    buffer_init(&f->text, 1 << 24);
    *state = f;
    return 0;
}

static inline int tear_down(void **state) {
    struct fixture *f = *state;
    arena_release(&f->arena);
    buffer_release(&f->text);
    free(f);
    return 0;
}

static inline void repeat(struct fixture *f, const char *text, int times) {
    for (int i = 0; i < times; i++)
        buffer_append_text(&f->text, text);
}

static inline const char *text_of(struct fixture *f, const struct error *error) {
    if (error == NULL)
        return "";
    return (const char *)arena_printf(&f->arena, "%.*s", SLICE_ARGS(error->message)).data;
}

/* Compiles what the buffer holds and empties it. */
static inline const char *compile_error(struct fixture *f, enum expr_kind kind) {
    struct expr_program *program = NULL;
    struct error *error = expr_compile(&f->arena, kind, buffer_slice(&f->text), NULL, &program);
    assert_int_equal(error == NULL, program != NULL);
    expr_program_unref(program);
    buffer_reset(&f->text);
    return text_of(f, error);
}

static inline struct value make_scalar(struct fixture *f, enum value_type type, const char *text) {
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

static inline struct value make_list(struct fixture *f, struct value element, int times) {
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

static inline struct value make_item(struct fixture *f, const char *name, struct value value) {
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
static inline struct error *bind(struct fixture *f, const struct expr_program *program,
                                 struct value value, struct expr **ret_expr) {
    struct expr_placeholder v = {.key = SLICE_LITERAL(":v"), .value = value};
    struct expr_placeholders given = {.values = &v, .value_count = 1};
    return expr_bind(&f->arena, program, &given, ret_expr);
}

static inline struct expr *compile_and_bind(struct fixture *f, enum expr_kind kind,
                                            const char *text, struct value value,
                                            struct expr_program **ret_program) {
    struct expr *expr;
    assert_null(expr_compile(&f->arena, kind, slice_text(text), NULL, ret_program));
    assert_null(bind(f, *ret_program, value, &expr));
    return expr;
}

#endif
