/* test_reload.c - two engines on one store: what one of them knows is wrong once the other has
 * written, and right when it has looked again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/copy.h"
#include "model/limits.h"
#include "store/fault/fault.h"
#include "support/backup_fixture.h"
#include "support/expiry_fixture.h"
#include "support/shared_store.h"
#include "support/stream_fixture.h"
#include "support/transaction_fixture.h"

/* An engine with a clock of its own. What the other does of its own accord would settle what this
 * one is to find, so each can be made to fail at whatever it tries. */
struct side {
    struct engine_fixture f;
    struct movable_clock clock;
    struct store *store;
};

static struct side here, there;

#define KEY(name) "{\"pk\":{\"S\":\"" name "\"}}"
#define HOUR_MS (60 * 60 * INT64_C(1000))

static void open_side(struct side *side, struct store *shared) {
    side->store = fault_store_new(shared);
    struct engine_options options = expiry_options(side->store, &side->clock);
    assert_null(fixture_open_with(&side->f, &options));
}

/* With tables T and U that both know. */
static int set_up(void **state) {
    (void)state;
    struct store *shared = shared_store_new(fixture_store());
    struct store *again = shared_store_again(shared);
    open_side(&there, again);
    assert_null(fixture_create_table(&there.f, "T", VALUE_NONE));
    assert_null(fixture_create_table(&there.f, "U", VALUE_NONE));
    open_side(&here, shared);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fixture_close(&here.f);
    fixture_close(&there.f);
    return 0;
}

static void look_again(void) {
    assert_null(engine_reload(here.f.engine, &here.f.arena));
}

/* What this side had to do of its own accord is done. */
static void settle(struct side *side) {
    for (int i = 0; i < 3; i++) {
        struct fixture_hold hold;
        fixture_hold(&side->f, &hold);
        fixture_let_go(&hold);
    }
}

/* The next change of the catalog there is its last: begin and commit, then nothing succeeds. */
static void one_change_only_there(void) {
    struct fixture_hold hold;
    settle(&there);
    fixture_hold(&there.f, &hold);
    fault_store_arm(there.store, FAULT_ERROR_FROM_HERE, 3);
    fixture_let_go(&hold);
}

static int64_t items_known(const char *table) {
    return fixture_table(&here.f, table)->stats->item_count;
}

static size_t count_records(uint8_t keyspace, int first) {
    struct arena arena;
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range all = {.keyspace = keyspace};
    size_t count = 0;
    arena_init(&arena);
    assert_null(store_begin(here.store, &arena, STORE_READ, &txn));
    assert_null(store_scan_open(txn, &all, false, &scan));
    for (bool found = true; found;) {
        struct slice key, value;
        assert_null(store_scan_next(scan, &found, &key, &value));
        count += found && key.data[0] == first;
    }
    store_scan_close(scan);
    store_end(txn);
    arena_release(&arena);
    return count;
}

/* ---- the catalog ---- */

static void tables_made_changed_and_dropped_elsewhere(void **state) {
    (void)state;
    struct table *changed = fixture_table(&here.f, "T"), *same = fixture_table(&here.f, "U");
    assert_null(fixture_create_table(&there.f, "V", VALUE_NONE));
    assert_null(fixture_set_stream(&there.f, "T", STREAM_KEYS_ONLY));
    assert_null(fixture_table(&here.f, "V"));
    assert_int_equal(fixture_table(&here.f, "T")->definition.stream, STREAM_OFF);
    look_again();
    assert_non_null(fixture_table(&here.f, "V"));
    assert_int_equal(fixture_table(&here.f, "T")->definition.stream, STREAM_KEYS_ONLY);
    assert_ptr_equal(fixture_table(&here.f, "T")->stats, changed->stats);
    assert_ptr_equal(fixture_table(&here.f, "U"), same);
    assert_null(fixture_drop_table(&there.f, "V"));
    assert_non_null(fixture_table(&here.f, "V"));
    look_again();
    assert_null(fixture_table(&here.f, "V"));
}

