/* test_index_faults.c - fails the n-th call to the store, for n = 1, 2, ..., while items of a table
 * with indexes change and an index is added, filled and removed.
 *
 * After each run the fault is lifted and all indexes are compared with the items: whatever failed,
 * an index has exactly the entries of the items that are there, and an index that is being filled
 * is completed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fault/acknowledged.h"
#include "support/fault_scenario.h"
#include "support/index_fixture.h"

#define KEY(sk) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}}"
#define ITEM(sk, rest) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}," rest "}"

enum { LARGE_ITEMS = 8, LARGE_BYTES = 100000 };

/* Few items fill a step, so that filling the index takes several. */
static bool put_large_items(struct engine_fixture *f) {
    static char text[LARGE_BYTES + 1];
    memset(text, 'z', LARGE_BYTES);
    struct item_write writes[LARGE_ITEMS] = {{.table = NULL}};
    for (size_t i = 0; i < LARGE_ITEMS; i++) {
        /* Three partitions. The text ends with a zero byte. */
        struct slice json = arena_printf(
            &f->arena,
            "{\"pk\":{\"S\":\"q%zu\"},\"sk\":{\"S\":\"%c\"},\"g\":{\"S\":\"g\"},\"n\":{\"N\":"
            "\"%zu\"},\"l\":{\"N\":\"1\"},\"z\":{\"S\":\"%s\"}}",
            i % 3, (char)('a' + i), i, text);
        writes[i] = (struct item_write){.table = fixture_table(f, "T"),
                                        .kind = WRITE_PUT,
                                        .item = fixture_item(f, (const char *)json.data)};
        item_write_prepare(f->engine, &f->arena, &writes[i]);
    }
    struct write_job job = {.writes = writes, .count = LARGE_ITEMS};
    return acknowledged(fixture_write_job(f, &job));
}

/* What the client knows about the index that is added and removed. */
struct outcome {
    bool created, added, removed;
};

static void change_items(struct engine_fixture *f) {
    acknowledged(fixture_put(f, "T",
                             ITEM("a", "\"g\":{\"S\":\"g1\"},\"l\":{\"N\":\"1\"},\"n\":{"
                                       "\"N\":\"1\"},\"x\":{\"S\":\"x\"}")));
    acknowledged(fixture_put(f, "T", ITEM("b", "\"l\":{\"N\":\"2\"}")));
    acknowledged(fixture_update(f, "T", KEY("a"), "SET g = :g, l = :l", NULL,
                                "{\":g\":{\"S\":\"g2\"},\":l\":{\"N\":\"7\"}}"));
    acknowledged(fixture_delete(f, "T", KEY("b")));
}

/* Items on both sides of what the index covers at that moment. */
static void change_items_while_filling(struct engine_fixture *f) {
    acknowledged(
        fixture_update(f, "T", KEY("a"), "SET n = :n REMOVE l", NULL, "{\":n\":{\"N\":\"2\"}}"));
    acknowledged(fixture_delete(f, "T", "{\"pk\":{\"S\":\"q1\"},\"sk\":{\"S\":\"b\"}}"));
    acknowledged(fixture_update(f, "T", "{\"pk\":{\"S\":\"q2\"},\"sk\":{\"S\":\"c\"}}", "REMOVE g",
                                NULL, NULL));
    acknowledged(fixture_put(f, "T", ITEM("c", "\"g\":{\"S\":\"g3\"},\"n\":{\"N\":\"3\"}")));
}

static void run_scenario(struct engine_fixture *f, struct outcome *outcome) {
    *outcome = (struct outcome){.created = acknowledged(fixture_create_indexed(f, "T"))};
    if (!outcome->created)
        return;
    change_items(f);
    put_large_items(f);
    outcome->added = acknowledged(index_add(f, "T"));
    change_items_while_filling(f);
    index_wait(f, "T");
    acknowledged(fixture_update(f, "T", KEY("c"), "SET x = :x", NULL, "{\":x\":{\"S\":\"new\"}}"));
    if (outcome->added)
        outcome->removed = acknowledged(index_remove(f, "T", "later"));
}

