/* test_stream_faults.c - fails the n-th call to the store, for n = 1, 2, ..., while items of a
 * table with a stream change, the stream is turned off and on, the table is deleted, and days go
 * by.
 *
 * The stream must tell exactly what was acknowledged: what failed is neither in the table nor in
 * the stream. A day after its end nothing is left of it, whatever failed on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "fault/acknowledged.h"
#include "support/fault_scenario.h"
#include "support/stream_fixture.h"
#include "support/transaction_fixture.h"

#define HOUR INT64_C(3600000)
#define KEY(name) "{\"pk\":{\"S\":\"" name "\"}}"
#define ITEM(name, n) "{\"n\":{\"N\":\"" n "\"},\"pk\":{\"S\":\"" name "\"}}"
#define END \
    { .table = NULL }

enum { TEXT_MAX = 4096 };

/* What the client knows: the text of each stream as it must be. */
struct outcome {
    bool created, first_on, first_off, second_on, dropped;
    char expected[2][TEXT_MAX];
    const char *a, *b; /* the items as they are; NULL: absent */
};

/* One change that happened, as the stream that is on has to tell it. */
static void note(struct outcome *outcome, const char *key, const char **item, const char *now) {
    const char *event = *item == NULL ? "INSERT" : now == NULL ? "REMOVE" : "MODIFY";
    char *text = outcome->expected[outcome->first_off ? 1 : 0];
    bool on = outcome->first_off ? outcome->second_on : outcome->first_on;
    bool same = *item != NULL && now != NULL && strcmp(*item, now) == 0;
    *item = now;
    if (!on || same)
        return;
    size_t len = strlen(text);
    snprintf(text + len, TEXT_MAX - len, "%s %s %s\n", event, now == NULL ? "keys" : "new",
             now == NULL ? key : now);
}

static void change_items(struct engine_fixture *f, struct outcome *outcome) {
    static struct transact_run run;
    const struct transaction_action both[] = {
        {WRITE_PUT, "T", ITEM("a", "3"), NULL, NULL, NULL},
        {WRITE_PUT, "T", ITEM("b", "3"), NULL, NULL, NULL},
        END,
    };
    const struct transaction_action cancelled[] = {
        {WRITE_PUT, "T", ITEM("a", "9"), NULL, NULL, NULL},
        {WRITE_CHECK, "T", KEY("none"), NULL, "attribute_exists(pk)", NULL},
        END,
    };
    if (acknowledged(fixture_put(f, "T", ITEM("a", "1"))))
        note(outcome, KEY("a"), &outcome->a, ITEM("a", "1"));
    if (acknowledged(fixture_put(f, "T", ITEM("a", "2"))))
        note(outcome, KEY("a"), &outcome->a, ITEM("a", "2"));
    transact(f, NULL, "", cancelled, &run);
    if (strcmp(transact(f, NULL, "", both, &run), "done") == 0) {
        note(outcome, KEY("a"), &outcome->a, ITEM("a", "3"));
        note(outcome, KEY("b"), &outcome->b, ITEM("b", "3"));
    }
    if (acknowledged(fixture_delete(f, "T", KEY("b"))) && outcome->b != NULL)
        note(outcome, KEY("b"), &outcome->b, NULL);
}

static void run_scenario(struct engine_fixture *f, struct outcome *outcome) {
    *outcome = (struct outcome){.created = acknowledged(fixture_create_table(f, "T", VALUE_NONE))};
    if (!outcome->created)
        return;
    outcome->first_on = acknowledged(fixture_set_stream(f, "T", STREAM_NEW_IMAGE));
    change_items(f, outcome);
    if (outcome->first_on)
        outcome->first_off = acknowledged(fixture_set_stream(f, "T", STREAM_OFF));
    if (outcome->first_off)
        outcome->second_on = acknowledged(fixture_set_stream(f, "T", STREAM_NEW_IMAGE));
    change_items(f, outcome);
    fixture_clock.now_ms += 5 * HOUR; /* another generation */
    engine_time_moved(f->engine);
    change_items(f, outcome);
    outcome->dropped = acknowledged(fixture_drop_table(f, "T"));
}

static void check_streams(struct engine_fixture *f, const struct outcome *outcome) {
    static struct stream_definition streams[STREAMS_MAX];
    size_t count = streams_of(f, NULL, streams);
    assert_int_equal(count, (outcome->first_on ? 1 : 0) + (outcome->second_on ? 1 : 0));
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(stream_text(f, &streams[i]), outcome->expected[i]);
        bool on = !outcome->dropped && (outcome->second_on ? i == 1 : !outcome->first_off);
        assert_int_equal(streams[i].ended == 0, on);
    }
}

/* Nothing of streams is left in the store. */
static bool is_clean(struct store *store) {
    size_t records, streams;
    streams_stored(store, &records, &streams);
    return records == 0 && streams == 0;
}

/* Days go by while the fault may still come; then it is lifted, and all goes. */
static void let_time_pass(struct engine_fixture *f, struct store *store, bool *ret_fired) {
    for (int hours = 0; hours < 30; hours += 3) {
        fixture_clock.now_ms += 3 * HOUR;
        engine_time_moved(f->engine);
        struct error *error = fixture_drop_table(f, "none");
        assert_non_null(error);
    }
    *ret_fired = fault_store_fired(store);
    fault_store_arm(store, FAULT_NONE, 0);
    if (fixture_table(f, "T") != NULL)
        assert_null(fixture_drop_table(f, "T"));
    fixture_clock.now_ms += 24 * HOUR;
    for (int i = 0; i < 5000 && !is_clean(store); i++) {
        engine_time_moved(f->engine); /* a chore that failed waits for a while */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_true(is_clean(store));
}

/* One run with a fault; false when all was over before the fault came. */
static bool run_with(enum fault fault, uint64_t n, void *ret_outcome) {
    struct engine_fixture fixture;
    struct store *store = fault_store_new(fixture_store());
    struct engine_options options = fixture_options(store);
    options.clock = &fixture_clock.clock;
    fixture_clock.now_ms = 1700000000000;
    assert_null(fixture_open_with(&fixture, &options));
    fault_store_arm(store, fault, n);
    run_scenario(&fixture, ret_outcome);
    bool fired = fault_store_fired(store);
    if (fired) { /* else the fault is for what follows */
        fault_store_arm(store, FAULT_NONE, 0);
        check_streams(&fixture, ret_outcome);
    }
    bool fired_later;
    let_time_pass(&fixture, store, &fired_later);
    fixture_close(&fixture);
    return fired || fired_later;
}

static void assert_complete(const void *outcome_of_run) {
    const struct outcome *done = outcome_of_run;
    assert_true(done->created && done->first_on && done->first_off && done->second_on &&
                done->dropped);
    assert_string_equal(
        done->expected[0],
        "INSERT new " ITEM("a", "1") "\nMODIFY new " ITEM("a", "2") "\nMODIFY new " ITEM(
            "a", "3") "\nINSERT new " ITEM("b", "3") "\nREMOVE keys " KEY("b") "\n");
}

static struct outcome last_run;
static const struct fault_scenario scenario = {run_with, assert_complete, &last_run};

static void every_call_may_fail(void **state) {
    (void)state;
    fail_every_call(&scenario, 45, 1000);
}

/* A conflict is run again, and nobody notices: no record is lost or told twice. */
static void every_commit_may_conflict(void **state) {
    (void)state;
    conflict_every_commit(&scenario, 15, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_commit_may_conflict),
    };
    return cmocka_run_group_tests_name("stream_faults", tests, NULL, NULL);
}
