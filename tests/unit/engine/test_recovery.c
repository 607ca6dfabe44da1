/* test_recovery.c - history, backups and restores, on the memory store with a clock that stands
 * still until it is moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codec/backup.h"
#include "support/backup_fixture.h"
#include "support/index_fixture.h"

#define START_MS INT64_C(1700000000000)
#define DAY_MS INT64_C(86400000)

static struct store *store;

/* The memory store has no room to give back, and reads without limits. This one deletes what it is
 * told to, unless it is to wait, and notes how much it was asked for at once. */
static struct store_engine noting_engine;
static struct error *(*inner_get_many)(struct store_txn *txn, size_t count,
                                       const struct store_key *keys, struct slice *ret_values);
static atomic_bool reclaim_waits;
static atomic_int reclaimed;
static atomic_size_t read_most;

static struct error *noting_get_many(struct store_txn *txn, size_t count,
                                     const struct store_key *keys, struct slice *ret_values) {
    size_t bytes = 0;
    TRY(inner_get_many(txn, count, keys, ret_values));
    for (size_t i = 0; i < count; i++)
        bytes += ret_values[i].len;
    if (bytes > atomic_load(&read_most))
        atomic_store(&read_most, bytes);
    return NULL;
}

static struct error *noting_reclaim(struct store *inner, struct arena *arena,
                                    const struct store_range *range, uint64_t *moment,
                                    bool *ret_done) {
    (void)moment;
    struct store_txn *txn;
    enum store_outcome outcome;
    *ret_done = !atomic_load(&reclaim_waits);
    if (!*ret_done)
        return NULL;
    TRY(store_begin(inner, arena, STORE_WRITE, &txn));
    store_delete_range(txn, range);
    struct error *error = store_commit(txn, STORE_RELAXED, &outcome);
    store_end(txn);
    atomic_fetch_add(&reclaimed, 1);
    return error;
}

static void open_fixture(struct engine_fixture *f) {
    store = fixture_store();
    noting_engine = *store->engine;
    inner_get_many = noting_engine.get_many;
    noting_engine.get_many = noting_get_many;
    noting_engine.reclaim = noting_reclaim;
    store->engine = &noting_engine;
    atomic_store(&reclaim_waits, false);
    atomic_store(&reclaimed, 0);
    atomic_store(&read_most, 0);
    fixture_clock.now_ms = START_MS;
    struct engine_options options = fixture_options(store);
    options.clock = &fixture_clock.clock;
    assert_null(fixture_open_with(f, &options));
    assert_null(fixture_create_indexed(f, "T"));
}

static uint32_t id_of(struct engine_fixture *f, const char *table) {
    return fixture_table(f, table)->definition.id;
}

static const struct table_definition *definition_of(struct engine_fixture *f, const char *table) {
    return &fixture_table(f, table)->definition;
}

/* ---- items ---- */

#define KEY(sk) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}}"
#define ITEM(sk, n)                                                                              \
    "{\"g\":{\"S\":\"g" n "\"},\"l\":{\"N\":\"" n "\"},\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk \
    "\"}}"

static void assert_item(struct engine_fixture *f, const char *table, const char *key,
                        const char *expected) {
    const char *found;
    assert_null(fixture_get(f, table, key, &found));
    assert_string_equal(found, expected);
}

enum { LARGE_ITEMS = 60, LARGE_BYTES = 20000 };

/* So many that a copy takes several steps. */
static void put_large_items(struct engine_fixture *f) {
    static char text[LARGE_BYTES + 1];
    memset(text, 'z', LARGE_BYTES);
    for (int i = 0; i < LARGE_ITEMS; i++) {
        struct slice json = arena_printf(
            &f->arena, "{\"pk\":{\"S\":\"large\"},\"sk\":{\"S\":\"%02d\"},\"z\":{\"S\":\"%s\"}}", i,
            text);
        assert_null(fixture_put(f, "T", (const char *)json.data));
    }
}