/* A call that holds a table finds out when it writes. */
static void a_table_that_is_held_and_dropped_elsewhere(void **state) {
    (void)state;
    struct item_write write = {.table = fixture_table(&here.f, "T"),
                               .kind = WRITE_PUT,
                               .item = fixture_item(&here.f, KEY("a"))};
    assert_null(fixture_drop_table(&there.f, "T"));
    assert_null(fixture_create_table(&there.f, "T", VALUE_NONE));
    assert_false(atomic_load(&write.table->stats->dropped));
    look_again();
    assert_true(atomic_load(&write.table->stats->dropped));
    struct error *error = fixture_write(&here.f, &write);
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_RESOURCE_NOT_FOUND);
    assert_null(fixture_put(&here.f, "T", KEY("a")));
    assert_int_not_equal(fixture_table(&here.f, "T")->definition.id, write.table->definition.id);
    assert_int_equal(items_known("T"), 1);
}

static void an_old_version_still_writes(void **state) {
    (void)state;
    struct item_write write = {.table = fixture_table(&here.f, "T"),
                               .kind = WRITE_PUT,
                               .item = fixture_item(&here.f, KEY("a"))};
    assert_null(fixture_set_stream(&there.f, "T", STREAM_KEYS_ONLY));
    look_again();
    assert_null(fixture_write(&here.f, &write));
    struct stream_definition stream = stream_of(&here.f, "T");
    assert_string_equal(stream_text(&here.f, &stream), "INSERT keys {\"pk\":{\"S\":\"a\"}}\n");
}

static void how_much_tables_hold(void **state) {
    (void)state;
    assert_null(fixture_put(&there.f, "T", KEY("a")));
    assert_null(fixture_put(&there.f, "T", KEY("b")));
    assert_int_equal(items_known("T"), 0);
    look_again();
    assert_int_equal(items_known("T"), 2);
    assert_null(fixture_put(&here.f, "T", KEY("c")));
    look_again(); /* what is stored is what was known */
    assert_int_equal(items_known("T"), 3);
}

/* ---- ids and numbers ---- */

static uint32_t id_of(struct side *side, const char *table) {
    return fixture_table(&side->f, table)->definition.id;
}

static void the_next_id_is_wrong_before(void **state) {
    (void)state;
    assert_null(fixture_create_table(&there.f, "V", VALUE_NONE));
    assert_null(fixture_create_table(&here.f, "W", VALUE_NONE));
    assert_int_equal(id_of(&here, "W"), id_of(&there, "V"));
}

static void the_next_id(void **state) {
    (void)state;
    assert_null(fixture_create_table(&there.f, "V", VALUE_NONE));
    look_again();
    assert_null(fixture_create_table(&here.f, "W", VALUE_NONE));
    assert_int_equal(id_of(&here, "W"), id_of(&there, "V") + 1);
}

static void the_last_number(void **state) {
    (void)state;
    assert_null(fixture_set_stream(&there.f, "T", STREAM_KEYS_ONLY));
    look_again();
    assert_null(fixture_put(&there.f, "T", KEY("a")));
    assert_true(engine_last_number(here.f.engine) < engine_last_number(there.f.engine));
    look_again();
    assert_int_equal(engine_last_number(here.f.engine), engine_last_number(there.f.engine));
    assert_null(fixture_put(&here.f, "T", KEY("b")));
    struct stream_definition stream = stream_of(&here.f, "T");
    assert_string_equal(stream_text(&here.f, &stream),
                        "INSERT keys {\"pk\":{\"S\":\"a\"}}\nINSERT keys {\"pk\":{\"S\":\"b\"}}\n");
}

/* ---- what comes with time ---- */

