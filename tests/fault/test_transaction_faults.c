/* test_transaction_faults.c - fails the n-th call to the store under a transaction, for n = 1, 2,
 * ...
 *
 * A client moves an amount from one item to another, in a transaction with a token, and tries again
 * until it is told that it is done. Whatever failed in between, and whether the store knows what
 * became of a commit or not: afterwards the amount has moved exactly once, with the index entry and
 * the token that belong to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/container.h"
#include "store/fault/fault.h"
#include "support/transaction_fixture.h"

/* Every look at it takes a millisecond, so that a group that is run again is run at another time.
 */
struct ticking_clock {
    struct clock clock;
    _Atomic int64_t now_ms;
};

static int64_t tick(const struct clock *clock) {
    return ++container_of(clock, struct ticking_clock, clock)->now_ms;
}

static struct ticking_clock ticking_clock = {{tick}, 1700000000000};

static struct store *open_fixture(struct engine_fixture *f) {
    struct store *store = fault_store_new(fixture_store());
    struct engine_options options = fixture_options(store);
    options.clock = &ticking_clock.clock;
    assert_null(fixture_open_with(f, &options));
    return store;
}

#define ITEM(sk, g, n)                                                                          \
    "{\"g\":{\"S\":\"" g "\"},\"n\":{\"N\":\"" n "\"},\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk \
    "\"}}"
#define KEY(sk) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}}"

static const struct transaction_action move[] = {
    {WRITE_UPDATE, "I", KEY("from"), "SET n = n - :n, g = :g", "n >= :n",
     "{\":n\":{\"N\":\"1\"},\":g\":{\"S\":\"after\"}}"},
    {WRITE_UPDATE, "I", KEY("to"), "ADD n :n", NULL, "{\":n\":{\"N\":\"1\"}}"},
    {WRITE_PUT, "I", ITEM("ledger", "l", "1"), NULL, "attribute_not_exists(pk)", NULL},
    {WRITE_CHECK, "I", KEY("open"), NULL, "attribute_not_exists(pk)", NULL},
    {.table = NULL},
};

static void set_scene(struct engine_fixture *f) {
    assert_null(fixture_create_indexed(f, "I"));
    assert_null(fixture_put(f, "I", ITEM("from", "before", "5")));
    assert_null(fixture_put(f, "I", ITEM("to", "x", "0")));
}

/* Returns how often it had to be tried; at most `tries_max` times. */
static int move_once(struct engine_fixture *f, int tries_max, struct transact_run *run) {
    for (int tries = 1; tries <= tries_max; tries++) {
        transact(f, "token", "move", move, run);
        if (run->job.error == NULL) {
            assert_false(run->transaction.cancelled);
            return tries;
        }
        assert_int_equal(run->job.error->code, ERROR_LOCAL);
    }
    return 0;
}

static const char *get(struct engine_fixture *f, const char *key) {
    const char *json;
    assert_null(fixture_get(f, "I", key, &json));
    return json;
}

static size_t count_by(struct engine_fixture *f, const char *g) {
    const struct table *table = fixture_table(f, "I");
    struct value item = fixture_item(f, "{\":g\":{\"S\":\"before\"},\":h\":{\"S\":\"after\"}}");
    struct read_range range = {.table = table, .index = &table->definition.indexes[0]};
    range.hash[0] = value_map_find(item, slice_text(g));
    struct reader reader;
    struct cursor cursor;
    struct stored_item found;
    size_t count = 0;
    assert_null(reader_begin(f->engine, &f->arena, READ_SNAPSHOT, &reader));
    assert_null(cursor_open(&reader, &range, &cursor));
    do {
        assert_null(cursor_next(&cursor, &found));
        count += value_present(found.item);
    } while (value_present(found.item));
    cursor_close(&cursor);
    reader_end(&reader);
    return count;
}

static void assert_moved_once(struct engine_fixture *f) {
    assert_string_equal(get(f, KEY("from")), ITEM("from", "after", "4"));
    assert_string_equal(get(f, KEY("to")), ITEM("to", "x", "1"));
    assert_string_equal(get(f, KEY("ledger")), ITEM("ledger", "l", "1"));
    assert_string_equal(get(f, KEY("open")), "absent");
    assert_int_equal(count_by(f, ":g"), 0);
    assert_int_equal(count_by(f, ":h"), 1);
}

static void assert_not_moved(struct engine_fixture *f) {
    assert_string_equal(get(f, KEY("from")), ITEM("from", "before", "5"));
    assert_string_equal(get(f, KEY("to")), ITEM("to", "x", "0"));
    assert_string_equal(get(f, KEY("ledger")), "absent");
    assert_int_equal(count_by(f, ":g"), 1);
    assert_int_equal(count_by(f, ":h"), 0);
}

static void every_call_may_fail(void **state) {
    (void)state;
    static struct transact_run run;
    uint64_t calls = 1;
    for (uint64_t n = 0; n <= calls; n++) {
        struct engine_fixture f;
        struct store *store = open_fixture(&f);
        set_scene(&f);
        fault_store_arm(store, n == 0 ? FAULT_NONE : FAULT_ERROR, n);
        int tries = move_once(&f, 1, &run);
        assert_int_equal(tries, n == 0 ? 1 : 0);
        if (n == 0) {
            calls = fault_store_calls(store);
            assert_int_equal(calls, 3); /* begin, get_many, commit */
        } else {
            assert_true(fault_store_fired(store));
            assert_not_moved(&f);
            assert_int_equal(fixture_table(&f, "I")->stats->item_count, 2);
            assert_int_equal(move_once(&f, 1, &run), 1);
        }
        assert_false(run.transaction.replayed);
        assert_moved_once(&f);
        assert_int_equal(fixture_table(&f, "I")->stats->item_count, 3);
        fixture_close(&f);
    }
}

/* A conflict is run again, at a later time, and nobody notices. */
static void commits_may_conflict(void **state) {
    (void)state;
    static struct transact_run run;
    struct engine_fixture f;
    struct store *store = open_fixture(&f);
    set_scene(&f);
    fault_store_arm(store, FAULT_CONFLICT, 1);
    assert_int_equal(move_once(&f, 1, &run), 1);
    assert_true(fault_store_fired(store));
    assert_false(run.transaction.replayed);
    assert_moved_once(&f);
    assert_int_equal(move_once(&f, 1, &run), 1);
    assert_true(run.transaction.replayed);
    assert_moved_once(&f);
    fixture_close(&f);
}

/* The fate of the first commit is not known: the token tells. */
static void fate_may_be_unknown(enum fault fault) {
    static struct transact_run run;
    struct engine_fixture f;
    struct store *store = open_fixture(&f);
    set_scene(&f);
    fault_store_arm(store, fault, 1);
    assert_int_equal(move_once(&f, 3, &run), 2);
    assert_true(fault_store_fired(store));
    assert_int_equal(run.transaction.replayed, fault == FAULT_UNKNOWN_APPLIED);
    assert_moved_once(&f);
    fixture_close(&f);
}

static void an_unknown_commit_may_have_happened(void **state) {
    (void)state;
    fate_may_be_unknown(FAULT_UNKNOWN_APPLIED);
}

static void an_unknown_commit_may_be_lost(void **state) {
    (void)state;
    fate_may_be_unknown(FAULT_UNKNOWN_LOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(commits_may_conflict),
        cmocka_unit_test(an_unknown_commit_may_have_happened),
        cmocka_unit_test(an_unknown_commit_may_be_lost),
    };
    return cmocka_run_group_tests_name("transaction_faults", tests, NULL, NULL);
}
