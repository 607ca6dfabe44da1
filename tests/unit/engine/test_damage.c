/* test_damage.c - bits that change in memory, in every record of a store that has a checksum: what
 * is read is right, or an error that tells the table, and is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/backup_fixture.h"
#include "support/index_fixture.h"
#include "support/stream_fixture.h"

static struct engine_fixture f;
static struct store *store;

#define KEY "{\"pk\":{\"S\":\"a\"},\"sk\":{\"S\":\"b\"}}"
#define ITEM                                                                              \
    "{\"g\":{\"S\":\"g\"},\"l\":{\"N\":\"1\"},\"pk\":{\"S\":\"a\"},\"sk\":{\"S\":\"b\"}," \
    "\"x\":{\"S\":\"some\"}}"

static int set_up(void **state) {
    (void)state;
    store = fixture_store();
    assert_null(fixture_open(&f, store));
    assert_null(fixture_create_indexed(&f, "t"));
    assert_null(fixture_set_stream(&f, "t", STREAM_NEW_AND_OLD));
    assert_null(fixture_put(&f, "t", ITEM));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fixture_close(&f);
    return 0;
}

/* The n-th record of a keyspace where the store has it; absent: there are fewer. */
static struct slice record_in_place(uint8_t keyspace, size_t n) {
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range all = {keyspace, SLICE_NONE, SLICE_NONE};
    struct slice key, value = SLICE_NONE;
    bool found = true;
    assert_null(store_begin(store, &f.arena, STORE_READ, &txn));
    assert_null(store_scan_open(txn, &all, false, &scan));
    for (size_t i = 0; i <= n && found; i++)
        assert_null(store_scan_next(scan, &found, &key, &value));
    store_scan_close(scan);
    store_end(txn);
    return found ? value : SLICE_NONE;
}

