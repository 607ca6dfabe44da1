/* test_check.c - a check of a store: what an engine leaves is sound at any moment, and each kind of
 * disagreement that is planted is found, with its place. What is salvaged of one is sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/container.h"
#include "codec/backup.h"
#include "codec/catalog_keys.h"
#include "codec/collection.h"
#include "codec/history.h"
#include "codec/item.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "codec/stream.h"
#include "engine/check.h"
#include "engine/salvage.h"
#include "support/backup_fixture.h"
#include "support/expiry_fixture.h"
#include "support/index_fixture.h"
#include "support/shared_store.h"
#include "support/transaction_fixture.h"

/* ---- what a check tells ---- */

struct listener {
    struct check_observer base;
    struct arena arena;
    struct slice text; /* the faults, a line for each */
};

static void listen(struct check_observer *base, struct slice text) {
    struct listener *listener = container_of(base, struct listener, base);
    listener->text =
        arena_printf(&listener->arena, "%.*s%.*s\n", SLICE_ARGS(listener->text), SLICE_ARGS(text));
}

static void ignore(struct check_observer *base, uint64_t records, uint64_t bytes) {
    (void)base, (void)records, (void)bytes;
}

static struct listener listener;

/* The faults of a store. */
static const char *check(struct store *store, struct check_summary *ret_summary) {
    arena_reset(&listener.arena);
    listener.base = (struct check_observer){listen, ignore};
    listener.text = SLICE_LITERAL("");
    engine_check(&listener.arena, store, &listener.base, ret_summary);
    return (const char *)arena_printf(&listener.arena, "%.*s", SLICE_ARGS(listener.text)).data;
}

static void assert_sound(struct store *store) {
    struct check_summary summary;
    const char *faults = check(store, &summary);
    if (summary.faults != 0)
        fail_msg("%s", faults);
}

/* ---- a store with everything in it ---- */

static struct movable_clock clock_of_test;

/* Table T with its indexes, expiries, a stream, history, a backup and a token; a table U that is
 * being restored; and what is left of one that is gone. */
static struct store *full_store(void) {
    struct engine_fixture f;
    struct backup backup;
    struct store *mine = shared_store_new(fixture_store());
    struct engine_options options = expiry_options(shared_store_again(mine), &clock_of_test);
    assert_null(fixture_open_with(&f, &options));
    assert_null(fixture_create_indexed(&f, "T"));
    assert_null(fixture_create_table(&f, "Gone", VALUE_NONE));
    assert_null(fixture_set_stream(&f, "T", STREAM_NEW_AND_OLD));
    assert_null(backup_recovery(&f, "T", 3));
    assert_null(expiry_set(&f, "T", "ends"));
    expiry_wait_built(&f, "T");
    for (unsigned n = 0; n < 40; n++) {
        struct slice json =
            arena_printf(&f.arena,
                         "{\"pk\":{\"S\":\"p%u\"},\"sk\":{\"S\":\"%u\"},\"g\":{\"S\":\"g%u\"},"
                         "\"l\":{\"N\":\"%u\"},"
                         "\"ends\":{\"N\":\"3000000000\"},\"x\":{\"S\":\"some text\"}}",
                         n % 7, n, n % 3, n);
        assert_null(fixture_put(&f, "T", (const char *)json.data));
    }
    assert_null(fixture_delete(&f, "T", "{\"pk\":{\"S\":\"p0\"},\"sk\":{\"S\":\"7\"}}"));
    assert_null(backup_take(&f, "T", "a-backup", &backup));
    backup_wait(&f, &backup);
    assert_null(backup_restore(&f, &backup, "U"));
    backup_table_wait(&f, "U");
    assert_null(fixture_drop_table(&f, "Gone"));
    fixture_close(&f);
    return mine;
}

static struct store *store;
static struct arena arena;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    arena_init(&listener.arena);
    store = full_store();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    store_close(store);
    arena_release(&listener.arena);
    arena_release(&arena);
    return 0;
}