/* The only table left has indexes, collections and statistics that fit its items. */
static void assert_sound(struct engine_fixture *f, const char *table) {
    const char *problem = index_difference_from_items(f, store, table);
    if (problem != NULL)
        fail_msg("%s", problem);
}

/* ---- history ---- */

static void history_is_kept_only_when_wanted(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    assert_null(fixture_put(&f, "T", ITEM("a", "1")));
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, 0), 0);
    assert_null(backup_recovery(&f, "T", 35));
    assert_true(definition_of(&f, "T")->pitr_since_ms == START_MS);
    assert_null(fixture_put(&f, "T", ITEM("a", "2")));
    assert_null(fixture_put(&f, "T", ITEM("a", "2"))); /* nothing changes */
    assert_null(fixture_delete(&f, "T", KEY("b")));    /* nothing there */
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, id_of(&f, "T")), 1);
    assert_null(backup_recovery(&f, "T", 0));
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, 0), 0);
    assert_null(fixture_put(&f, "T", ITEM("a", "3")));
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, 0), 0);
    fixture_close(&f);
}

/* The room of the old history is given back when there is a new one already. */
static void history_that_begins_again_stays(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    assert_null(backup_recovery(&f, "T", 35));
    assert_null(fixture_put(&f, "T", ITEM("a", "1")));
    atomic_store(&reclaim_waits, true);
    assert_null(backup_recovery(&f, "T", 0));
    assert_null(backup_recovery(&f, "T", 35));
    fixture_clock.now_ms = START_MS + 1000;
    assert_null(fixture_put(&f, "T", ITEM("a", "2")));
    atomic_store(&reclaim_waits, false);
    while (atomic_load(&reclaimed) == 0)
        engine_time_moved(f.engine);
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, id_of(&f, "T")), 1);
    assert_null(backup_restore_time(&f, "T", START_MS + 500, "R"));
    backup_table_wait(&f, "R");
    assert_item(&f, "R", KEY("a"), ITEM("a", "1"));
    fixture_close(&f);
}

static void every_ms_can_be_restored(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    assert_null(fixture_put(&f, "T", ITEM("a", "1")));
    assert_null(fixture_put(&f, "T", ITEM("b", "1")));
    assert_null(backup_recovery(&f, "T", 35));
    fixture_clock.now_ms = START_MS + 10;
    assert_null(fixture_put(&f, "T", ITEM("a", "2")));
    assert_null(fixture_put(&f, "T", ITEM("a", "3"))); /* in the same ms */
    fixture_clock.now_ms = START_MS + 11;
    assert_null(fixture_delete(&f, "T", KEY("b")));
    assert_null(fixture_put(&f, "T", ITEM("c", "1")));
    assert_null(fixture_delete(&f, "T", KEY("c")));
    assert_null(fixture_put(&f, "T", ITEM("c", "1")));
    fixture_clock.now_ms = START_MS + 20;
    assert_null(backup_restore_time(&f, "T", START_MS + 9, "R9"));
    assert_null(backup_restore_time(&f, "T", START_MS + 10, "R10"));
    /* A change of the ms in which the restore was asked for, after it. */
    assert_null(backup_restore_time_then_put(&f, "T", START_MS + 20, "R20", ITEM("a", "9")));
    backup_table_wait(&f, "R9");
    backup_table_wait(&f, "R10");
    backup_table_wait(&f, "R20");
    assert_item(&f, "R9", KEY("a"), ITEM("a", "1"));
    assert_item(&f, "R9", KEY("b"), ITEM("b", "1"));
    assert_item(&f, "R9", KEY("c"), "absent");
    assert_int_equal(fixture_table(&f, "R9")->stats->item_count, 2);
    assert_item(&f, "R10", KEY("a"), ITEM("a", "3"));
    assert_item(&f, "R10", KEY("b"), ITEM("b", "1"));
    assert_item(&f, "R20", KEY("a"), ITEM("a", "3"));
    assert_item(&f, "R20", KEY("b"), "absent");
    assert_item(&f, "R20", KEY("c"), ITEM("c", "1"));
    assert_item(&f, "T", KEY("a"), ITEM("a", "9"));
    fixture_close(&f);
}