static void check_database(struct engine_fixture *f, struct store *store,
                           const struct outcome *outcome) {
    if (!outcome->created) {
        assert_null(fixture_table(f, "T"));
        assert_null(fixture_create_indexed(f, "T"));
    }
    assert_int_equal(index_exists(f, "T", "later"), outcome->added && !outcome->removed);
    const char *problem = index_difference_from_items(f, store, "T");
    if (problem != NULL)
        fail_msg("%s", problem);
    /* And it goes on: the index is added (again), follows a write, and goes with its table. */
    if (index_exists(f, "T", "later"))
        assert_null(index_remove(f, "T", "later"));
    assert_null(fixture_put(f, "T", ITEM("d", "\"g\":{\"S\":\"g\"},\"n\":{\"N\":\"4\"}")));
    assert_null(index_add(f, "T"));
    assert_null(fixture_delete(f, "T", KEY("a")));
    index_wait(f, "T");
    problem = index_difference_from_items(f, store, "T");
    if (problem != NULL)
        fail_msg("%s", problem);
}

/* One run with a fault; false when the scenario was over before the fault came. */
static bool run_with(enum fault fault, uint64_t n, void *ret_outcome) {
    struct engine_fixture fixture;
    struct store *store = fault_store_new(fixture_store());
    assert_null(fixture_open(&fixture, store));
    fault_store_arm(store, fault, n);
    run_scenario(&fixture, ret_outcome);
    bool fired = fault_store_fired(store);
    fault_store_arm(store, FAULT_NONE, 0);
    check_database(&fixture, store, ret_outcome);
    fixture_close(&fixture);
    return fired;
}

static void assert_complete(const void *outcome_of_run) {
    const struct outcome *done = outcome_of_run;
    assert_true(done->created && done->added && done->removed);
}

static struct outcome last_run;
static const struct fault_scenario scenario = {run_with, assert_complete, &last_run};

static void every_call_may_fail(void **state) {
    (void)state;
    fail_every_call(&scenario, 45, 1000);
}

/* A conflict is run again and nobody notices, filling included. */
static void every_commit_may_conflict(void **state) {
    (void)state;
    conflict_every_commit(&scenario, 15, 100);
}

/* The canary: an entry that belongs to no item is noticed, and one that is missing. */
static void the_comparison_notices(void **state) {
    (void)state;
    struct engine_fixture fixture;
    struct store *store = fault_store_new(fixture_store());
    assert_null(fixture_open(&fixture, store));
    assert_null(fixture_create_indexed(&fixture, "T"));
    assert_null(fixture_put(&fixture, "T", ITEM("a", "\"g\":{\"S\":\"g\"},\"l\":{\"N\":\"1\"}")));
    assert_null(index_difference_from_items(&fixture, store, "T"));
    struct store_txn *txn;
    enum store_outcome done;
    assert_null(store_begin(store, &fixture.arena, STORE_WRITE, &txn));
    store_put(txn,
              &(struct store_key){KEYSPACE_INDEXES, SLICE_LITERAL("some key of another entry")},
              SLICE_LITERAL("entry"));
    assert_null(store_commit(txn, STORE_DURABLE, &done));
    store_end(txn);
    assert_non_null(index_difference_from_items(&fixture, store, "T"));
    assert_null(store_begin(store, &fixture.arena, STORE_WRITE, &txn));
    store_delete_range(txn, &(struct store_range){KEYSPACE_INDEXES, SLICE_NONE, SLICE_NONE});
    assert_null(store_commit(txn, STORE_DURABLE, &done));
    store_end(txn);
    assert_non_null(index_difference_from_items(&fixture, store, "T"));
    fixture_close(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_commit_may_conflict),
        cmocka_unit_test(the_comparison_notices),
    };
    return cmocka_run_group_tests_name("index_faults", tests, NULL, NULL);
}