/* ---- planting ---- */

static struct slice keep(struct slice bytes) {
    return slice_present(bytes) ? arena_slice(&arena, bytes) : SLICE_NONE;
}

static struct slice get(uint8_t keyspace, struct slice key) {
    struct store_txn *txn;
    struct slice value;
    struct store_key at = {keyspace, key};
    assert_null(store_begin(store, &arena, STORE_READ, &txn));
    assert_null(store_get(txn, &at, &value));
    value = keep(value);
    store_end(txn);
    return value;
}

/* An absent value deletes. */
static void set(uint8_t keyspace, struct slice key, struct slice value) {
    struct store_txn *txn;
    enum store_outcome outcome;
    struct store_key at = {keyspace, key};
    assert_null(store_begin(store, &arena, STORE_WRITE, &txn));
    if (slice_present(value))
        store_put(txn, &at, value);
    else
        store_delete(txn, &at);
    assert_null(store_commit(txn, STORE_RELAXED, &outcome));
    store_end(txn);
}

/* The first record of an id. */
static struct slice first_of(uint8_t keyspace, uint32_t id) {
    struct key_range keys = key_range_of_table(&arena, id);
    struct store_range range = {keyspace, keys.first, keys.last};
    struct store_txn *txn;
    struct store_scan *scan;
    struct slice key, value;
    bool found;
    assert_null(store_begin(store, &arena, STORE_READ, &txn));
    assert_null(store_scan_open(txn, &range, false, &scan));
    assert_null(store_scan_next(scan, &found, &key, &value));
    assert_true(found);
    key = keep(key);
    store_scan_close(scan);
    store_end(txn);
    return key;
}

/* With another value there, exactly one of the faults, or the only one, is `wanted`. */
static void assert_found(uint8_t keyspace, struct slice key, struct slice value,
                         const char *wanted) {
    struct check_summary summary;
    struct slice before = get(keyspace, key);
    set(keyspace, key, value);
    const char *faults = check(store, &summary);
    if (strstr(faults, wanted) == NULL)
        fail_msg("not told: %s\nbut: %s", wanted, faults);
    set(keyspace, key, before);
    assert_sound(store);
}

/* With a checksum that is right, again. */
static struct slice sealed(struct slice record) {
    return summed_seal((uint8_t *)(uintptr_t)record.data, record.len);
}

/* ---- ids, as the check itself tells them ---- */

static uint32_t id_of(const char *kind, const char *name, const char *part) {
    struct check_summary summary;
    check(store, &summary);
    for (size_t i = 0; i < summary.range_count; i++) {
        const struct check_range *range = &summary.ranges[i];
        if (strcmp(range->kind, kind) == 0 && slice_is(range->name, name) &&
            (part == NULL || slice_is(range->part, part)))
            return range->id;
    }
    fail_msg("there is no %s %s", kind, name);
    return 0;
}

static struct slice item_key(void) {
    return first_of(KEYSPACE_ITEMS, id_of("table", "T", NULL));
}

/* ---- tests ---- */

static void counts_what_is_there(void **state) {
    (void)state;
    struct check_summary summary;
    assert_string_equal(check(store, &summary), "");
    assert_int_equal(summary.faults, 0);
    assert_int_equal(summary.records[KEYSPACE_ITEMS], 3 * 39);
    int tables = 0;
    for (size_t i = 0; i < summary.range_count; i++) {
        const struct check_range *range = &summary.ranges[i];
        bool stream = strcmp(range->kind, "stream") == 0;
        assert_int_equal(range->found.items, stream ? 41 : 39);
        tables += strcmp(range->kind, "table") == 0;
        if (strcmp(range->kind, "table") == 0)
            assert_int_equal(range->history, slice_is(range->name, "T") ? 41 : 0);
    }
    assert_int_equal(tables, 2);
}

