/* test_transaction_tokens.c - the tokens that make a transaction happen once, with a clock that the
 * test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/limits.h"
#include "store/rocksdb/rocksdb.h"
#include "transaction_scene.h"

static void a_token_is_used_once(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), PUT("b"), END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "1"));
    assert_string_equal(transact(f, "another", "request", actions, &run), "done");
    assert_string_equal(transact(f, NULL, "request", actions, &run), "done");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "3"));
}

/* The larger of the sizes before and after, though the item has changed since. */
static void a_replay_tells_the_sizes(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_put(f, "T", "{\"pk\":{\"S\":\"a\"},\"d\":{\"S\":\"0123456789\"}}"));
    assert_null(fixture_put(f, "T", KEY("check")));
    const struct transaction_action actions[] = {
        {WRITE_DELETE, "T", KEY("a"), NULL, NULL, NULL},
        PUT("bb"),
        {WRITE_CHECK, "T", KEY("check"), NULL, "attribute_exists(pk)", NULL},
        {WRITE_PUT, "I", INDEXED("a", "x", "1"), NULL, NULL, NULL},
        END,
    };
    assert_string_equal(transact(f, "t", "r", actions, &run), "done");
    assert_null(fixture_put(f, "T", "{\"pk\":{\"S\":\"bb\"},\"d\":{\"S\":\"0123456789\"}}"));
    assert_string_equal(transact(f, "t", "r", actions, &run), "replayed");
    assert_int_equal(run.writes[0].new_size, 14);
    assert_int_equal(run.writes[0].old_size, 0);
    assert_int_equal(run.writes[1].new_size, 4);
    assert_int_equal(run.writes[2].new_size, 7);
    assert_int_equal(run.writes[3].new_size, 11);
    assert_int_equal(run.writes[3].index_write_count, 0);
}

static void a_token_is_of_one_request(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    const struct transaction_action none[] = {END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_string_equal(transact(f, "token", "other", actions, &run),
                        "The provided client request token was used with other parameters");
    assert_int_equal(run.job.error->code, ERROR_IDEMPOTENT_PARAMETER_MISMATCH);
    assert_string_equal(transact(f, "token", "none", none, &run),
                        "The provided client request token was used with other parameters");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "1"));
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
}

static void a_cancelled_transaction_leaves_its_token(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {
        {WRITE_PUT, "T", COUNTED("a", "1"), NULL, "attribute_exists(pk)", NULL}, END};
    assert_string_equal(transact(f, "token", "request", actions, &run),
                        "cancelled: The conditional request failed");
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 0);
    assert_null(fixture_put(f, "T", KEY("a")));
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
}

static void a_token_lives_ten_minutes(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 1;
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
    fixture_clock.now_ms += 1;
    assert_string_equal(transact(f, "token", "other", actions, &run), "done");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "2"));
    /* A life of its own, from its second use on. */
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 1;
    assert_string_equal(transact(f, "token", "other", actions, &run), "replayed");
}

/* A job after which nothing else is left to do for the engine: the trimming of the job before it is
 * done when this one is. */
static void settle(struct engine_fixture *f) {
    assert_null(fixture_delete(f, "T", KEY("nothing")));
    assert_null(fixture_delete(f, "T", KEY("nothing")));
}

static void ended_tokens_are_forgotten(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    assert_string_equal(transact(f, "early", "request", actions, &run), "done");
    fixture_clock.now_ms += 1000;
    assert_string_equal(transact(f, "late", "request", actions, &run), "done");
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 2);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 2);
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 999;
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 1);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 1);
    fixture_clock.now_ms += 998;
    assert_string_equal(transact(f, "late", "request", actions, &run), "replayed");
    fixture_clock.now_ms += 2;
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 0);
}

/* Used again after its end and before it was forgotten: the new record stays. */
static void a_token_that_is_used_again_is_kept(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS;
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 2);
    fixture_clock.now_ms += 1;
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 1);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 1);
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
}

/* More than one step of trimming. */
static void many_tokens_are_forgotten(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {PUT("a"), END};
    for (int i = 0; i < 600; i++) {
        char token[16];
        snprintf(token, sizeof(token), "%d", i);
        assert_string_equal(transact(f, token, "request", actions, &run), "done");
    }
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 600);
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS + 1;
    settle(f);
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 0);
}

/* ---- on disk ---- */

static struct store *open_rocksdb(const char *directory) {
    struct arena arena;
    struct rocksdb_store_options options = {.directory = directory, .create = true};
    arena_init(&arena);
    assert_null(rocksdb_store_open(&arena, &options, engine_keyspaces, KEYSPACE_COUNT, &store));
    arena_release(&arena);
    return store;
}

static void tokens_survive_a_restart(void **state) {
    (void)state;
    struct engine_fixture f;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    char directory[] = "/tmp/gramme-transactions-XXXXXX";
    assert_non_null(mkdtemp(directory));
    fixture_clock.now_ms = 1700000000000;
    open_on(&f, open_rocksdb(directory), 0);
    assert_null(fixture_create_table(&f, "T", VALUE_NONE));
    assert_string_equal(transact(&f, "token", "request", actions, &run), "done");
    fixture_close(&f);

    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 1;
    open_on(&f, open_rocksdb(directory), 0);
    assert_string_equal(transact(&f, "token", "request", actions, &run), "replayed");
    assert_string_equal(get(&f, "T", KEY("a")), COUNTED("a", "1"));
    fixture_close(&f);

    fixture_clock.now_ms += 2;
    open_on(&f, open_rocksdb(directory), 0);
    settle(&f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_string_equal(transact(&f, "token", "request", actions, &run), "done");
    assert_string_equal(get(&f, "T", KEY("a")), COUNTED("a", "2"));
    fixture_close(&f);
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_token_is_used_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_replay_tells_the_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_token_is_of_one_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cancelled_transaction_leaves_its_token, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_token_lives_ten_minutes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ended_tokens_are_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_token_that_is_used_again_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_tokens_are_forgotten, set_up, tear_down),
        cmocka_unit_test(tokens_survive_a_restart),
    };
    return cmocka_run_group_tests_name("transaction tokens", tests, NULL, NULL);
}