static void definitions_have_history_too(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    assert_null(backup_recovery(&f, "T", 35));
    fixture_clock.now_ms = START_MS + 1000;
    assert_null(index_add(&f, "T"));
    index_wait(&f, "T");
    fixture_clock.now_ms = START_MS + 2000;
    assert_null(index_remove(&f, "T", "by-g"));
    assert_null(backup_restore_time(&f, "T", START_MS + 500, "R1"));
    assert_null(backup_restore_time(&f, "T", START_MS + 1500, "R2"));
    assert_null(backup_restore_time(&f, "T", START_MS + 2000, "R3"));
    backup_table_wait(&f, "R1");
    backup_table_wait(&f, "R2");
    backup_table_wait(&f, "R3");
    assert_true(index_exists(&f, "R1", "by-g") && !index_exists(&f, "R1", "later"));
    assert_true(index_exists(&f, "R2", "by-g") && index_exists(&f, "R2", "later"));
    assert_true(!index_exists(&f, "R3", "by-g") && index_exists(&f, "R3", "later"));
    fixture_close(&f);
}

/* Writes come between the steps of the copy. */
static void a_restore_is_exact_while_the_table_is_written(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    put_large_items(&f);
    assert_null(fixture_put(&f, "T", ITEM("a", "1")));
    assert_null(backup_recovery(&f, "T", 35));
    fixture_clock.now_ms = START_MS + 1000;
    assert_null(backup_restore_time(&f, "T", START_MS + 500, "R"));
    for (int i = 0; i < LARGE_ITEMS; i += 2) {
        struct slice key = arena_printf(
            &f.arena, "{\"pk\":{\"S\":\"large\"},\"sk\":{\"S\":\"%02d\"}}", LARGE_ITEMS - 1 - i);
        assert_null(fixture_delete(&f, "T", (const char *)key.data));
        assert_null(fixture_put(&f, "T", i % 4 == 0 ? ITEM("a", "2") : ITEM("b", "3")));
    }
    backup_table_wait(&f, "R");
    assert_int_equal(fixture_table(&f, "R")->stats->item_count, LARGE_ITEMS + 1);
    assert_item(&f, "R", KEY("a"), ITEM("a", "1"));
    assert_item(&f, "R", KEY("b"), "absent");
    assert_null(backup_recovery(&f, "T", 0));
    assert_null(fixture_drop_table(&f, "T"));
    assert_sound(&f, "R");
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, 0), 0);
    fixture_close(&f);
}

/* What came after the moment is large, and its records in the history are small. */
static void a_restore_undoes_large_inserts_a_few_at_a_time(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    assert_null(backup_recovery(&f, "T", 35));
    fixture_clock.now_ms = START_MS + 1000;
    put_large_items(&f);
    assert_null(backup_restore_time(&f, "T", START_MS + 500, "R"));
    backup_table_wait(&f, "R");
    assert_int_equal(fixture_table(&f, "R")->stats->item_count, 0);
    assert_int_equal(backup_records(&f, store, KEYSPACE_ITEMS, id_of(&f, "R")), 0);
    assert_true(atomic_load(&read_most) < LARGE_ITEMS * LARGE_BYTES / 3);
    fixture_close(&f);
}

static void a_restore_ends_with_its_table(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    put_large_items(&f);
    assert_null(backup_recovery(&f, "T", 35));
    assert_null(backup_restore_time(&f, "T", START_MS, "R"));
    uint32_t id = id_of(&f, "R");
    assert_null(fixture_drop_table(&f, "R"));
    assert_int_equal(backup_records(&f, store, KEYSPACE_ITEMS, id), 0);
    assert_null(backup_recovery(&f, "T", 0));
    assert_null(fixture_drop_table(&f, "T"));
    assert_int_equal(backup_records(&f, store, KEYSPACE_ITEMS, 0), 0);
    assert_int_equal(backup_count(&f), 0);
    fixture_close(&f);
}

/* ---- backups ---- */