static void items_and_indexes_are_compared(void **state) {
    (void)state;
    struct slice entry = first_of(KEYSPACE_INDEXES, id_of("index", "T", "by-g"));
    struct slice local = first_of(KEYSPACE_INDEXES, id_of("index", "T", "by-l"));
    struct slice key = item_key(), item = get(KEYSPACE_ITEMS, key);
    assert_found(KEYSPACE_INDEXES, entry, SLICE_NONE, "it has no entry in index by-g\n");
    assert_found(KEYSPACE_INDEXES, local, SLICE_NONE, "it has no entry in index by-l\n");
    assert_found(KEYSPACE_ITEMS, key, SLICE_NONE, "index by-g, entry {pk: \"p");
    assert_found(KEYSPACE_ITEMS, key, SLICE_NONE, "its item is not there\n");
    /* An entry that has another attribute than its item. */
    struct slice changed = keep(get(KEYSPACE_INDEXES, entry));
    uint8_t *text = memmem((void *)(uintptr_t)changed.data, changed.len, "some text", 9);
    assert_non_null(text);
    text[0] = 'S';
    assert_found(KEYSPACE_INDEXES, entry, sealed(changed),
                 "its entry in index by-g is not what follows from it\n");
    /* One of before there were checksums is the same entry. */
    struct slice good = get(KEYSPACE_INDEXES, entry);
    uint8_t *old = arena_copy(&arena, good.data + SUMMED_HEADER - UNSUMMED_HEADER,
                              good.len - SUMMED_HEADER + UNSUMMED_HEADER);
    old[0] = UNSUMMED_VERSION;
    set(KEYSPACE_INDEXES, entry, slice_of(old, good.len - SUMMED_HEADER + UNSUMMED_HEADER));
    assert_sound(store);
    /* An item that has left an index, without its entry. */
    changed = keep(item);
    text = memmem((void *)(uintptr_t)changed.data, changed.len, "\x01g\x01\x02", 4);
    assert_non_null(text);
    text[1] = 'h';
    assert_found(KEYSPACE_ITEMS, key, sealed(changed),
                 "its item belongs elsewhere in the index, or not at all\n");
}

static void expiries_are_compared(void **state) {
    (void)state;
    struct slice expiry = first_of(KEYSPACE_INDEXES, id_of("expiries", "T", NULL));
    struct slice other = keep(expiry);
    assert_found(KEYSPACE_INDEXES, expiry, SLICE_NONE, "it has no expiry\n");
    ((uint8_t *)(uintptr_t)other.data)[11] ^= 1;
    assert_found(KEYSPACE_INDEXES, other, SLICE_LITERAL(""), "its item does not expire then\n");
    other = keep(expiry);
    ((uint8_t *)(uintptr_t)other.data)[20] ^= 1;
    assert_found(KEYSPACE_INDEXES, other, SLICE_LITERAL(""), "its item is not there\n");
}

static void collections_are_summed_up(void **state) {
    (void)state;
    struct slice collection = keep(key_partition(item_key()));
    assert_found(KEYSPACE_INDEXES, collection, SLICE_NONE, "its record says 0 bytes, and it has ");
    assert_found(KEYSPACE_INDEXES, collection, collection_encode(&arena, 5),
                 "its record says 5 bytes, and it has ");
    ((uint8_t *)(uintptr_t)collection.data)[8] ^= 1;
    assert_found(KEYSPACE_INDEXES, collection, collection_encode(&arena, 5), "it has no items\n");
}

static void statistics_are_counted(void **state) {
    (void)state;
    static const char *const parts[][3] = {{"table", "T", NULL},
                                           {"index", "T", "by-g"},
                                           {"index", "U", "by-l"},
                                           {"expiries", "T", NULL}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        struct slice key = statistics_key(&arena, id_of(parts[i][0], parts[i][1], parts[i][2]));
        assert_found(KEYSPACE_CATALOG, key, statistics_encode(&arena, 38, 5),
                     "its statistics say 38 of 5 bytes, and there are 39 of ");
        assert_found(KEYSPACE_CATALOG, key, SLICE_NONE, "its statistics are missing\n");
    }
}