static void flip(struct slice record, size_t bit) {
    ((uint8_t *)(uintptr_t)record.data)[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

/* Told with the table, and counted once. */
static void assert_damage(const struct error *error) {
    static uint64_t seen;
    uint64_t found = engine_damage_found(f.engine);
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_LOCAL);
    assert_true(slice_starts_with(error->message, SLICE_LITERAL("data is damaged: table t at 0")));
    assert_true(found == seen + 1 || found == 1); /* of a new engine */
    seen = found;
}

/* ---- what is in the store ---- */

static struct error *get(void) {
    const char *json = NULL;
    struct error *error = fixture_get(&f, "t", KEY, &json);
    if (error == NULL)
        assert_string_equal(json, ITEM);
    return error;
}

static void an_item_is_right_or_an_error(void **state) {
    (void)state;
    struct slice record = record_in_place(KEYSPACE_ITEMS, 0);
    for (size_t bit = 0; bit < 8 * record.len; bit++) {
        struct arena_mark mark = arena_mark(&f.arena);
        flip(record, bit);
        assert_damage(get());
        flip(record, bit);
        assert_null(get());
        arena_rewind(&f.arena, mark);
    }
}

static void nothing_is_made_of_a_damaged_item(void **state) {
    (void)state;
    struct slice record = record_in_place(KEYSPACE_ITEMS, 0);
    flip(record, 8 * record.len - 1);
    assert_damage(fixture_update(&f, "t", KEY, "SET y = x", NULL, NULL));
    assert_damage(fixture_put(&f, "t", KEY));
    assert_damage(fixture_delete(&f, "t", KEY));
    flip(record, 8 * record.len - 1);
    assert_null(get());
    assert_null(fixture_update(&f, "t", KEY, "SET y = x", NULL, NULL));
}

/* Reads the first entry of an index; *ret_text is what it has. */
static struct error *first_entry(const struct table_index *index, const char **ret_text) {
    struct read_range range = {.table = fixture_table(&f, "t"), .index = index};
    struct reader reader;
    struct cursor cursor;
    struct stored_item item;
    assert_null(reader_begin(f.engine, &f.arena, READ_SNAPSHOT, &reader));
    assert_null(cursor_open(&reader, &range, &cursor));
    struct error *error = cursor_next(&cursor, &item);
    if (error == NULL)
        *ret_text = fixture_json(&f, item.item);
    cursor_close(&cursor);
    reader_end(&reader);
    return error;
}

/* Whatever they project; entries of the table's first index come first. */
static void an_index_entry_is_right_or_an_error(void **state) {
    (void)state;
    const struct table_definition *table = &fixture_table(&f, "t")->definition;
    size_t tried = 0;
    for (size_t n = 0; slice_present(record_in_place(KEYSPACE_INDEXES, n)); n++) {
        struct slice record = record_in_place(KEYSPACE_INDEXES, n);
        if (record.data[0] != SUMMED_VERSION)
            continue; /* an item collection */
        const struct table_index *index = &table->indexes[tried++];
        const char *right = NULL, *text = NULL;
        assert_null(first_entry(index, &right));
        for (size_t bit = 0; bit < 8 * record.len; bit++) {
            flip(record, bit);
            assert_damage(first_entry(index, &text));
            flip(record, bit);
        }
        assert_null(first_entry(index, &text));
        assert_string_equal(text, right);
    }
    assert_int_equal(tried, 2);
}

static struct error *first_change(const struct stream_definition *stream) {
    struct error *error = NULL;
    struct reader reader;
    assert_null(reader_begin(f.engine, &f.arena, READ_SNAPSHOT, &reader));
    for (uint8_t shard = 0; shard < stream->shards && error == NULL; shard++) {
        struct stream_cursor cursor;
        struct stream_record record;
        uint64_t number;
        assert_null(stream_cursor_open(&reader, stream, (struct stream_shard){0, shard}, 0,
                                       UINT64_MAX - 1, &cursor));
        error = stream_cursor_next(&cursor, &number, &record);
        stream_cursor_close(&cursor);
    }
    reader_end(&reader);
    return error;
}

static void a_change_is_right_or_an_error(void **state) {
    (void)state;
    struct stream_definition stream = stream_of(&f, "t");
    struct slice record = record_in_place(KEYSPACE_CHANGES, 0);
    for (size_t bit = 0; bit < 8 * record.len; bit++) {
        flip(record, bit);
        assert_damage(first_change(&stream));
        flip(record, bit);
    }
    assert_null(first_change(&stream));
}

/* Until somebody has found something. */
static void wait_for_damage(void) {
    for (int turns = 0; engine_damage_found(f.engine) == 0; fixture_pause(&f, &turns)) {
    }
}

/* They wait for better times: nothing is made of what is damaged, and nothing is left out. */
static void chores_stop_at_a_damaged_item(void **state) {
    (void)state;
    struct slice record = record_in_place(KEYSPACE_ITEMS, 0);
    flip(record, 8 * record.len - 1);
    assert_null(index_add(&f, "t"));
    wait_for_damage();
    flip(record, 8 * record.len - 1);
    index_wait(&f, "t");
    assert_null(index_difference_from_items(&f, store, "t"));
}

static void a_copy_stops_at_a_damaged_item(void **state) {
    (void)state;
    struct backup backup;
    struct slice record = record_in_place(KEYSPACE_ITEMS, 0);
    flip(record, 8 * record.len - 1);
    assert_null(backup_take(&f, "t", "backup", &backup));
    wait_for_damage();
    flip(record, 8 * record.len - 1);
    backup_wait(&f, &backup);
    assert_null(backup_restore(&f, &backup, "u"));
    backup_table_wait(&f, "u");
    const char *json = NULL;
    assert_null(fixture_get(&f, "u", KEY, &json));
    assert_string_equal(json, ITEM);
}

/* ---- what is on its way there ---- */

static void an_item_that_changes_while_it_waits_is_not_written(void **state) {
    (void)state;
    struct item_write write = {.table = fixture_table(&f, "t"), .kind = WRITE_PUT};
    struct write_job job = {.writes = &write, .count = 1, .arena = &f.arena};
    write.item = fixture_item(&f, "{\"pk\":{\"S\":\"a\"},\"sk\":{\"S\":\"new\"}}");
    item_write_prepare(f.engine, &f.arena, &write);
    flip(write.stored, 8 * write.stored.len - 3);
    assert_null(fixture_write_job(&f, &job));
    assert_damage(write.error);
    assert_false(slice_present(record_in_place(KEYSPACE_ITEMS, 1)));
    flip(write.stored, 8 * write.stored.len - 3);
    assert_null(fixture_write_job(&f, &job));
    assert_null(write.error);
    assert_true(slice_present(record_in_place(KEYSPACE_ITEMS, 1)));
}

/* ---- what was written before there were checksums ---- */

/* Puts the only item there as it was written then. */
static void make_old(void) {
    struct store_txn *txn;
    struct store_key key = {KEYSPACE_ITEMS, SLICE_NONE};
    struct slice value;
    struct store_scan *scan;
    struct store_range all = {KEYSPACE_ITEMS, SLICE_NONE, SLICE_NONE};
    bool found;
    enum store_outcome outcome;
    assert_null(store_begin(store, &f.arena, STORE_WRITE, &txn));
    assert_null(store_scan_open(txn, &all, false, &scan));
    assert_null(store_scan_next(scan, &found, &key.key, &value));
    key.key = arena_slice(&f.arena, key.key);
    uint8_t *old = arena_copy(&f.arena, value.data + SUMMED_HEADER - UNSUMMED_HEADER,
                              value.len - SUMMED_HEADER + UNSUMMED_HEADER);
    old[0] = UNSUMMED_VERSION;
    store_scan_close(scan);
    store_put(txn, &key, slice_of(old, value.len - SUMMED_HEADER + UNSUMMED_HEADER));
    assert_null(store_commit(txn, STORE_DURABLE, &outcome));
    store_end(txn);
}

static size_t change_count(void) {
    size_t records, streams;
    streams_stored(store, &records, &streams);
    return records;
}

static void items_without_checksums_get_them(void **state) {
    (void)state;
    make_old();
    assert_null(get());
    assert_null(fixture_put(&f, "t", ITEM)); /* the same: nothing changes, nothing is told */
    assert_int_equal(record_in_place(KEYSPACE_ITEMS, 0).data[0], UNSUMMED_VERSION);
    assert_int_equal(change_count(), 1);
    assert_null(fixture_update(&f, "t", KEY, "SET y = x", NULL, NULL));
    assert_int_equal(record_in_place(KEYSPACE_ITEMS, 0).data[0], SUMMED_VERSION);
    assert_int_equal(change_count(), 2);
    assert_null(index_difference_from_items(&f, store, "t"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_item_is_right_or_an_error),
        TEST(nothing_is_made_of_a_damaged_item),
        TEST(an_index_entry_is_right_or_an_error),
        TEST(a_change_is_right_or_an_error),
        TEST(chores_stop_at_a_damaged_item),
        TEST(a_copy_stops_at_a_damaged_item),
        TEST(an_item_that_changes_while_it_waits_is_not_written),
        TEST(items_without_checksums_get_them),
    };
    return cmocka_run_group_tests_name("engine_damage", tests, NULL, NULL);
}
