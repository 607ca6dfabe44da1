/* identity_scene.c - see identity_scene.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "identity_scene.h"

struct identity_scene scene;

static struct error *know(void *user, struct arena *arena, struct iam **ret_iam) {
    (void)user;
    (void)arena;
    *ret_iam = scene.iam.iam;
    return NULL;
}

int scene_set_up(void **state) {
    (void)state;
    scene = (struct identity_scene){.identity = {.know = know}, .caller = iam_fixture_owner()};
    atomic_store(&fixture_clock.now_ms, INT64_C(1794744000000));
    iam_fixture_open(&scene.iam);
    buffer_init(&scene.out, 4 * 1024 * 1024);
    return 0;
}

int scene_tear_down(void **state) {
    (void)state;
    buffer_release(&scene.out);
    iam_fixture_close(&scene.iam);
    return 0;
}

const char *scene_text(const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(&scene.iam.f.arena, format, args);
    va_end(args);
    return (const char *)text.data;
}

static struct slice with_quotes(const char *text) {
    char *copy = arena_copy(&scene.iam.f.arena, text, strlen(text) + 1);
    for (char *at = copy; *at != '\0'; at++)
        if (*at == '\'')
            *at = '"';
    return slice_text(copy);
}

/* ---- calling ---- */

static struct error *make_call(const struct service_op *op, const char *input,
                               struct service_call *ret_call) {
    struct arena *arena = &scene.iam.f.arena;
    *ret_call = (struct service_call){
        .arena = arena,
        .input = json_tree_read(arena, with_quotes(input), NULL),
        .caller = &scene.caller,
        .state = &scene.identity,
        .account = SLICE_LITERAL(IAM_FIXTURE_ACCOUNT),
        .clock = &fixture_clock.clock,
        .random = &system_random,
    };
    assert_non_null(ret_call->input);
    const struct input_rules rules = {.missing = identity_service.missing};
    return input_check(arena, ret_call->input, op->input, &rules);
}

static const struct service_op *find(const char *operation) {
    const struct service_op *op = service_find_op(&identity_service, slice_text(operation));
    assert_non_null(op);
    return op;
}

struct error *scene_call(const char *operation, const char *input) {
    const struct service_op *op = find(operation);
    struct service_call call;
    struct answer answer;
    TRY(make_call(op, input, &call));
    buffer_reset(&scene.out);
    answer_init(&answer, ANSWER_JSON, &scene.out);
    call.answer = &answer;
    struct error *error = op->run(&call);
    scene.subject = call.subject;
    if (error == NULL)
        answer_finish(&answer);
    assert_false(scene.out.overflow);
    return error;
}

struct slice scene_resource(const char *operation, const char *input, size_t number) {
    const struct service_op *op = find(operation);
    struct service_call call;
    assert_null(make_call(op, input, &call));
    return op->resource(&call, number);
}

/* ---- checking ---- */

void scene_expect_fine(const char *operation, const char *input) {
    struct error *error = scene_call(operation, input);
    if (error != NULL)
        fail_msg("%s %s: %.*s", operation, input, SLICE_ARGS(error->message));
}

void scene_expect(const char *operation, const char *input, const char *answer) {
    scene_expect_fine(operation, input);
    if (!slice_equal(buffer_slice(&scene.out), with_quotes(answer)))
        fail_msg("%s %s: %.*s", operation, input, SLICE_ARGS(buffer_slice(&scene.out)));
}

void scene_expect_error(const char *operation, const char *input, const char *type,
                        const char *message) {
    struct error *error = scene_call(operation, input);
    if (error == NULL)
        fail_msg("%s %s: no error", operation, input);
    assert_string_equal(error_kind(error->code)->type, type);
    if (!slice_is(error->message, message))
        fail_msg("%s %s: %.*s", operation, input, SLICE_ARGS(error->message));
}

const char *scene_member(const char *name) {
    const char *all = scene_text("%.*s", SLICE_ARGS(buffer_slice(&scene.out)));
    const char *begin = scene_text("\"%s\":\"", name), *at = strstr(all, begin);
    if (at == NULL)
        fail_msg("no %s in %s", name, all);
    at += strlen(begin);
    return scene_text("%.*s", (int)strcspn(at, "\""), at);
}
