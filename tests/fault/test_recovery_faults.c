/* test_recovery_faults.c - fails the n-th call to the store, for n = 1, 2, ..., while a table is
 * backed up, restored and written to.
 *
 * After each run the fault is lifted. Whatever failed, a backup or a restored table that was
 * promised is there and holds exactly what the table held at its moment, and one that was refused
 * has left nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fault/acknowledged.h"
#include "support/backup_fixture.h"
#include "support/fault_scenario.h"
#include "support/index_fixture.h"

#define START_MS INT64_C(1700000000000)

enum { KEYS = 5, TEXT_BYTES = 120000 };

/* The version of each item; 0: there is none. */
struct versions {
    int of[KEYS];
};

struct scenario {
    struct engine_fixture fixture;
    struct versions now;
    bool created, recovery, backed_up, restored, restored_backup, dropped;
    struct backup backup;
    struct versions at_backup, at_time;
};

/* Few items fill a step of a copy, so that it takes several. */
static const char *item_text(struct engine_fixture *f, int key, int version) {
    static char text[TEXT_BYTES + 1];
    memset(text, 'z', TEXT_BYTES);
    return (const char *)arena_printf(
               &f->arena,
               "{\"g\":{\"S\":\"g%d\"},\"l\":{\"N\":\"%d\"},\"pk\":{\"S\":\"p%d\"},\"sk\":{\"S\":"
               "\"k\"},\"z\":{\"S\":\"%s\"}}",
               version % 2, version, key, text)
        .data;
}

static const char *key_text(struct engine_fixture *f, int key) {
    return (const char *)arena_printf(&f->arena, "{\"pk\":{\"S\":\"p%d\"},\"sk\":{\"S\":\"k\"}}",
                                      key)
        .data;
}

static void write_version(struct scenario *s, int key, int version) {
    struct engine_fixture *f = &s->fixture;
    struct error *error = version == 0 ? fixture_delete(f, "T", key_text(f, key))
                                       : fixture_put(f, "T", item_text(f, key, version));
    if (acknowledged(error))
        s->now.of[key] = version;
}

static void move_clock(int64_t ms) {
    fixture_clock.now_ms += ms;
}

static void change_items(struct scenario *s, int version) {
    write_version(s, version % KEYS, version);
    write_version(s, (version + 1) % KEYS, 0);
    write_version(s, (version + 2) % KEYS, version);
}

static void run_scenario(struct scenario *s) {
    struct engine_fixture *f = &s->fixture;
    s->created = acknowledged(fixture_create_indexed(f, "T"));
    if (!s->created)
        return;
    for (int key = 0; key < KEYS - 1; key++)
        write_version(s, key, 1);
    s->recovery = acknowledged(backup_recovery(f, "T", 35));
    s->at_time = s->now;
    int64_t time_ms = fixture_clock.now_ms;
    move_clock(1000);
    change_items(s, 2);
    s->at_backup = s->now;
    s->backed_up = acknowledged(backup_take(f, "T", "one", &s->backup));
    change_items(s, 3);
    if (s->recovery)
        s->restored = acknowledged(backup_restore_time(f, "T", time_ms, "R"));
    change_items(s, 4);
    if (s->backed_up)
        backup_wait(f, &s->backup);
    if (s->backed_up)
        s->restored_backup = acknowledged(backup_restore(f, &s->backup, "B"));
    if (s->restored)
        backup_table_wait(f, "R");
    if (s->restored_backup)
        backup_table_wait(f, "B");
    s->dropped = acknowledged(fixture_drop_table(f, "T"));
}

static void check_table(struct scenario *s, const char *table, const struct versions *expected) {
    struct engine_fixture *f = &s->fixture;
    for (int key = 0; key < KEYS; key++) {
        const char *found;
        assert_null(fixture_get(f, table, key_text(f, key), &found));
        const char *item = expected->of[key] == 0 ? "absent" : item_text(f, key, expected->of[key]);
        assert_string_equal(found, item);
    }
}

/* Without the other tables, so that everything in the store belongs to this one. */
static void check_indexes(struct scenario *s, struct store *store, const char *table) {
    const char *problem = index_difference_from_items(&s->fixture, store, table);
    if (problem != NULL)
        fail_msg("%s", problem);
    assert_null(fixture_drop_table(&s->fixture, table));
}

static void check_database(struct scenario *s, struct store *store) {
    struct engine_fixture *f = &s->fixture;
    assert_int_equal(s->restored, fixture_table(f, "R") != NULL);
    assert_int_equal(s->restored_backup, fixture_table(f, "B") != NULL);
    if (s->restored)
        check_table(s, "R", &s->at_time);
    if (s->restored_backup)
        check_table(s, "B", &s->at_backup);
    if (s->created && !s->dropped)
        assert_null(fixture_drop_table(f, "T"));
    size_t system = s->created && s->recovery;
    assert_int_equal(backup_count(f), s->backed_up + system);
    if (s->restored_backup && s->restored)
        assert_null(fixture_drop_table(f, "R"));
    if (s->restored_backup)
        check_indexes(s, store, "B");
    else if (s->restored)
        check_indexes(s, store, "R");
    if (s->backed_up)
        assert_null(backup_drop(f, &s->backup));
    /* What is left is the backup that the system keeps. */
    move_clock(36 * INT64_C(86400000));
    engine_time_moved(f->engine);
    while (backup_count(f) != 0)
        engine_time_moved(f->engine);
    assert_int_equal(backup_records(f, store, KEYSPACE_ITEMS, 0), 0);
    assert_int_equal(backup_records(f, store, KEYSPACE_CHANGES, 0), 0);
    assert_int_equal(backup_records(f, store, KEYSPACE_INDEXES, 0), 0);
}

/* One run with a fault; false when the scenario was over before the fault came. */
static bool run_with(enum fault fault, uint64_t n, void *ret_scenario) {
    struct scenario *s = ret_scenario;
    struct store *store = fault_store_new(fixture_store());
    memset(s, 0, sizeof(*s));
    fixture_clock.now_ms = START_MS;
    struct engine_options options = fixture_options(store);
    options.clock = &fixture_clock.clock;
    assert_null(fixture_open_with(&s->fixture, &options));
    fault_store_arm(store, fault, n);
    run_scenario(s);
    bool fired = fault_store_fired(store);
    fault_store_arm(store, FAULT_NONE, 0);
    check_database(s, store);
    fixture_close(&s->fixture);
    return fired;
}

static void assert_complete(const void *scenario_of_run) {
    const struct scenario *s = scenario_of_run;
    assert_true(s->created && s->recovery && s->backed_up && s->restored && s->restored_backup &&
                s->dropped);
}

static struct scenario last_run;
static const struct fault_scenario scenario = {run_with, assert_complete, &last_run};

static void every_call_may_fail(void **state) {
    (void)state;
    fail_every_call(&scenario, 80, 2000);
}

/* A conflict is run again and nobody notices, copies included. */
static void every_commit_may_conflict(void **state) {
    (void)state;
    conflict_every_commit(&scenario, 30, 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_commit_may_conflict),
    };
    return cmocka_run_group_tests_name("recovery_faults", tests, NULL, NULL);
}
