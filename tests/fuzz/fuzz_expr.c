/* fuzz_expr.c - any text as an expression of every kind, bound and run on a fixed item.
 *
 * Nothing may crash, and what comes out must be canonical. The item and the values have every type,
 * so that expressions of a few tokens already do something. */
#include <stdlib.h>

#include "expr/expr.h"
#include "fuzz.h"
#include "model/limits.h"
#include "support/read_item.h"

static const char item_json[] =
    "{\"a\":{\"N\":\"5\"},\"b\":{\"S\":\"text\"},\"c\":{\"B\":\"AQI=\"},\"d\":{\"BOOL\":true},"
    "\"e\":{\"NULL\":true},\"f\":{\"SS\":[\"x\",\"y\"]},\"g\":{\"NS\":[\"1\",\"2\"]},"
    "\"h\":{\"BS\":[\"AQ==\"]},\"l\":{\"L\":[{\"N\":\"1\"},{\"L\":[{\"S\":\"x\"}]},{\"M\":{}}]},"
    "\"m\":{\"M\":{\"a\":{\"N\":\"1\"},\"l\":{\"L\":[]},\"m\":{\"M\":{\"x\":{\"S\":\"y\"}}}}}}";
static const char values_json[] =
    "{\":n\":{\"N\":\"2\"},\":s\":{\"S\":\"t\"},\":b\":{\"B\":\"AQ==\"},\":f\":{\"SS\":[\"y\"]},"
    "\":g\":{\"NS\":[\"2\"]},\":h\":{\"BS\":[\"AQ==\"]},\":l\":{\"L\":[{\"N\":\"1\"}]},"
    "\":m\":{\"M\":{}},\":o\":{\"BOOL\":true},\":z\":{\"NULL\":true},\":t\":{\"S\":\"N\"},"
    "\":x\":{\"N\":\"9e125\"}}";

enum { VALUES_MAX = 16, OUTPUT_MAX = 1 << 24 };

struct subject {
    struct arena arena; /* of what is fixed */
    struct value item;
    struct expr_placeholder names[3];
    struct expr_placeholder values[VALUES_MAX];
    size_t value_count;
};

static struct subject *subject_new(void) {
    struct subject *s = calloc(1, sizeof(*s));
    CHECK(s != NULL);
    arena_init(&s->arena);
    s->item = read_item(&s->arena, item_json);
    static const char *const names[][2] = {{"#a", "a"}, {"#m", "m"}, {"#dot", "a.b"}};
    for (int i = 0; i < 3; i++) {
        s->names[i].key = slice_text(names[i][0]);
        s->names[i].name = slice_text(names[i][1]);
    }
    struct value_iter iter;
    value_iter_init(&iter, read_item(&s->arena, values_json));
    while (value_iter_next(&iter)) {
        CHECK(s->value_count < VALUES_MAX);
        s->values[s->value_count].key = iter.name;
        s->values[s->value_count++].value = iter.value;
    }
    return s;
}

static void check_item(struct value item) {
    CHECK(value_type(item) == VALUE_M && value_check(value_slice(item), 2 * LIMIT_NESTING + 2));
}

static void check_error(const struct error *error) {
    CHECK(error->code == ERROR_VALIDATION && error->message.len > 0);
}

static struct value select_paths(struct arena *arena, const struct expr *expr, struct value item,
                                 bool touched) {
    struct buffer buffer;
    buffer_init(&buffer, OUTPUT_MAX);
    struct value_builder builder;
    value_builder_init(&builder, &buffer, arena);
    (touched ? expr_update_touched : expr_project)(expr, item, &builder);
    struct value selected = value_builder_finish(&builder, arena);
    buffer_release(&buffer);
    check_item(selected);
    return selected;
}

static void run_update(struct arena *arena, const struct expr *expr, struct value item) {
    struct value updated;
    CHECK(expr_update_charge(expr) > 3);
    select_paths(arena, expr, item, true);
    struct error *error = expr_update(arena, expr, item, &updated);
    if (error != NULL) {
        check_error(error);
        return;
    }
    check_item(updated);
    select_paths(arena, expr, updated, true);
}

static struct error *ignore_path(void *context, const struct expr_path_visit *visit) {
    (void)context;
    CHECK(slice_present(visit->name));
    return NULL;
}

static void run(struct arena *arena, enum expr_kind kind, const struct expr *expr,
                struct value item) {
    CHECK(expr_visit_paths(expr, ignore_path, NULL) == NULL);
    if (kind == EXPR_UPDATE) {
        run_update(arena, expr, item);
        return;
    }
    if (kind == EXPR_PROJECTION) {
        struct value once = select_paths(arena, expr, item, false);
        CHECK(once.len <= item.len);
        return;
    }
    const struct key_condition *conditions;
    if (kind == EXPR_KEY_CONDITION && expr_check_key_conditions(arena, expr) == NULL)
        CHECK(expr_key_conditions(expr, &conditions) > 0);
    expr_holds(expr, item);
    expr_holds(expr, VALUE_ABSENT);
}

static void try_kind(struct subject *s, struct arena *arena, enum expr_kind kind,
                     struct slice text) {
    struct expr_placeholders given = {s->names, 3, s->values, s->value_count};
    struct expr_program *program;
    struct expr *expr;
    struct error *error = expr_compile(arena, kind, text, NULL, &program);
    if (error != NULL) {
        check_error(error);
        return;
    }
    error = expr_bind(arena, program, &given, &expr);
    if (error == NULL)
        run(arena, kind, expr, s->item);
    else
        check_error(error);
    expr_program_unref(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct subject *subject;
    if (subject == NULL)
        subject = subject_new();
    struct arena arena;
    arena_init(&arena);
    /* A copy of its own, so that reading past the end is seen. */
    uint8_t *copy = malloc(size + (size == 0));
    CHECK(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    for (int kind = EXPR_CONDITION; kind <= EXPR_KEY_CONDITION; kind++) {
        try_kind(subject, &arena, (enum expr_kind)kind, slice_of(copy, size));
        arena_reset(&arena);
    }
    free(copy);
    arena_release(&arena);
    return 0;
}
