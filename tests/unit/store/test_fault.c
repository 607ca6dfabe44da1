/* test_fault.c - the fault-injecting store: it fails the chosen call and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/fault/fault.h"
#include "store/memory/memory.h"

static const struct store_keyspace keyspaces[] = {{.name = "one"}};

static struct store *store_new(struct arena *arena) {
    struct store *inner = NULL;
    assert_null(memory_store_open(arena, keyspaces, 1, &inner));
    return fault_store_new(inner);
}

static struct store_key key_of(const char *key) {
    return (struct store_key){0, slice_text(key)};
}

static struct error *scan_one(struct store_txn *txn) {
    struct store_range all = {0, SLICE_NONE, SLICE_NONE};
    struct store_scan *scan = NULL;
    bool found;
    struct slice key, value;
    TRY(store_scan_open(txn, &all, false, &scan));
    struct error *error = store_scan_next(scan, &found, &key, &value);
    store_scan_close(scan);
    return error;
}

static struct error *write_in(struct store_txn *txn, enum store_outcome *ret_outcome) {
    struct store_key key = key_of("a");
    struct slice value;
    TRY(store_get(txn, &key, &value));
    TRY(scan_one(txn));
    store_put(txn, &key, SLICE_LITERAL("new"));
    return store_commit(txn, STORE_RELAXED, ret_outcome);
}

/* Six fallible calls: begin, get_many, scan_open, scan_next, commit, sync. */
static struct error *scenario(struct store *store, struct arena *arena,
                              enum store_outcome *ret_outcome) {
    struct store_txn *txn = NULL;
    TRY(store_begin(store, arena, STORE_WRITE, &txn));
    struct error *error = write_in(txn, ret_outcome);
    store_end(txn);
    TRY(error);
    return store_sync(store, arena);
}

static bool has_new(struct store *store, struct arena *arena) {
    struct store_txn *txn = NULL;
    struct store_key key = key_of("a");
    struct slice value;
    fault_store_arm(store, FAULT_NONE, 0);
    assert_null(store_begin(store, arena, STORE_READ, &txn));
    assert_null(store_get(txn, &key, &value));
    bool present = slice_present(value) && slice_is(value, "new");
    store_end(txn);
    return present;
}

static void every_call_can_fail(void **state) {
    (void)state;
    static const char *const names[] = {"begin",     "get_many", "scan_open",
                                        "scan_next", "commit",   "sync"};
    struct arena arena;
    arena_init(&arena);
    for (uint64_t n = 1; n <= 6; n++) {
        struct store *store = store_new(&arena);
        enum store_outcome outcome = STORE_UNKNOWN;
        char expected[64];
        snprintf(expected, sizeof(expected), "injected fault: call %d, %s", (int)n, names[n - 1]);
        fault_store_arm(store, FAULT_ERROR, n);
        struct error *error = scenario(store, &arena, &outcome);
        assert_non_null(error);
        assert_int_equal(error->code, ERROR_LOCAL);
        assert_true(slice_is(error->message, expected));
        assert_int_equal(fault_store_calls(store), n);
        assert_true(fault_store_fired(store));
        assert_int_equal(has_new(store, &arena), n == 6); /* the sync comes after the commit */
        assert_null(scenario(store, &arena, &outcome));
        store_close(store);
    }
    arena_release(&arena);
}

static void unarmed_it_only_counts(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct store *store = store_new(&arena);
    enum store_outcome outcome = STORE_UNKNOWN;
    assert_true(store_can(store, STORE_CONFLICTS));
    assert_false(store_can(store, STORE_PERSISTENT));
    assert_null(scenario(store, &arena, &outcome));
    assert_int_equal(outcome, STORE_COMMITTED);
    assert_int_equal(fault_store_calls(store), 6);
    assert_int_equal(fault_store_commits(store), 1);
    fault_store_arm(store, FAULT_ERROR, 7);
    assert_null(scenario(store, &arena, &outcome));
    assert_false(fault_store_fired(store));
    assert_true(has_new(store, &arena));
    store_close(store);
    arena_release(&arena);
}

static void from_here_on_means_all(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct store *store = store_new(&arena);
    enum store_outcome outcome = STORE_UNKNOWN;
    fault_store_arm(store, FAULT_ERROR_FROM_HERE, 2);
    for (int i = 0; i < 3; i++)
        assert_non_null(scenario(store, &arena, &outcome));
    assert_int_equal(fault_store_calls(store), 4); /* begin, get_many, then begin and begin */
    assert_false(has_new(store, &arena));
    store_close(store);
    arena_release(&arena);
}

static void what_was_applied_may_not_be_told(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct store *store = store_new(&arena);
    enum store_outcome outcome = STORE_UNKNOWN;
    fault_store_arm(store, FAULT_GONE_APPLIED, 1);
    assert_non_null(scenario(store, &arena, &outcome));
    assert_true(fault_store_fired(store));
    assert_int_equal(fault_store_commits(store), 1);
    assert_non_null(scenario(store, &arena, &outcome));
    assert_int_equal(fault_store_commits(store), 1); /* it does not come so far */
    assert_true(has_new(store, &arena));
    store_close(store);
    arena_release(&arena);
}

static void commits_have_the_chosen_outcome(void **state) {
    (void)state;
    static const struct {
        enum fault fault;
        enum store_outcome outcome;
        bool applied;
    } cases[] = {
        {FAULT_CONFLICT, STORE_CONFLICT, false},
        {FAULT_UNKNOWN_APPLIED, STORE_UNKNOWN, true},
        {FAULT_UNKNOWN_LOST, STORE_UNKNOWN, false},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < 3; i++) {
        struct store *store = store_new(&arena);
        enum store_outcome outcome = STORE_COMMITTED;
        fault_store_arm(store, cases[i].fault, 1);
        assert_null(scenario(store, &arena, &outcome));
        assert_int_equal(outcome, cases[i].outcome);
        assert_true(fault_store_fired(store));
        assert_int_equal(has_new(store, &arena), cases[i].applied);
        fault_store_arm(store, cases[i].fault, 2);
        assert_null(scenario(store, &arena, &outcome));
        assert_int_equal(outcome, STORE_COMMITTED);
        store_close(store);
    }
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_can_fail),
        cmocka_unit_test(unarmed_it_only_counts),
        cmocka_unit_test(from_here_on_means_all),
        cmocka_unit_test(what_was_applied_may_not_be_told),
        cmocka_unit_test(commits_have_the_chosen_outcome),
    };
    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