static void tokens_that_end(void **state) {
    (void)state;
    static struct transact_run run;
    static const struct transaction_action put[] = {
        {.kind = WRITE_PUT, .table = "T", .attributes = KEY("a")}, {.table = NULL}};
    assert_string_equal(transact(&there.f, "token", "request", put, &run), "done");
    expiry_advance(&here.f, &here.clock, LIMIT_REQUEST_TOKEN_MS + 1);
    settle(&here);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 1);
    look_again();
    settle(&here);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
}

static void items_that_expire(void **state) {
    (void)state;
    assert_null(expiry_set(&there.f, "T", "ends"));
    look_again();
    settle(&here);
    assert_null(
        fixture_put(&there.f, "T", "{\"ends\":{\"N\":\"2000000005\"},\"pk\":{\"S\":\"a\"}}"));
    expiry_advance(&here.f, &here.clock, 10000);
    settle(&here);
    assert_int_equal(count_records(KEYSPACE_ITEMS, 0), 1);
    look_again();
    expiry_wait_items(&here.f, "T", 0);
    assert_int_equal(count_records(KEYSPACE_ITEMS, 0), 0);
}

static void streams_that_end(void **state) {
    (void)state;
    size_t records, streams;
    settle(&here); /* it has seen that there are no streams */
    assert_null(fixture_set_stream(&there.f, "T", STREAM_KEYS_ONLY));
    assert_null(fixture_put(&there.f, "T", KEY("a")));
    assert_null(fixture_set_stream(&there.f, "T", STREAM_OFF));
    expiry_advance(&here.f, &here.clock, LIMIT_STREAM_RETENTION_MS + HOUR_MS);
    settle(&here);
    streams_stored(here.store, &records, &streams);
    assert_int_equal(records + streams, 2);
    look_again();
    settle(&here);
    streams_stored(here.store, &records, &streams);
    assert_int_equal(records + streams, 0);
}

static void backups_that_expire(void **state) {
    (void)state;
    assert_null(backup_recovery(&there.f, "T", 35));
    assert_null(fixture_drop_table(&there.f, "T")); /* leaves a backup for 35 days */
    settle(&here);
    expiry_advance(&here.f, &here.clock, 36 * 24 * HOUR_MS);
    settle(&here);
    assert_int_equal(backup_count(&here.f), 1);
    look_again();
    settle(&here);
    assert_int_equal(backup_count(&here.f), 0);
}

/* ---- what was begun elsewhere ---- */

static void a_copy_that_was_begun_elsewhere(void **state) {
    (void)state;
    struct backup backup;
    assert_null(fixture_put(&there.f, "T", KEY("a")));
    one_change_only_there();
    assert_null(backup_take(&there.f, "T", "backup", &backup));
    settle(&here);
    struct backup_id id = {backup.created_ms, backup.id};
    assert_false(backup_is_taken_of(here.f.engine, fixture_table(&here.f, "T")));
    assert_int_equal(backup_now(&here.f, id).status, BACKUP_CREATING);
    look_again();
    backup_wait(&here.f, &backup);
    assert_int_equal(backup_now(&here.f, id).item_count, 1);
}

/* The owners of facts are values, and look at a store without an engine. */
static void a_table_that_is_copied_keeps_history(void **state) {
    (void)state;
    struct backup backup;
    struct catalog catalog;
    struct copies copies = {NULL};
    struct store_txn *txn;
    one_change_only_there();
    assert_null(backup_take(&there.f, "T", "backup", &backup));
    catalog_init(&catalog, NULL);
    assert_null(store_begin(here.store, &here.f.arena, STORE_READ, &txn));
    assert_null(copies_load(&copies, &here.f.arena, txn));
    assert_null(catalog_load(&catalog, &here.f.arena, txn));
    store_end(txn);
    copies_look_at(&copies, &catalog);
    assert_true(table_keeps_history(catalog_current(&catalog, SLICE_LITERAL("T"))));
    assert_false(table_keeps_history(catalog_current(&catalog, SLICE_LITERAL("U"))));
    copy_stop(&copies, &catalog, backup.id);
    assert_false(table_keeps_history(catalog_current(&catalog, SLICE_LITERAL("T"))));
    copies_clear(&copies);
    catalog_release(&catalog);
}

