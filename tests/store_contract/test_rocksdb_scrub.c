/* test_rocksdb_scrub.c - the mark of a scrub, and a pass that goes on where it was. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "contract.h"
#include "rocksdb_database.h"
#include "store/rocksdb/rocksdb.h"
#include "store/rocksdb/scrub_mark.h"

enum { PATIENCE = 3000 }; /* times 10 ms */

static struct scrub_mark some_mark(void) {
    return (struct scrub_mark){.table = 12,
                               .faults = 1,
                               .last_faults = 2,
                               .began_ms = INT64_C(1700000000000),
                               .ended_ms = INT64_C(1690000000000)};
}

static void a_mark_is_read_as_it_was_written(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    struct scrub_mark mark = scrub_mark_read(database.directory), written = some_mark();
    assert_int_equal(mark.began_ms, 0);
    assert_true(scrub_mark_write(database.directory, &written));
    mark = scrub_mark_read(database.directory);
    assert_memory_equal(&mark, &written, sizeof(mark));
    database_release(&database);
}

static void a_damaged_mark_is_none(void **state) {
    (void)state;
    struct database database;
    struct scrub_mark written = some_mark();
    char path[128], byte;
    database_init(&database);
    snprintf(path, sizeof(path), "%s/" SCRUB_FILE, database.directory);
    for (off_t at = 0; at < 100; at += 7) {
        assert_true(scrub_mark_write(database.directory, &written));
        int fd = open(path, O_RDWR);
        assert_true(fd >= 0 && pread(fd, &byte, 1, at) == 1);
        byte ^= 1;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        close(fd);
        assert_int_equal(scrub_mark_read(database.directory).began_ms, 0);
    }
    database_release(&database);
}

/* ---- passes ---- */

static double statistic(struct database *database, const char *name) {
    struct store_statistic list[STORE_STATISTICS_MAX];
    size_t count = store_statistics(database->store, &database->arena, list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    return -1;
}

static void open_with_scrub(struct database *database) {
    struct rocksdb_store_options options = {
        .directory = database->directory, .keyring = contract_keyring(), .scrub_ms = 20000};
    must(rocksdb_store_open(&database->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                            &database->store));
}

/* How much a pass has read, of a database that is open with a scrub, and was not read before. */
static double bytes_of_pass(struct database *database, double ended) {
    for (int i = 0; statistic(database, "scrub_ended_timestamp_seconds") <= ended; i++) {
        assert_true(i < PATIENCE);
        usleep(10000);
    }
    return statistic(database, "scrub_bytes");
}

static uint64_t oldest_table;

static void note_table(const char *path) {
    uint64_t number = strtoull(strrchr(path, '/') + 1, NULL, 10);
    if (strstr(path, ".sst") != NULL && (oldest_table == 0 || number < oldest_table))
        oldest_table = number;
}

/* Opening makes tables of what is in the log. */
static void a_pass_goes_on_where_it_was(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    for (int i = 0; i < 3; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key %d", i);
        assert_null(try_put_text(&database, key, "value"));
        database_reopen(&database);
    }
    store_close(database.store);
    open_with_scrub(&database);
    double whole = bytes_of_pass(&database, 0);
    assert_int_equal(statistic(&database, "scrub_faults"), 0);
    store_close(database.store);
    struct scrub_mark mark = scrub_mark_read(database.directory);
    assert_int_equal(mark.table, 0);
    assert_true(mark.ended_ms >= mark.began_ms && mark.began_ms > 0);
    oldest_table = 0;
    for_files(&database, "0", note_table);
    mark.table = oldest_table;
    mark.faults = 1;
    assert_true(scrub_mark_write(database.directory, &mark));
    open_with_scrub(&database);
    double rest = bytes_of_pass(&database, (double)mark.ended_ms / 1000);
    assert_true(rest > 0 && rest < whole);
    assert_int_equal(statistic(&database, "scrub_faults"), 1);
    store_close(database.store);
    database.store = NULL;
    assert_int_equal(scrub_mark_read(database.directory).last_faults, 1);
    database_release(&database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_is_read_as_it_was_written),
        cmocka_unit_test(a_damaged_mark_is_none),
        cmocka_unit_test(a_pass_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
