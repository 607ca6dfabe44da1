/* test_ahead.c - items fetched ahead for queued writes, and the bytes that they count.
 *
 * The engine fetches ahead only from a remote store. Here the memory store claims to be remote, and
 * its reads fail on demand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/state.h"
#include "support/engine_fixture.h"

static struct store_engine far_engine;
static const struct store_engine *near_engine;
static bool reads_fail;

static struct error *begin_far(struct store *store, struct arena *arena, enum store_mode mode,
                               struct store_txn **ret_txn) {
    if (reads_fail && mode == STORE_READ_LATEST)
        return error_local(arena, "the store is gone");
    return near_engine->begin(store, arena, mode, ret_txn);
}

static void open_far(struct engine_fixture *f) {
    struct store *store = fixture_store();
    near_engine = store->engine;
    far_engine = *near_engine;
    far_engine.capabilities |= STORE_REMOTE;
    far_engine.begin = begin_far;
    store->engine = &far_engine;
    reads_fail = false;
    struct engine_options options = fixture_options(store);
    options.stepped = true; /* writes stay queued until the test steps */
    assert_null(fixture_open_with(f, &options));
    assert_null(fixture_create_table(f, "T", VALUE_NONE));
    assert_null(fixture_put(f, "T", "{\"pk\":{\"S\":\"a\"}}"));
    engine_step(f->engine); /* leaves the queue idle */
}

static size_t bytes_ahead(struct engine_fixture *f) {
    return atomic_load(&f->engine->recent.bytes_ahead);
}

struct waiting {
    struct item_write write;
    struct write_job job;
};

static void submit(struct engine_fixture *f, struct waiting *waiting) {
    *waiting = (struct waiting){.write = {.table = fixture_table(f, "T"),
                                          .kind = WRITE_PUT,
                                          .item = fixture_item(f, "{\"pk\":{\"S\":\"a\"}}")}};
    waiting->job = (struct write_job){.writes = &waiting->write, .count = 1};
    item_write_prepare(f->engine, &f->arena, &waiting->write);
    fixture_submit_writes(f, &waiting->job);
}

static void await(struct engine_fixture *f, struct waiting *waiting) {
    fixture_wait(f);
    assert_null(waiting->job.error);
    assert_null(waiting->write.error);
}

static void a_fetch_counts_its_bytes_until_the_write_is_done(void **state) {
    (void)state;
    struct engine_fixture f;
    struct waiting first, second;
    open_far(&f);
    submit(&f, &first);
    assert_null(first.job.ahead); /* the queue was idle */
    assert_int_equal(bytes_ahead(&f), 0);
    submit(&f, &second);
    assert_non_null(second.job.ahead);
    assert_int_equal(bytes_ahead(&f), table_average_bytes(second.write.table));
    assert_int_not_equal(bytes_ahead(&f), 0);
    await(&f, &first);
    await(&f, &second);
    assert_int_equal(bytes_ahead(&f), 0);
    fixture_close(&f);
}

static void a_read_that_fails_to_begin_counts_no_bytes(void **state) {
    (void)state;
    struct engine_fixture f;
    struct waiting first, second;
    open_far(&f);
    submit(&f, &first);
    reads_fail = true;
    submit(&f, &second);
    reads_fail = false;
    assert_null(second.job.ahead);
    assert_int_equal(bytes_ahead(&f), 0);
    await(&f, &first);
    await(&f, &second);
    assert_int_equal(bytes_ahead(&f), 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fetch_counts_its_bytes_until_the_write_is_done),
        cmocka_unit_test(a_read_that_fails_to_begin_counts_no_bytes),
    };
    return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