static void a_range_that_is_filled_elsewhere(void **state) {
    (void)state;
    look_again();
    assert_null(
        fixture_put(&there.f, "T", "{\"ends\":{\"N\":\"2000000005\"},\"pk\":{\"S\":\"a\"}}"));
    one_change_only_there();
    assert_null(expiry_set(&there.f, "T", "ends"));
    look_again();
    expiry_wait_built(&here.f, "T");
    assert_int_equal(fixture_table(&here.f, "T")->ttl_stats->item_count, 1);
}

/* ---- failures ---- */

/* Whatever call fails, the engine goes on with the tables that it knows, and the next look is
 * right. */
static void a_look_that_fails(void **state) {
    (void)state;
    assert_null(fixture_put(&there.f, "T", KEY("a")));
    assert_null(fixture_create_table(&there.f, "V", VALUE_NONE));
    settle(&here);
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        struct fixture_hold hold;
        fixture_hold(&here.f, &hold);
        fault_store_arm(here.store, FAULT_ERROR, n);
        fixture_let_go(&hold);
        struct error *error = engine_reload(here.f.engine, &here.f.arena);
        fault_store_arm(here.store, FAULT_NONE, 0);
        if (error == NULL)
            break;
        failures++;
        assert_null(fixture_table(&here.f, "V"));
        assert_non_null(fixture_table(&here.f, "T"));
        settle(&here);
    }
    assert_true(failures > 10);
    assert_non_null(fixture_table(&here.f, "V"));
    assert_int_equal(items_known("T"), 1);
    assert_null(fixture_put(&here.f, "T", KEY("b")));
    assert_int_equal(items_known("T"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* How often an engine that another one leads asks the store when it looks again. */
static uint64_t calls_of_a_look(struct side *side) {
    fault_store_arm(side->store, FAULT_NONE, 0);
    assert_null(engine_look_again(side->f.engine, &side->f.arena));
    return fault_store_calls(side->store);
}

/* Where the store is far away each call may be a round trip; the steps of a scan are not. */
static void many_tables_are_not_asked_about_one_by_one(void **state) {
    (void)state;
    enum { MORE = 40 };
    struct store *shared = shared_store_new(fixture_store());
    struct engine_fixture maker;
    struct side side = {.store = fault_store_new(shared_store_again(shared))};
    assert_null(fixture_open(&maker, shared));
    assert_null(fixture_create_table(&maker, "first", VALUE_NONE));
    struct engine_options options = expiry_options(side.store, &side.clock);
    options.follows = true;
    assert_null(fixture_open_with(&side.f, &options));
    uint64_t before = calls_of_a_look(&side);
    for (int i = 0; i < MORE; i++)
        assert_null(fixture_create_table(
            &maker, (const char *)arena_printf(&maker.arena, "more-%02d", i).data, VALUE_NONE));
    assert_int_equal(calls_of_a_look(&side), before + MORE);
    fixture_close(&side.f);
    fixture_close(&maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(tables_made_changed_and_dropped_elsewhere),
        TEST(a_table_that_is_held_and_dropped_elsewhere),
        TEST(an_old_version_still_writes),
        TEST(how_much_tables_hold),
        TEST(the_next_id_is_wrong_before),
        TEST(the_next_id),
        TEST(the_last_number),
        TEST(tokens_that_end),
        TEST(items_that_expire),
        TEST(streams_that_end),
        TEST(backups_that_expire),
        TEST(a_copy_that_was_begun_elsewhere),
        TEST(a_table_that_is_copied_keeps_history),
        TEST(a_range_that_is_filled_elsewhere),
        TEST(a_look_that_fails),
        cmocka_unit_test(many_tables_are_not_asked_about_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
