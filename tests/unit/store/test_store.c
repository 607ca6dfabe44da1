/* test_store.c - the seam's own checks: what would be a caller's bug on any engine ends the
 * program.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/memory/memory.h"

static const struct store_keyspace keyspaces[] = {{.name = "one"}, {.name = "two"}};
static const uint8_t long_key[STORE_KEY_MAX + 2] = {1};

struct fixture {
    struct arena arena;
    struct store *store;
    struct store_txn *reader;
    struct store_txn *writer;
};

static struct store_key key_of(uint8_t keyspace, size_t len) {
    return (struct store_key){keyspace, slice_of(long_key, len)};
}

static void fixture_open(struct fixture *fixture) {
    arena_init(&fixture->arena);
    assert_null(memory_store_open(&fixture->arena, keyspaces, 2, &fixture->store));
    assert_null(store_begin(fixture->store, &fixture->arena, STORE_READ, &fixture->reader));
    assert_null(store_begin(fixture->store, &fixture->arena, STORE_WRITE, &fixture->writer));
}

static void fixture_close(struct fixture *fixture) {
    store_end(fixture->reader);
    store_end(fixture->writer);
    store_close(fixture->store);
    arena_release(&fixture->arena);
}

/* The signal that ends a child which does this to a fresh store, 0 when it survives. */
static int signal_after(void (*act)(struct fixture *fixture)) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        struct fixture fixture;
        fixture_open(&fixture);
        act(&fixture);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void nothing(struct fixture *fixture) {
    (void)fixture;
}

static void get_empty_key(struct fixture *fixture) {
    struct store_key key = key_of(0, 0);
    struct slice value;
    store_get(fixture->reader, &key, &value);
}

static void get_long_key(struct fixture *fixture) {
    struct store_key key = key_of(0, STORE_KEY_MAX + 1);
    struct slice value;
    store_get(fixture->reader, &key, &value);
}

static void get_unknown_keyspace(struct fixture *fixture) {
    struct store_key key = key_of(2, 1);
    struct slice value;
    store_get(fixture->reader, &key, &value);
}

static void put_long_key(struct fixture *fixture) {
    struct store_key key = key_of(0, STORE_KEY_MAX + 1);
    store_put(fixture->writer, &key, SLICE_LITERAL(""));
}

static void put_absent_value(struct fixture *fixture) {
    struct store_key key = key_of(0, 1);
    store_put(fixture->writer, &key, SLICE_NONE);
}

static void put_in_a_reader(struct fixture *fixture) {
    struct store_key key = key_of(0, 1);
    store_put(fixture->reader, &key, SLICE_LITERAL(""));
}

static void commit_a_reader(struct fixture *fixture) {
    enum store_outcome outcome;
    store_commit(fixture->reader, STORE_DURABLE, &outcome);
}

static void get_after_put(struct fixture *fixture) {
    struct store_key key = key_of(0, 1);
    struct slice value;
    store_put(fixture->writer, &key, SLICE_LITERAL(""));
    store_get(fixture->writer, &key, &value);
}

static void step_after_delete(struct fixture *fixture) {
    struct store_key key = key_of(0, 1);
    struct store_range all = {0, SLICE_NONE, SLICE_NONE};
    struct store_scan *scan;
    bool found;
    struct slice at, value;
    store_scan_open(fixture->writer, &all, false, &scan);
    store_delete(fixture->writer, &key);
    store_scan_next(scan, &found, &at, &value);
}

static void put_after_commit(struct fixture *fixture) {
    struct store_key key = key_of(0, 1);
    enum store_outcome outcome;
    store_commit(fixture->writer, STORE_DURABLE, &outcome);
    store_put(fixture->writer, &key, SLICE_LITERAL(""));
}

static void range_too_long(struct fixture *fixture) {
    struct store_range range = {0, SLICE_NONE, slice_of(long_key, STORE_BOUND_MAX + 1)};
    store_delete_range(fixture->writer, &range);
}

static void second_writer(struct fixture *fixture) {
    struct store_txn *txn;
    store_begin(fixture->store, &fixture->arena, STORE_WRITE, &txn);
}

static void end_with_open_scan(struct fixture *fixture) {
    struct store_range all = {0, SLICE_NONE, SLICE_NONE};
    struct store_scan *scan;
    store_scan_open(fixture->reader, &all, false, &scan);
    store_end(fixture->reader);
}

static void close_with_open_writer(struct fixture *fixture) {
    store_close(fixture->store);
}

static void breaking_a_rule_ends_the_program(void **state) {
    (void)state;
    static void (*const bugs[])(struct fixture *) = {
        get_empty_key,      get_long_key,           get_unknown_keyspace, put_long_key,
        put_absent_value,   put_in_a_reader,        commit_a_reader,      get_after_put,
        step_after_delete,  put_after_commit,       range_too_long,       second_writer,
        end_with_open_scan, close_with_open_writer,
    };
    assert_int_equal(signal_after(nothing), 0);
    for (size_t i = 0; i < sizeof(bugs) / sizeof(*bugs); i++)
        assert_int_equal(signal_after(bugs[i]), SIGABRT);
}

static void keeping_the_rules_is_fine(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture);
    struct store_key key = key_of(1, STORE_KEY_MAX);
    struct slice value;
    assert_null(store_get_many(fixture.reader, 0, NULL, NULL));
    assert_null(store_get(fixture.writer, &key, &value));
    assert_null(value.data);
    store_put(fixture.writer, &key, SLICE_LITERAL("value"));
    enum store_outcome outcome = STORE_UNKNOWN;
    assert_null(store_commit(fixture.writer, STORE_DURABLE, &outcome));
    assert_int_equal(outcome, STORE_COMMITTED);
    assert_null(store_get(fixture.reader, &key, &value));
    assert_true(slice_is(value, "value"));
    fixture_close(&fixture);
    store_end(NULL);
    store_close(NULL);
    store_scan_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaking_a_rule_ends_the_program),
        cmocka_unit_test(keeping_the_rules_is_fine),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