/* Where several servers write, each has counted its part, and has numbers of its own. */
static void parts_are_added_up(void **state) {
    (void)state;
    uint32_t table = id_of("table", "T", NULL);
    struct slice whole = statistics_key(&arena, table), one = part_statistics_key(&arena, table, 1);
    struct slice two = part_statistics_key(&arena, table, 15),
                 number = part_sequence_key(&arena, 2);
    struct slice before = keep(get(KEYSPACE_CATALOG, whole));
    int64_t items, bytes;
    assert_null(statistics_decode(&arena, before, &items, &bytes));
    assert_found(KEYSPACE_CATALOG, one, before,
                 "one server writes to this store, and it is another's\n");
    assert_found(KEYSPACE_CATALOG, number, sequence_encode(&arena, 1),
                 "one server writes to this store, and it is another's\n");
    store->groups = 4;
    set(KEYSPACE_CATALOG, whole, statistics_encode(&arena, -3, -100));
    set(KEYSPACE_CATALOG, one, statistics_encode(&arena, items, bytes + 50));
    set(KEYSPACE_CATALOG, two, statistics_encode(&arena, 3, 50));
    assert_sound(store);
    assert_found(KEYSPACE_CATALOG, one, SLICE_NONE, "its statistics say 0 of -50 bytes, and ");
    assert_found(KEYSPACE_CATALOG, two, statistics_encode(&arena, 4, 50),
                 "its statistics say 40 of ");
    assert_found(KEYSPACE_CATALOG, whole, SLICE_NONE, "its statistics are missing\n");
    /* The last number is the largest of all. */
    struct slice last = keep(get(KEYSPACE_CATALOG, sequence_key()));
    set(KEYSPACE_CATALOG, number, last);
    set(KEYSPACE_CATALOG, sequence_key(), sequence_encode(&arena, 1));
    assert_sound(store);
    assert_found(KEYSPACE_CATALOG, number, sequence_encode(&arena, 2),
                 "it has a number that no change has had yet\n");
    set(KEYSPACE_CATALOG, sequence_key(), last);
    set(KEYSPACE_CATALOG, whole, before);
    set(KEYSPACE_CATALOG, one, SLICE_NONE);
    set(KEYSPACE_CATALOG, two, SLICE_NONE);
    set(KEYSPACE_CATALOG, number, SLICE_NONE);
    store->groups = 1;
    assert_sound(store);
}

static void backups_are_counted(void **state) {
    (void)state;
    struct slice item = first_of(KEYSPACE_ITEMS, id_of("backup", "a-backup", NULL));
    assert_found(KEYSPACE_ITEMS, item, SLICE_NONE, "backup a-backup: it says it has 39 of ");
}

static void changes_stand_where_they_belong(void **state) {
    (void)state;
    uint32_t stream = id_of("stream", "T", NULL), table = id_of("table", "T", NULL);
    struct slice record = first_of(KEYSPACE_CHANGES, stream), other = keep(record);
    ((uint8_t *)(uintptr_t)other.data)[8] ^= 1;
    assert_found(KEYSPACE_CHANGES, other, get(KEYSPACE_CHANGES, record),
                 "it stands in another shard than that of its item and time\n");
    other = stream_record_key(&arena, stream, (struct stream_shard){0, 0}, UINT64_MAX);
    assert_found(KEYSPACE_CHANGES, other, get(KEYSPACE_CHANGES, record),
                 "it has a number that no change has had yet\n");
    record = first_of(KEYSPACE_CHANGES, table);
    assert_found(KEYSPACE_CHANGES, history_key(&arena, table, UINT64_MAX),
                 get(KEYSPACE_CHANGES, record), "history, change 18446744073709551615: ");
    assert_found(KEYSPACE_CATALOG, sequence_key(), sequence_encode(&arena, 1),
                 "it has a number that no change has had yet\n");
}

