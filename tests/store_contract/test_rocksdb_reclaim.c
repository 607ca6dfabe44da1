/* test_rocksdb_reclaim.c - the files of a RocksDB database get smaller when ranges are given back.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "contract.h"
#include "store/rocksdb/library.h"
#include "store/rocksdb/rocksdb.h"

enum { RECORDS = 6000, VALUE_BYTES = 4096, MIB = 1 << 20 };

static struct contract contract;

static int setup(void **state) {
    (void)state;
    struct rocksdb_store_options options = {
        .directory = contract.directory, .create = true, .write_buffer_bytes = 2 * MIB};
    arena_init(&contract.arena);
    directory_make(contract.directory, sizeof(contract.directory));
    must(rocksdb_store_open(&contract.arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                            &contract.store));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    store_close(contract.store);
    directory_remove(contract.directory);
    arena_release(&contract.arena);
    return 0;
}

static uint64_t directory_bytes(void) {
    uint64_t bytes = 0;
    DIR *directory = opendir(contract.directory);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[400];
        struct stat status;
        snprintf(path, sizeof(path), "%s/%s", contract.directory, entry->d_name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_size;
    }
    closedir(directory);
    return bytes;
}

/* Files are removed a little later. */
static void expect_at_most(uint64_t bytes) {
    for (int i = 0; i < 500 && directory_bytes() > bytes; i++)
        usleep(20000);
    assert_in_range(directory_bytes(), 0, bytes);
}

static struct slice number_key(uint8_t *bytes, uint64_t n) {
    store_u64_be(bytes, n);
    return slice_of(bytes, 8);
}

/* Values that do not compress, in the order of their keys, as history is written. */
static void write_records(void) {
    static uint8_t value[VALUE_BYTES];
    uint64_t random = 1;
    for (uint64_t n = 0; n < RECORDS; n++) {
        for (size_t i = 0; i < sizeof(value); i += 8) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            store_u64(value + i, random ^ random >> 29);
        }
        uint8_t key[8];
        struct store_txn *txn = begin(&contract, STORE_WRITE);
        store_put(txn, &(struct store_key){0, number_key(key, n)}, slice_of(value, sizeof(value)));
        commit(txn, STORE_RELAXED);
        arena_reset(&contract.arena);
    }
}

static struct store_range delete_below(uint8_t *end, uint64_t n) {
    struct store_range range = {0, SLICE_LITERAL(""), number_key(end, n)};
    struct store_txn *txn = begin(&contract, STORE_WRITE);
    store_delete_range(txn, &range);
    commit(txn, STORE_RELAXED);
    return range;
}

static uint64_t count_records(void) {
    struct store_txn *txn = begin(&contract, STORE_READ);
    struct store_scan *scan;
    struct store_range all = {0, SLICE_NONE, SLICE_NONE};
    bool found = true;
    uint64_t count = 0;
    must(store_scan_open(txn, &all, false, &scan));
    while (found) {
        struct slice key, value;
        must(store_scan_next(scan, &found, &key, &value));
        count += found;
    }
    store_scan_close(scan);
    store_end(txn);
    return count;
}

static bool reclaim(const struct store_range *range, uint64_t *moment) {
    bool done = false;
    must(store_reclaim(contract.store, &contract.arena, range, moment, &done));
    return done;
}

/* As the engine does it, but more often. */
static void reclaim_all(const struct store_range *range, uint64_t *moment) {
    for (int calls = 0; !reclaim(range, moment); calls++) {
        assert_true(calls < 3000);
        usleep(20000);
    }
}

/* Old records go, in several cuts; a reader of before holds the first one up. */
static void files_go_with_their_range(void **state) {
    (void)state;
    uint8_t end[8];
    write_records();
    uint64_t full = directory_bytes();
    assert_in_range(full, 20 * MIB, 60 * MIB);
    struct store_txn *reader = begin(&contract, STORE_READ);
    uint8_t first[8];
    struct slice value;
    must(store_get(reader, &(struct store_key){0, number_key(first, 0)}, &value));
    assert_true(slice_present(value));
    struct store_range half = delete_below(end, RECORDS / 2);
    uint64_t moment = 0;
    for (int i = 0; i < 5; i++)
        assert_false(reclaim(&half, &moment));
    must(store_get(reader, &(struct store_key){0, number_key(first, RECORDS / 4)}, &value));
    assert_true(slice_present(value));
    store_end(reader);
    assert_false(reclaim(&half, &moment));
    reclaim_all(&half, &moment);
    assert_int_equal(count_records(), RECORDS / 2);
    expect_at_most(full - 6 * MIB);
    struct store_range most = delete_below(end, RECORDS - 10);
    moment = 0;
    assert_false(reclaim(&most, &moment));
    reclaim_all(&most, &moment);
    assert_int_equal(count_records(), 10);
    expect_at_most(2 * MIB);
}

/* ---- what RocksDB refuses ---- */

static void refuse_delete(rocksdb_t *db, rocksdb_column_family_handle_t *family, const char *first,
                          size_t first_len, const char *last, size_t last_len, char **error) {
    (void)db, (void)family, (void)first, (void)first_len, (void)last, (void)last_len;
    *error = strdup("refused");
}

static int know_nothing(rocksdb_t *db, rocksdb_column_family_handle_t *family, const char *name,
                        uint64_t *ret_value) {
    (void)db, (void)family, (void)name, (void)ret_value;
    return -1;
}

static void assert_refused(const struct store_range *range, uint64_t moment) {
    bool done;
    struct error *error = store_reclaim(contract.store, &contract.arena, range, &moment, &done);
    assert_non_null(error);
    assert_true(slice_is(error->message, "The store failed to give back room: refused"));
}

/* Each call that fails is told, and later it is done all the same. */
static void what_is_refused_is_told(void **state) {
    (void)state;
    const struct rocksdb_library real = rocks;
    uint8_t end[8];
    struct store_range range = delete_below(end, 256); /* its last byte is 0 */
    uint64_t moment = 0, half = UINT64_C(1) << 63;
    rocks.property_int_cf = know_nothing; /* there may be a reader of before */
    assert_false(reclaim(&range, &moment));
    assert_false(reclaim(&range, &moment));
    rocks = real;
    rocks.delete_file_in_range_cf = refuse_delete;
    assert_refused(&range, moment);
    rocks = real;
    rocks.suggest_compact_range_cf = refuse_delete;
    assert_refused(&range, half);
    rocks = real;
    assert_false(reclaim(&range, &moment));
    reclaim_all(&range, &moment);
    moment = 0;
    assert_true(reclaim(&(struct store_range){0, SLICE_LITERAL("a"), SLICE_NONE}, &moment));
}

/* A store that is always busy has its ranges given back all the same. */
static void it_does_not_wait_for_ever(void **state) {
    (void)state;
    const struct rocksdb_library real = rocks;
    uint8_t end[8];
    struct store_range range = delete_below(end, 256);
    uint64_t moment = 0;
    int calls = 0;
    while ((moment & UINT64_C(1) << 63) == 0)
        assert_false(reclaim(&range, &moment));
    rocks.property_int_cf = know_nothing; /* as if something ran */
    while (!reclaim(&range, &moment))
        calls++;
    rocks = real;
    assert_int_equal(calls, 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_go_with_their_range, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_refused_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(it_does_not_wait_for_ever, setup, teardown),
    };
    return cmocka_run_group_tests_name("rocksdb_reclaim", tests, NULL, NULL);
}