static void a_backup_is_of_one_moment(void **state) {
    (void)state;
    struct engine_fixture f;
    struct backup backup;
    open_fixture(&f);
    put_large_items(&f);
    assert_null(fixture_put(&f, "T", ITEM("a", "1")));
    assert_null(backup_take_then_put(&f, "T", "one", ITEM("a", "2"), &backup));
    assert_int_equal(backup.status, BACKUP_CREATING);
    struct error *error = fixture_drop_table(&f, "T"); /* it may be done already */
    if (error != NULL)
        assert_int_equal(error->code, ERROR_RESOURCE_IN_USE);
    if (error != NULL)
        assert_null(fixture_put(&f, "T", ITEM("b", "2")));
    backup_wait(&f, &backup);
    struct backup now = backup_now(&f, (struct backup_id){backup.created_ms, backup.id});
    assert_int_equal(now.item_count, LARGE_ITEMS + 1);
    assert_int_equal(backup_records(&f, store, KEYSPACE_ITEMS, backup.id), LARGE_ITEMS + 1);
    if (error != NULL)
        assert_null(fixture_drop_table(&f, "T"));
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, 0), 0);
    assert_null(backup_restore(&f, &now, "R"));
    backup_table_wait(&f, "R");
    assert_item(&f, "R", KEY("a"), ITEM("a", "1"));
    assert_item(&f, "R", KEY("b"), "absent");
    assert_sound(&f, "R");
    assert_null(backup_drop(&f, &now));
    assert_int_equal(backup_records(&f, store, KEYSPACE_ITEMS, backup.id), 0);
    assert_int_equal(backup_count(&f), 0);
    fixture_close(&f);
}

static struct backup only_backup(struct engine_fixture *f) {
    struct reader reader;
    struct backup_list list;
    struct backup backup;
    assert_null(reader_begin(f->engine, &f->arena, READ_SNAPSHOT, &reader));
    assert_null(backup_list_open(reader.arena, reader.txn, NULL, &list));
    assert_null(backup_list_next(&list, &backup));
    backup_list_close(&list);
    reader_end(&reader);
    return backup;
}

static void a_deleted_table_leaves_a_backup_for_35_days(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    assert_null(fixture_put(&f, "T", ITEM("a", "1")));
    assert_null(backup_recovery(&f, "T", 1));
    uint32_t id = id_of(&f, "T");
    assert_null(fixture_drop_table(&f, "T"));
    struct backup backup = only_backup(&f);
    assert_true(slice_is(backup.name, "T$DeletedTableBackup"));
    assert_int_equal(backup.type, BACKUP_SYSTEM);
    assert_int_equal(backup.id, id);
    assert_int_equal(backup.item_count, 1);
    assert_true(backup.expiry_ms == START_MS + 35 * DAY_MS);
    assert_null(backup_restore(&f, &backup, "R"));
    backup_table_wait(&f, "R");
    assert_item(&f, "R", KEY("a"), ITEM("a", "1"));
    assert_sound(&f, "R");
    fixture_clock.now_ms = START_MS + 35 * DAY_MS - 1;
    engine_time_moved(f.engine);
    assert_null(fixture_put(&f, "R", ITEM("b", "1")));
    assert_int_equal(backup_count(&f), 1);
    fixture_clock.now_ms = START_MS + 35 * DAY_MS;
    engine_time_moved(f.engine);
    while (backup_count(&f) != 0)
        assert_null(fixture_put(&f, "R", ITEM("b", "2")));
    assert_int_equal(backup_records(&f, store, KEYSPACE_ITEMS, id), 0);
    fixture_close(&f);
}

/* ---- trimming ---- */