static void the_catalog_is_followed(void **state) {
    (void)state;
    struct slice cursor = backfill_key(&arena, id_of("index", "T", "by-g"));
    assert_found(KEYSPACE_CATALOG, cursor, item_key(), "nothing with this id is being filled\n");
    assert_found(KEYSPACE_CATALOG, table_key(&arena, SLICE_LITERAL("T")), SLICE_LITERAL("\x09"),
                 "catalog, record T T: ");
    assert_found(KEYSPACE_CATALOG, format_key(), SLICE_NONE, "no format record");
}

static void damaged_records_are_told_with_their_place(void **state) {
    (void)state;
    struct slice key = item_key(), item = keep(get(KEYSPACE_ITEMS, key));
    assert_found(KEYSPACE_ITEMS, key, slice_of(item.data, item.len - 1), "table T, item 0000");
    assert_found(KEYSPACE_ITEMS, key, slice_of(item.data, item.len - 1),
                 ": its checksum is wrong, or its version\n");
    struct slice other = keep(key);
    ((uint8_t *)(uintptr_t)other.data)[key.len - 1] ^= 1;
    assert_found(KEYSPACE_ITEMS, other, item, "its key is not that of the item\n");
}

static void what_is_left_of_the_dead_is_no_fault(void **state) {
    (void)state;
    struct check_summary summary;
    struct slice key = keep(item_key());
    struct slice item = get(KEYSPACE_ITEMS, key);
    store_u32_be((uint8_t *)(uintptr_t)key.data, 9999);
    set(KEYSPACE_ITEMS, key, item);
    assert_string_equal(check(store, &summary), "");
    assert_int_equal(summary.left_over, 1);
}

/* ---- salvaging ---- */

struct loss_listener {
    struct salvage_observer base;
    struct slice text;
};

static void listen_to_losses(struct salvage_observer *base, struct slice text) {
    struct loss_listener *losses = container_of(base, struct loss_listener, base);
    losses->text = arena_printf(&arena, "%.*s%.*s\n", SLICE_ARGS(losses->text), SLICE_ARGS(text));
}

static void take_all(struct salvaging *salvaging, uint8_t keyspace) {
    struct store_range all = {keyspace, SLICE_NONE, SLICE_NONE};
    struct store_txn *txn;
    struct store_scan *scan;
    struct slice key, value;
    bool found;
    assert_null(salvaging_next(salvaging, keyspace));
    assert_null(store_begin(store, &arena, STORE_READ, &txn));
    assert_null(store_scan_open(txn, &all, false, &scan));
    for (;;) {
        assert_null(store_scan_next(scan, &found, &key, &value));
        if (!found)
            break;
        assert_null(salvaging_take(salvaging, key, value));
    }
    store_scan_close(scan);
    store_end(txn);
}

/* What was lost; the new store is sound. */
static const char *salvage(bool partial, struct salvage_totals *ret_totals,
                           struct check_summary *ret_summary) {
    struct store *made = fixture_store();
    struct loss_listener losses = {{listen_to_losses}, SLICE_LITERAL("")};
    struct salvaging *salvaging;
    salvaging_begin(&arena, made, &losses.base, EXPIRY_NOW * 1000, &salvaging);
    take_all(salvaging, KEYSPACE_CATALOG);
    take_all(salvaging, KEYSPACE_ITEMS);
    take_all(salvaging, KEYSPACE_CHANGES);
    assert_null(salvaging_end(salvaging, partial, ret_totals));
    salvaging_free(salvaging);
    const char *faults = check(made, ret_summary);
    if (ret_summary->faults != 0)
        fail_msg("%s", faults);
    store_close(made);
    return (const char *)arena_printf(&arena, "%.*s", SLICE_ARGS(losses.text)).data;
}

static void a_sound_store_is_salvaged_whole(void **state) {
    (void)state;
    struct salvage_totals totals;
    struct check_summary before, after;
    check(store, &before);
    assert_string_equal(salvage(false, &totals, &after), "");
    assert_int_equal(totals.tables, 2);
    assert_int_equal(totals.items, before.records[KEYSPACE_ITEMS]);
    for (size_t i = 0; i < KEYSPACE_COUNT; i++)
        assert_int_equal(after.records[i], before.records[i]);
    assert_int_equal(after.range_count, before.range_count);
}

