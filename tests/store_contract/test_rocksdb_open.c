/* test_rocksdb_open.c - opening a directory that is in use, has something else in it, or is
 * damaged.
 *
 * The case that forks comes first: RocksDB's threads, once started, do not survive a fork. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocksdb_database.h"
#include "store/rocksdb/rocksdb.h"

static void a_directory_in_use_is_refused(void **state) {
    (void)state;
    struct database database = {0};
    directory_make(database.directory, sizeof(database.directory));
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK(database_try(&database, true) == NULL);
        CHECK(write(ends[1], "", 1) == 1);
        pause();
    }
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    char expected[128];
    snprintf(expected, sizeof(expected), "The database in %s is in use by another process",
             database.directory);
    expect_error(database_try(&database, true), expected);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    database_release(&database);
}

static void a_store_opens_once_in_a_process(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    struct store *first = database.store;
    expect_error(database_try(&database, true), "is already open in this process");
    assert_ptr_equal(database.store, first);
    must(try_put_text(&database, "a", "1"));
    database_release(&database);
}

static void a_database_is_made_only_when_asked(void **state) {
    (void)state;
    struct database database = {0};
    directory_make(database.directory, sizeof(database.directory));
    expect_error(database_try(&database, false), "does not exist");
    directory_remove(database.directory);
    expect_error(database_try(&database, false), "does not exist");
    directory_remove(database.directory);
    must(database_try(&database, true));
    database_reopen(&database);
    database_release(&database);
}

static void unknown_keyspaces_are_refused(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    store_close(database.store);
    database.store = NULL;
    struct rocksdb_store_options options = {.directory = database.directory,
                                            .keyring = contract_keyring()};
    expect_error(
        rocksdb_store_open(&database.arena, &options, contract_keyspaces, 2, &database.store),
        "has keyspaces that this version does not know");
    must(database_try(&database, false));
    database_release(&database);
}

static void file_delete(const char *path) {
    assert_int_equal(unlink(path), 0);
}

static void file_empty(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
}

static void damage_is_named_and_nothing_is_lost_by_looking(void **state) {
    (void)state;
    static const struct {
        const char *file;
        void (*act)(const char *path);
        const char *expected;
    } cases[] = {
        {"CURRENT", file_delete, "is damaged: it has data, but its file CURRENT is missing"},
        {"CURRENT", file_empty, "is damaged: "},
        {"CURRENT", file_scramble, "is damaged: "},
        {"MANIFEST-", file_delete, "is damaged: "},
        {"MANIFEST-", file_empty, "is damaged: "},
        {"MANIFEST-", file_scramble, "is damaged: "},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct database database;
        database_init(&database);
        must(try_put_text(&database, "a", "1"));
        database_reopen(&database); /* the log has become a table */
        store_close(database.store);
        database.store = NULL;
        for_files(&database, cases[i].file, cases[i].act);
        expect_error(database_try(&database, true), cases[i].expected);
        expect_error(database_try(&database, false), cases[i].expected);
        for_files(&database, "0", file_empty); /* its data files are still there */
        database_release(&database);
    }
}

static void a_missing_table_is_damage(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    must(try_put_text(&database, "a", "1"));
    database_reopen(&database);
    store_close(database.store);
    database.store = NULL;
    char command[128];
    snprintf(command, sizeof(command), "rm %s/*.sst", database.directory);
    assert_int_equal(system(command), 0);
    expect_error(database_try(&database, false), "is damaged: ");
    database_release(&database);
}

static void a_creation_cut_short_starts_again(void **state) {
    (void)state;
    struct database database = {0};
    directory_make(database.directory, sizeof(database.directory));
    char path[128];
    snprintf(path, sizeof(path), "%s/MANIFEST-000001", database.directory);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    must(database_try(&database, true));
    must(try_put_text(&database, "a", "1"));
    database_reopen(&database);
    assert_true(has(&database, "a"));
    database_release(&database);
}

/* A power loss in the middle of a write: the log ends with a part of a record. */
static void a_torn_log_recovers_what_was_synced(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    must(try_put_text(&database, "a", "synced"));
    store_close(database.store);
    database.store = NULL;
    char command[160];
    snprintf(command, sizeof(command), "printf 'torn record' | tee -a %s/*.log >/dev/null",
             database.directory);
    assert_int_equal(system(command), 0);
    must(database_try(&database, false));
    assert_true(has(&database, "a"));
    must(try_put_text(&database, "b", "after"));
    database_reopen(&database);
    assert_true(has(&database, "a") && has(&database, "b"));
    database_release(&database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_in_use_is_refused),
        cmocka_unit_test(a_store_opens_once_in_a_process),
        cmocka_unit_test(a_database_is_made_only_when_asked),
        cmocka_unit_test(unknown_keyspaces_are_refused),
        cmocka_unit_test(damage_is_named_and_nothing_is_lost_by_looking),
        cmocka_unit_test(a_missing_table_is_damage),
        cmocka_unit_test(a_creation_cut_short_starts_again),
        cmocka_unit_test(a_torn_log_recovers_what_was_synced),
    };
    return cmocka_run_group_tests_name("rocksdb open", tests, NULL, NULL);
}
