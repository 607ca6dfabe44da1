/* ops_test.h - what the tests of src/ops share: a request as JSON, the answer as text. */
#ifndef GRAMME_TESTS_OPS_TEST_H
#define GRAMME_TESTS_OPS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/op.h"

/* "Type: message", "Type" when there is no message, "ok" when there is no error. In the arena. */
static inline const char *error_text(struct arena *arena, const struct error *error) {
    if (error == NULL)
        return "ok";
    const char *type = error_kind(error->code)->type;
    if (!slice_present(error->message))
        return type;
    return (const char *)arena_printf(arena, "%s: %.*s", type, SLICE_ARGS(error->message)).data;
}

/* What an operation takes. */
static inline const struct shape *input_of(const char *operation) {
    const struct op *op = op_find(slice_text(operation));
    assert_non_null(op);
    return op->input;
}

/* The decoded request; the test fails when it does not decode. */
static inline void *decoded(struct arena *arena, const struct shape *shape, const char *json) {
    void *request = arena_zalloc(arena, shape->size);
    enum value_layer layer = VALUE_LAYER_CURRENT;
    struct error *error = fields_decode(arena, slice_text(json), shape, &layer, request);
    if (error != NULL)
        print_error("%s: %s\n", json, error_text(arena, error));
    assert_null(error);
    return request;
}

static inline const char *decode_text(struct arena *arena, const struct shape *shape,
                                      const char *json) {
    void *request = arena_zalloc(arena, shape->size);
    enum value_layer layer = VALUE_LAYER_CURRENT;
    return error_text(arena, fields_decode(arena, slice_text(json), shape, &layer, request));
}

static inline const char *check_text(struct arena *arena, const struct shape *shape,
                                     const char *json) {
    return error_text(arena, fields_check(arena, shape, false, decoded(arena, shape, json)));
}

/* A test's arena, as cmocka's state. */
static inline int arena_setup(void **state) {
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static inline int arena_teardown(void **state) {
    arena_release(*state);
    return 0;
}

#define OPS_TEST(function) cmocka_unit_test_setup_teardown(function, arena_setup, arena_teardown)

#endif