static void what_is_lost_is_told(void **state) {
    (void)state;
    struct salvage_totals totals;
    struct check_summary after;
    struct slice key = item_key(), item = get(KEYSPACE_ITEMS, key);
    set(KEYSPACE_ITEMS, key, slice_of(item.data, item.len - 1));
    const char *lost = salvage(false, &totals, &after);
    assert_non_null(strstr(lost, "table T, item 0000"));
    assert_non_null(strstr(lost, "history: 41 changes, since some may be missing"));
    assert_int_equal(totals.items, 3 * 39 - 1);
    set(KEYSPACE_ITEMS, key, item);
}

static void what_depends_on_the_lost_goes_too(void **state) {
    (void)state;
    struct salvage_totals totals;
    struct check_summary after;
    uint32_t id = id_of("stream", "T", NULL);
    struct slice stream = SLICE_NONE;
    struct key_range range = stream_definition_key_range(&arena);
    struct store_txn *txn;
    struct store_scan *scan;
    struct slice key, value;
    bool found;
    assert_null(store_begin(store, &arena, STORE_READ, &txn));
    assert_null(store_scan_open(
        txn, &(struct store_range){KEYSPACE_CATALOG, range.first, range.last}, false, &scan));
    assert_null(store_scan_next(scan, &found, &key, &value));
    assert_true(found && id != 0);
    stream = keep(key);
    store_scan_close(scan);
    store_end(txn);
    /* The stream's definition, then a backup's item, then the last number. */
    struct slice before = get(KEYSPACE_CATALOG, stream);
    set(KEYSPACE_CATALOG, stream, SLICE_NONE);
    assert_non_null(
        strstr(salvage(true, &totals, &after), "table T: its stream is lost, and is off"));
    set(KEYSPACE_CATALOG, stream, before);
    key = first_of(KEYSPACE_ITEMS, id_of("backup", "a-backup", NULL));
    before = get(KEYSPACE_ITEMS, key);
    set(KEYSPACE_ITEMS, key, SLICE_NONE);
    assert_non_null(
        strstr(salvage(true, &totals, &after), "backup a-backup: it had 39 items, and has 38"));
    set(KEYSPACE_ITEMS, key, before);
    before = get(KEYSPACE_CATALOG, sequence_key());
    set(KEYSPACE_CATALOG, sequence_key(), SLICE_NONE);
    assert_string_equal(salvage(false, &totals, &after), "");
    set(KEYSPACE_CATALOG, sequence_key(), before);
    /* A table: its stream has ended, its items are left over. */
    key = table_key(&arena, SLICE_LITERAL("T"));
    before = get(KEYSPACE_CATALOG, key);
    set(KEYSPACE_CATALOG, key, SLICE_NONE);
    salvage(true, &totals, &after);
    assert_int_equal(totals.tables, 1);
    assert_int_equal(totals.left_over, 39 + 41);
    set(KEYSPACE_CATALOG, key, before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_there),
        cmocka_unit_test(items_and_indexes_are_compared),
        cmocka_unit_test(expiries_are_compared),
        cmocka_unit_test(collections_are_summed_up),
        cmocka_unit_test(statistics_are_counted),
        cmocka_unit_test(parts_are_added_up),
        cmocka_unit_test(backups_are_counted),
        cmocka_unit_test(changes_stand_where_they_belong),
        cmocka_unit_test(the_catalog_is_followed),
        cmocka_unit_test(damaged_records_are_told_with_their_place),
        cmocka_unit_test(a_sound_store_is_salvaged_whole),
        cmocka_unit_test(what_is_lost_is_told),
        cmocka_unit_test(what_depends_on_the_lost_goes_too),
        cmocka_unit_test(what_is_left_of_the_dead_is_no_fault),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