static void history_goes_with_its_period(void **state) {
    (void)state;
    struct engine_fixture f;
    open_fixture(&f);
    assert_null(backup_recovery(&f, "T", 2));
    uint32_t id = id_of(&f, "T");
    for (int64_t hour = 0; hour < 72; hour += 6) {
        fixture_clock.now_ms = START_MS + hour * DAY_MS / 24;
        assert_null(fixture_put(&f, "T", hour % 12 == 0 ? ITEM("a", "1") : ITEM("a", "2")));
    }
    engine_time_moved(f.engine);
    /* Now is hour 66, and the period begins with hour 18; the step is an hour. */
    int64_t since_ms = START_MS + 18 * DAY_MS / 24;
    while (definition_of(&f, "T")->pitr_since_ms != since_ms)
        engine_time_moved(f.engine);
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, id), 9);
    assert_null(backup_recovery(&f, "T", 1)); /* shorter: from hour 42 */
    since_ms = START_MS + 42 * DAY_MS / 24;
    while (definition_of(&f, "T")->pitr_since_ms != since_ms)
        engine_time_moved(f.engine);
    assert_int_equal(backup_records(&f, store, KEYSPACE_CHANGES, id), 5);
    assert_null(backup_restore_time(&f, "T", since_ms, "R"));
    backup_table_wait(&f, "R");
    assert_item(&f, "R", KEY("a"), ITEM("a", "2"));
    fixture_close(&f);
}

/* ---- memory ---- */

enum { HUGE_ITEMS = 100, HUGE_BYTES = 390000, GROUP_BYTES = 16 * 1024 * 1024 };

static const char *huge_json(struct engine_fixture *f, int number, const char *more) {
    return (const char *)arena_printf(
               &f->arena, "{\"pk\":{\"S\":\"huge\"},\"sk\":{\"S\":\"%03d\"}%s}", number, more)
        .data;
}

/* Deletes are small, but what they delete is read and goes to the history. */
static void a_group_of_deletes_is_as_large_as_what_they_delete(void **state) {
    (void)state;
    struct engine_fixture f;
    static struct item_write writes[HUGE_ITEMS];
    static struct write_job jobs[HUGE_ITEMS];
    struct write_job *group[HUGE_ITEMS];
    open_fixture(&f);
    assert_null(backup_recovery(&f, "T", 35));
    char *more = arena_alloc(&f.arena, HUGE_BYTES);
    memset(more, 'z', HUGE_BYTES);
    memcpy(more, ",\"z\":{\"S\":\"", 11);
    memcpy(more + HUGE_BYTES - 3, "\"}", 3);
    for (int i = 0; i < HUGE_ITEMS; i++)
        assert_null(fixture_put(&f, "T", huge_json(&f, i, more)));
    for (int i = 0; i < HUGE_ITEMS; i++) {
        writes[i] = (struct item_write){.table = fixture_table(&f, "T"),
                                        .kind = WRITE_DELETE,
                                        .key = fixture_item(&f, huge_json(&f, i, ""))};
        item_write_prepare(f.engine, &f.arena, &writes[i]);
        jobs[i] = (struct write_job){.writes = &writes[i], .count = 1};
        group[i] = &jobs[i];
    }
    fixture_write_group(&f, HUGE_ITEMS, group);
    for (int i = 0; i < HUGE_ITEMS; i++)
        assert_true(jobs[i].error == NULL && writes[i].error == NULL);
    assert_int_equal(fixture_table(&f, "T")->stats->item_count, 0);
    assert_true(atomic_load(&read_most) > GROUP_BYTES / 2); /* and not one by one */
    assert_true(atomic_load(&read_most) <= GROUP_BYTES);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history_is_kept_only_when_wanted),
        cmocka_unit_test(history_that_begins_again_stays),
        cmocka_unit_test(every_ms_can_be_restored),
        cmocka_unit_test(definitions_have_history_too),
        cmocka_unit_test(a_restore_is_exact_while_the_table_is_written),
        cmocka_unit_test(a_restore_undoes_large_inserts_a_few_at_a_time),
        cmocka_unit_test(a_restore_ends_with_its_table),
        cmocka_unit_test(a_backup_is_of_one_moment),
        cmocka_unit_test(a_deleted_table_leaves_a_backup_for_35_days),
        cmocka_unit_test(history_goes_with_its_period),
        cmocka_unit_test(a_group_of_deletes_is_as_large_as_what_they_delete),
    };
    return cmocka_run_group_tests_name("recovery", tests, NULL, NULL);
}
