/* call_test.h - what the tests share that run whole operations, from JSON to JSON, on the memory
 * store with a clock and a source of randomness that stand still. */
#ifndef GRAMME_TESTS_CALL_TEST_H
#define GRAMME_TESTS_CALL_TEST_H

#include "ops_test.h"

#include "ops/op.h"
#include "support/engine_fixture.h"

static int64_t test_now_ms;
static struct engine_fixture fixture;
static struct expr_cache *fixture_exprs;

static int64_t now(const struct clock *clock) {
    (void)clock;
    return test_now_ms;
}

static void fill(const struct random *random, void *bytes, size_t size) {
    (void)random;
    memset(bytes, 0xab, size);
}

static const struct clock test_clock = {now};
static const struct random test_random = {fill};

static inline int open_engine(void **state) {
    struct store *store = fixture_store();
    assert_null(fixture_open(&fixture, store));
    fixture_exprs = expr_cache_new(16);
    test_now_ms = 1700000000000;
    *state = &fixture;
    return 0;
}

static int close_engine(void **state) {
    expr_cache_free(fixture_exprs);
    fixture_close(*state);
    return 0;
}

#define CALL_TEST(function) cmocka_unit_test_setup_teardown(function, open_engine, close_engine)

/* A call that has run and is not released yet. */
struct test_call {
    struct op_context context;
    struct buffer reply;
    struct op_call call;
    struct error *error;
    bool validated;
};

static void call_woken(struct op_call *call) {
    (void)call;
    sem_post(&fixture.done);
}

/* All that comes before the permissions. */
static struct error *call_open(struct test_call *test, const char *json) {
    struct op_call *call = &test->call;
    const struct shape *input = call->op->input;
    call->request = arena_zalloc(call->arena, input->size);
    call->layer = op_layer(call->op);
    TRY(fields_decode(call->arena, slice_text(json), input, &call->layer, call->request));
    TRY(fields_check(call->arena, input, false, call->request));
    test->validated = true;
    return call->op->validate == NULL ? NULL : call->op->validate(call);
}

static struct error *call_perform(struct test_call *test, const char *json) {
    struct op_call *call = &test->call;
    enum op_state state = OP_DONE;
    TRY(call_open(test, json));
    TRY(call->op->run(call, &state));
    if (state != OP_WAITING)
        return NULL;
    sem_wait(&fixture.done);
    return call->op->finish(call);
}

static void call_init(struct test_call *test, const char *name) {
    *test = (struct test_call){
        .context = {.engine = fixture.engine,
                    .catalog = fixture.view,
                    .exprs = fixture_exprs,
                    .clock = &test_clock,
                    .random = &test_random,
                    .region = SLICE_LITERAL("us-east-1"),
                    .account = SLICE_LITERAL("000000000000"),
                    .endpoint = SLICE_LITERAL("localhost:8000")},
        .call = {.op = op_find(slice_text(name)), .arena = &fixture.arena, .wake = call_woken},
    };
    assert_non_null(test->call.op);
    buffer_init(&test->reply, 1 << 20);
    test->call.context = &test->context;
    test->call.reply = &test->reply;
}

static inline void call_run(struct test_call *test, const char *name, const char *json) {
    call_init(test, name);
    test->error = call_perform(test, json);
}

static void call_end(struct test_call *test) {
    if (test->validated && test->call.op->release != NULL)
        test->call.op->release(&test->call);
    buffer_release(&test->reply);
}

#endif
