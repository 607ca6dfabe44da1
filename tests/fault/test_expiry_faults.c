/* test_expiry_faults.c - fails the n-th call to the store, for n = 1, 2, ..., while a table is
 * given a TTL attribute, its entries are built, items change and expire.
 *
 * After each run the fault is lifted: what has expired goes, what has not stays, and the entries
 * are those that the items make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fault/acknowledged.h"
#include "support/expiry_fixture.h"
#include "support/fault_scenario.h"
#include "support/index_fixture.h"

/* So large that a few of them fill a step of building or sweeping. */
enum { ITEMS = 24, ITEM_BYTES = 100000 };

static struct movable_clock clock_of_test;

static struct store *inner; /* for looking without a fault */

/* Every third stays. */
static int64_t expiry_of_item(unsigned n) {
    return EXPIRY_NOW + (n % 3 == 0 ? 1000 : 5);
}

static bool put_items(struct engine_fixture *f) {
    static struct item_write writes[ITEMS];
    static char text[ITEM_BYTES + 1];
    memset(text, 'z', ITEM_BYTES);
    for (unsigned n = 0; n < ITEMS; n++) {
        struct slice json =
            arena_printf(&f->arena,
                         "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"%u\"},\"g\":{\"S\":\"g\"},"
                         "\"ends\":{\"N\":\"%lld\"},\"z\":{\"S\":\"%s\"}}",
                         n, (long long)expiry_of_item(n), text);
        writes[n] = (struct item_write){.table = fixture_table(f, "T"),
                                        .kind = WRITE_PUT,
                                        .item = fixture_item(f, (const char *)json.data)};
        item_write_prepare(f->engine, &f->arena, &writes[n]);
    }
    struct write_job job = {.writes = writes, .count = ITEMS, .batch = true};
    return acknowledged(fixture_write_job(f, &job));
}

/* What the client knows. */
struct outcome {
    bool created, filled, on, moved, taken;
};

#define KEY(sk) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}}"

static void run_scenario(struct engine_fixture *f, struct outcome *outcome) {
    *outcome = (struct outcome){.created = acknowledged(fixture_create_indexed(f, "T"))};
    if (!outcome->created)
        return;
    outcome->filled = put_items(f);
    outcome->on = acknowledged(expiry_set(f, "T", "ends"));
    outcome->moved = acknowledged(
        fixture_update(f, "T", KEY("1"), "SET ends = :n", NULL, "{\":n\":{\"N\":\"2000000900\"}}"));
    outcome->taken = acknowledged(fixture_update(f, "T", KEY("2"), "REMOVE ends", NULL, NULL));
    acknowledged(fixture_delete(f, "T", KEY("3")));
    expiry_wait_built(f, "T");
    expiry_advance(f, &clock_of_test, 6000);
    acknowledged(fixture_delete(f, "T", KEY("6")));
    acknowledged(fixture_delete(f, "T", KEY("4")));
}

static void check_database(struct engine_fixture *f, const struct outcome *outcome) {
    if (!outcome->created)
        return;
    assert_int_equal(fixture_table(f, "T")->ttl_stats != NULL, outcome->on);
    if (outcome->on) {
        engine_time_moved(f->engine);
        expiry_wait_swept(f, inner, "T", EXPIRY_NOW + 6);
    }
    const char *problem = expiry_difference_from_items(f, inner, "T");
    if (problem == NULL)
        problem = index_difference_from_items(f, inner, "T");
    if (problem != NULL)
        fail_msg("%s", problem);
    const char *json;
    assert_null(fixture_get(f, "T", KEY("9"), &json)); /* it does not expire */
    assert_int_equal(strcmp(json, "absent") != 0, outcome->filled);
    assert_null(fixture_get(f, "T", KEY("1"), &json));
    if (outcome->moved) /* an update makes the item when the put failed */
        assert_string_not_equal(json, "absent");
    assert_null(fixture_get(f, "T", KEY("2"), &json));
    if (outcome->taken && outcome->filled)
        assert_string_not_equal(json, "absent");
}

/* One run with a fault; false when the scenario was over before the fault came. */
static bool run_with(enum fault fault, uint64_t n, void *outcome_of_run) {
    struct outcome *ret_outcome = outcome_of_run;
    struct engine_fixture fixture;
    inner = fixture_store();
    struct store *store = fault_store_new(inner);
    struct engine_options options = expiry_options(store, &clock_of_test);
    assert_null(fixture_open_with(&fixture, &options));
    fault_store_arm(store, fault, n);
    run_scenario(&fixture, ret_outcome);
    if (ret_outcome->on) /* the fault may still come */
        expiry_wait_swept(&fixture, inner, "T", EXPIRY_NOW + 6);
    bool fired = fault_store_fired(store);
    fault_store_arm(store, FAULT_NONE, 0);
    check_database(&fixture, ret_outcome);
    fixture_close(&fixture);
    return fired;
}

static void assert_complete(const void *outcome_of_run) {
    const struct outcome *done = outcome_of_run;
    assert_true(done->created && done->filled && done->on && done->moved && done->taken);
}

static struct outcome last_run;
static const struct fault_scenario scenario = {run_with, assert_complete, &last_run};

static void every_call_may_fail(void **state) {
    (void)state;
    fail_every_call(&scenario, 45, 1000);
}

static void every_commit_may_conflict(void **state) {
    (void)state;
    conflict_every_commit(&scenario, 10, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_commit_may_conflict),
    };
    return cmocka_run_group_tests_name("expiry_faults", tests, NULL, NULL);
}
