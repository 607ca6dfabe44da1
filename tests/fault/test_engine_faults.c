/* test_engine_faults.c - fails the n-th call to the store, for n = 1, 2, ...
 *
 * The same scenario runs once without a fault to count its calls, then once per call with that call
 * failing. After each run the fault is lifted and the database is looked at: every acknowledged
 * change is there, every refused one is not, the statistics agree with the items, and the engine
 * takes writes again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fault/acknowledged.h"
#include "store/fault/fault.h"
#include "support/engine_fixture.h"

/* What the clients of the scenario know: for each step, whether it was acknowledged. */
struct outcome {
    bool created;
    bool put_a, put_b, updated_a, deleted_b, put_c, dropped;
};

#define KEY_A "{\"pk\":{\"S\":\"a\"}}"
#define KEY_B "{\"pk\":{\"S\":\"b\"}}"
#define KEY_C "{\"pk\":{\"S\":\"c\"}}"

static void run_scenario(struct engine_fixture *f, struct outcome *outcome) {
    *outcome = (struct outcome){false};
    outcome->created = acknowledged(fixture_create_table(f, "T", VALUE_NONE));
    if (!outcome->created)
        return;
    outcome->put_a = acknowledged(fixture_put(f, "T", KEY_A));
    outcome->put_b = acknowledged(fixture_put(f, "T", KEY_B));
    outcome->updated_a =
        acknowledged(fixture_update(f, "T", KEY_A, "ADD n :n", NULL, "{\":n\":{\"N\":\"1\"}}"));
    outcome->deleted_b = acknowledged(fixture_delete(f, "T", KEY_B));
    outcome->put_c = acknowledged(fixture_put(f, "T", KEY_C));
    const char *json;
    acknowledged(fixture_get(f, "T", KEY_A, &json));
    outcome->dropped = acknowledged(fixture_drop_table(f, "T"));
}

static const char *get(struct engine_fixture *f, const char *key) {
    const char *json;
    assert_null(fixture_get(f, "T", key, &json));
    return json;
}

/* A refused write is not there; an acknowledged one is. */
static void check_items(struct engine_fixture *f, const struct outcome *outcome) {
    const char *a = outcome->updated_a ? "{\"n\":{\"N\":\"1\"},\"pk\":{\"S\":\"a\"}}"
                    : outcome->put_a   ? KEY_A
                                       : "absent";
    assert_string_equal(get(f, KEY_A), a);
    assert_string_equal(get(f, KEY_B), outcome->put_b && !outcome->deleted_b ? KEY_B : "absent");
    assert_string_equal(get(f, KEY_C), outcome->put_c ? KEY_C : "absent");
    int64_t items = (strcmp(a, "absent") != 0) + (outcome->put_b && !outcome->deleted_b) +
                    (int64_t)outcome->put_c;
    assert_int_equal(fixture_table(f, "T")->stats->item_count, items);
    assert_int_equal(fixture_table(f, "T")->stats->size_bytes,
                     items * 3 + (outcome->updated_a ? 3 : 0));
}

static void check_database(struct engine_fixture *f, const struct outcome *outcome) {
    if (!outcome->created || outcome->dropped) {
        assert_null(fixture_table(f, "T"));
        assert_null(fixture_create_table(f, "T", VALUE_NONE));
        check_items(f, &(struct outcome){.created = true});
    } else {
        check_items(f, outcome);
    }
    assert_null(fixture_put(f, "T", "{\"pk\":{\"S\":\"after\"}}"));
    assert_string_equal(get(f, "{\"pk\":{\"S\":\"after\"}}"), "{\"pk\":{\"S\":\"after\"}}");
}

static void every_call_may_fail(void **state) {
    (void)state;
    uint64_t calls = 1;
    for (uint64_t n = 0; n <= calls; n++) {
        struct engine_fixture fixture;
        struct outcome outcome;
        struct store *store = fault_store_new(fixture_store());
        assert_null(fixture_open(&fixture, store));
        fault_store_arm(store, n == 0 ? FAULT_NONE : FAULT_ERROR, n);
        run_scenario(&fixture, &outcome);
        if (n == 0) {
            calls = fault_store_calls(store);
            assert_true(calls > 20); /* the scenario does reach the store */
            assert_true(outcome.dropped);
        } else {
            assert_true(fault_store_fired(store));
        }
        fault_store_arm(store, FAULT_NONE, 0);
        check_database(&fixture, &outcome);
        fixture_close(&fixture);
    }
}

/* A conflict is run again and nobody notices. */
static void every_commit_may_conflict(void **state) {
    (void)state;
    for (uint64_t n = 1; n <= 7; n++) {
        struct engine_fixture fixture;
        struct outcome outcome;
        struct store *store = fault_store_new(fixture_store());
        assert_null(fixture_open(&fixture, store));
        fault_store_arm(store, FAULT_CONFLICT, n);
        run_scenario(&fixture, &outcome);
        assert_true(fault_store_fired(store));
        assert_true(outcome.put_a && outcome.put_b && outcome.updated_a && outcome.deleted_b &&
                    outcome.put_c && outcome.dropped);
        check_database(&fixture, &outcome);
        fixture_close(&fixture);
    }
}

static void opening_may_fail_at_every_call(void **state) {
    (void)state;
    uint64_t calls = 1;
    for (uint64_t n = 0; n <= calls; n++) {
        struct engine_fixture fixture;
        struct store *store = fault_store_new(fixture_store());
        fault_store_arm(store, n == 0 ? FAULT_NONE : FAULT_ERROR, n);
        struct error *error = fixture_open(&fixture, store);
        if (n == 0)
            calls = fault_store_calls(store);
        else
            assert_non_null(error); /* and the store is closed: the sanitizer would say otherwise */
        fixture_close(&fixture);
    }
}

static void assert_not_opened(struct store *store, const char *expected) {
    struct engine_fixture fixture;
    struct error *error = fixture_open(&fixture, store);
    assert_non_null(error);
    assert_true(slice_is(error->message, expected));
    fixture_close(&fixture);
}

static void what_is_no_new_database_is_not_made_one(void **state) {
    (void)state;
    struct store *store = fault_store_new(fixture_store());
    fault_store_arm(store, FAULT_CONFLICT, 1);
    assert_not_opened(store, "the database could not be created");
    for (uint8_t keyspace = 0; keyspace < KEYSPACE_COUNT; keyspace++) {
        struct arena arena;
        struct store_txn *txn;
        enum store_outcome outcome;
        struct store_key key = {keyspace, SLICE_LITERAL("x")};
        arena_init(&arena);
        store = fixture_store();
        assert_null(store_begin(store, &arena, STORE_WRITE, &txn));
        store_put(txn, &key, SLICE_LITERAL("y"));
        assert_null(store_commit(txn, STORE_DURABLE, &outcome));
        store_end(txn);
        arena_release(&arena);
        assert_not_opened(store, "the database is damaged: it has data but no format record");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_commit_may_conflict),
        cmocka_unit_test(opening_may_fail_at_every_call),
        cmocka_unit_test(what_is_no_new_database_is_not_made_one),
    };
    return cmocka_run_group_tests_name("engine_faults", tests, NULL, NULL);
}
