/* test_rocksdb_errors.c - the RocksDB engine when the disk fails, is full, or holds what it should
 * not.
 *
 * The functions below replace the C library's for RocksDB too, so that a test can let exactly the
 * writes and syncs of the log fail. Cases that fork come first: RocksDB's threads, once started, do
 * not survive a fork. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "contract.h"
#include "store/rocksdb/rocksdb.h"

/* The errno that a call on a log file fails with; 0: it works. */
static atomic_int sync_errno, write_errno, truncate_errno;

static bool is_log(int fd) {
    char link[64], path[256];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof(path));
    return len > 4 && memcmp(path + len - 4, ".log", 4) == 0;
}

static bool fails(atomic_int *chosen, int fd) {
    int error = atomic_load(chosen);
    if (error == 0 || !is_log(fd))
        return false;
    errno = error;
    return true;
}

int fdatasync(int fd) {
    return fails(&sync_errno, fd) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t size) {
    return fails(&truncate_errno, fd) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

/* A disk that fills up takes a part of what is written before it fails. */
ssize_t write(int fd, const void *data, size_t size) {
    if (size > 1 && atomic_load(&write_errno) != 0 && is_log(fd))
        return (ssize_t)syscall(SYS_write, fd, data, size / 2);
    if (fails(&write_errno, fd))
        return -1;
    return (ssize_t)syscall(SYS_write, fd, data, size);
}

struct database {
    struct arena arena;
    char directory[64];
    struct store *store;
};

static struct error *database_try(struct database *database, bool create) {
    struct rocksdb_store_options options = {.directory = database->directory, .create = create};
    return rocksdb_store_open(&database->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                              &database->store);
}

static void database_init(struct database *database) {
    *database = (struct database){0};
    directory_make(database->directory, sizeof(database->directory));
    must(database_try(database, true));
}

static void database_release(struct database *database) {
    store_close(database->store);
    directory_remove(database->directory);
    arena_release(&database->arena);
}

static void database_reopen(struct database *database) {
    store_close(database->store);
    database->store = NULL;
    must(database_try(database, false));
}

/* The error, or NULL. */
static struct error *try_put(struct database *database, const char *key, struct slice value,
                             enum store_durability durability) {
    struct store_txn *txn;
    struct store_key at = text_key(0, key), second = text_key(1, key);
    enum store_outcome outcome;
    TRY(store_begin(database->store, &database->arena, STORE_WRITE, &txn));
    store_put(txn, &at, value);
    store_put(txn, &second, value);
    struct error *error = store_commit(txn, durability, &outcome);
    store_end(txn);
    return error;
}

static struct error *try_put_text(struct database *database, const char *key, const char *value) {
    return try_put(database, key, slice_text(value), STORE_DURABLE);
}

/* Both keyspaces have it, or neither. */
static bool has(struct database *database, const char *key) {
    struct store_txn *txn;
    struct store_key keys[] = {text_key(0, key), text_key(1, key)};
    struct slice values[2];
    must(store_begin(database->store, &database->arena, STORE_READ, &txn));
    must(store_get_many(txn, 2, keys, values));
    bool there = slice_present(values[0]);
    assert_int_equal(slice_present(values[1]), there);
    store_end(txn);
    return there;
}

static void expect_error(const struct error *error, const char *expected) {
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_INTERNAL_SERVER_ERROR);
    if (memmem(error->message.data, error->message.len, expected, strlen(expected)) == NULL)
        fail_msg("\"%.*s\" lacks \"%s\"", SLICE_ARGS(error->message), expected);
}

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

/* In the child: writes until the files may not grow, and goes on reading; leaves its last
 * acknowledged number as its status. */
static int fill_up_to_limit(struct database *database) {
    static uint8_t value[2000];
    char key[16];
    signal(SIGXFSZ, SIG_IGN);
    CHECK(database_try(database, true) == NULL);
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = 100000;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    int number = 0;
    struct error *error = NULL;
    for (; error == NULL && number < 200; number++) {
        snprintf(key, sizeof(key), "%d", number);
        error = try_put(database, key, slice_of(value, sizeof(value)), STORE_DURABLE);
    }
    number -= 2; /* the last that was acknowledged */
    CHECK(error != NULL && number > 10);
    CHECK(memmem(error->message.data, error->message.len, "File too large", 14) != NULL);
    for (int i = 0; i <= number + 1; i++) {
        snprintf(key, sizeof(key), "%d", i);
        CHECK(has(database, key) == (i <= number));
    }
    CHECK(try_put_text(database, "later", "v") != NULL);
    CHECK(!has(database, "later") && has(database, "0"));
    limit.rlim_cur = limit.rlim_max;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(try_put_text(database, "later", "v") != NULL); /* until it is opened again */
    store_close(database->store);
    database->store = NULL;
    return number;
}

static void writes_stop_and_reads_go_on_when_files_cannot_grow(void **state) {
    (void)state;
    struct database database = {0};
    directory_make(database.directory, sizeof(database.directory));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(fill_up_to_limit(&database));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    int last = WEXITSTATUS(status);
    must(database_try(&database, false));
    for (int i = 0; i <= last + 2; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%d", i);
        assert_int_equal(has(&database, key), i <= last);
    }
    assert_false(has(&database, "later"));
    must(try_put_text(&database, "later", "v"));
    assert_true(has(&database, "later"));
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
    struct rocksdb_store_options options = {.directory = database.directory};
    expect_error(
        rocksdb_store_open(&database.arena, &options, contract_keyspaces, 2, &database.store),
        "has keyspaces that this version does not know");
    must(database_try(&database, false));
    database_release(&database);
}

/* Calls `act` on each file of the database whose name starts so. */
static void for_files(const struct database *database, const char *start,
                      void (*act)(const char *path)) {
    DIR *files = opendir(database->directory);
    assert_non_null(files);
    size_t acted = 0;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (strncmp(file->d_name, start, strlen(start)) != 0)
            continue;
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", database->directory, file->d_name);
        act(path);
        acted++;
    }
    closedir(files);
    assert_true(acted > 0);
}

static void file_delete(const char *path) {
    assert_int_equal(unlink(path), 0);
}

static void file_empty(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
}

static void file_scramble(const char *path) {
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    static const char garbage[] = "this is not what should be here at all\n";
    assert_int_equal(pwrite(fd, garbage, sizeof(garbage) - 1, 0), sizeof(garbage) - 1);
    close(fd);
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

/* A failed sync leaves the whole record in the log: it must not come back. The sizes put the record
 * into one block of the log, across two, and across many, at several distances from a block's
 * start. */
static void a_commit_whose_sync_failed_is_never_found(void **state) {
    (void)state;
    static uint8_t value[200000];
    static const size_t sizes[] = {1, 300, 16000, 16350, 16372, 16384, 32768, 70000, 200000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct database database;
        database_init(&database);
        must(try_put(&database, "first", slice_of(value, sizes[i] / 2 + 1), STORE_DURABLE));
        must(try_put_text(&database, "before", "v"));
        atomic_store(&sync_errno, EIO);
        struct error *error =
            try_put(&database, "failed", slice_of(value, sizes[i]), STORE_DURABLE);
        atomic_store(&sync_errno, 0);
        expect_error(error, "The store failed to write: IO error: While fdatasync");
        assert_true(has(&database, "before"));
        assert_false(has(&database, "failed"));
        assert_non_null(try_put_text(&database, "later", "v"));
        assert_false(has(&database, "later"));
        database_reopen(&database);
        assert_true(has(&database, "first") && has(&database, "before"));
        assert_false(has(&database, "failed") || has(&database, "later"));
        must(try_put_text(&database, "later", "v"));
        database_reopen(&database);
        assert_true(has(&database, "first") && has(&database, "before") && has(&database, "later"));
        assert_false(has(&database, "failed"));
        database_release(&database);
    }
}

/* The canary of the case above: when the record cannot be taken back out of the log, the error says
 * so, and the next start does find it, whole. */
static void a_record_that_cannot_be_taken_back_is_admitted(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    must(try_put_text(&database, "before", "v"));
    atomic_store(&sync_errno, EIO);
    atomic_store(&truncate_errno, EIO);
    struct error *error = try_put_text(&database, "failed", "v");
    atomic_store(&sync_errno, 0);
    expect_error(error, "The store failed to write, and a restart may find the write: IO error");
    assert_false(has(&database, "failed"));
    store_close(database.store);
    database.store = NULL;
    atomic_store(&truncate_errno, 0);
    must(database_try(&database, false));
    assert_true(has(&database, "before"));
    assert_true(has(&database, "failed"));
    database_release(&database);
}

static void a_failed_sync_of_relaxed_commits_is_reported(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    must(try_put(&database, "relaxed", SLICE_LITERAL("v"), STORE_RELAXED));
    atomic_store(&sync_errno, EIO);
    expect_error(store_sync(database.store, &database.arena),
                 "The store failed to make writes durable: IO error: While fdatasync");
    atomic_store(&sync_errno, 0);
    /* A second try must not succeed: the first may have lost pages for good. */
    assert_non_null(store_sync(database.store, &database.arena));
    assert_non_null(try_put_text(&database, "later", "v"));
    assert_true(has(&database, "relaxed")); /* visible, as it was */
    database_reopen(&database);
    assert_false(has(&database, "later"));
    must(try_put_text(&database, "later", "v"));
    database_release(&database);
}

/* RocksDB looks every few seconds whether there is room again. */
static bool put_within(struct database *database, int seconds) {
    for (int i = 0; i < seconds * 10; i++) {
        if (try_put_text(database, "later", "v") == NULL)
            return true;
        struct timespec pause = {0, 100 * 1000 * 1000};
        nanosleep(&pause, NULL);
    }
    return false;
}

static void full_disk(atomic_int *failing, bool fresh) {
    static uint8_t value[50000];
    struct database database;
    database_init(&database);
    must(try_put_text(&database, "before", "v"));
    if (fresh)
        database_reopen(&database);
    atomic_store(failing, ENOSPC);
    struct error *error =
        try_put(&database, "failed", slice_of(value, sizeof(value)), STORE_DURABLE);
    atomic_store(failing, 0);
    expect_error(error, "No space left on device");
    assert_true(has(&database, "before"));
    assert_false(has(&database, "failed"));
    assert_true(put_within(&database, 20));
    assert_true(has(&database, "before") && has(&database, "later"));
    assert_false(has(&database, "failed"));
    database_reopen(&database);
    assert_true(has(&database, "before") && has(&database, "later"));
    assert_false(has(&database, "failed"));
    database_release(&database);
}

static void writes_resume_when_a_full_disk_has_room_again(void **state) {
    (void)state;
    full_disk(&write_errno, false);
    full_disk(&write_errno, true);
}

static void writes_resume_when_a_sync_found_the_disk_full(void **state) {
    (void)state;
    full_disk(&sync_errno, false);
    full_disk(&sync_errno, true);
}

static void fill_disk(struct database *database) {
    must(try_put_text(database, "before", "v"));
    atomic_store(&write_errno, ENOSPC);
    expect_error(try_put_text(database, "failed", "v"), "No space left on device");
    atomic_store(&write_errno, 0);
}

/* The database is closed and opened again only when nobody reads. */
static void an_open_reader_keeps_what_it_reads(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    must(try_put_text(&database, "before", "as it was"));
    struct store_txn *reader;
    struct store_key key = text_key(0, "before");
    struct slice value;
    must(store_begin(database.store, &database.arena, STORE_READ, &reader));
    must(store_get(reader, &key, &value));
    fill_disk(&database);
    expect_error(try_put_text(&database, "later", "v"),
                 "The store takes no writes until the disk has room again: IO error: ");
    assert_false(put_within(&database, 2));
    assert_true(slice_is(value, "as it was"));
    expect_get(reader, 0, "before", "as it was");
    store_end(reader);
    assert_true(put_within(&database, 5));
    assert_true(has(&database, "before"));
    database_release(&database);
}

static void copy_current(const struct database *database, const char *from, const char *to) {
    char command[256];
    snprintf(command, sizeof(command), "cp %s/%s %s/%s", database->directory, from,
             database->directory, to);
    assert_int_equal(system(command), 0);
}

/* If the database cannot be opened again, every call says so until it can. */
static void a_store_that_cannot_be_opened_again_says_so(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    fill_disk(&database);
    copy_current(&database, "CURRENT", "saved");
    for_files(&database, "CURRENT", file_scramble);
    expect_error(try_put_text(&database, "later", "v"), "is damaged: ");
    struct store_txn *txn;
    expect_error(store_begin(database.store, &database.arena, STORE_READ, &txn),
                 "The store is closed after an error: IO error: No space left on device");
    expect_error(try_put_text(&database, "later", "v"), "The store is closed after an error");
    copy_current(&database, "saved", "CURRENT");
    assert_true(put_within(&database, 5));
    assert_true(has(&database, "before") && has(&database, "later"));
    assert_false(has(&database, "failed"));
    database_release(&database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_in_use_is_refused),
        cmocka_unit_test(writes_stop_and_reads_go_on_when_files_cannot_grow),
        cmocka_unit_test(a_store_opens_once_in_a_process),
        cmocka_unit_test(a_database_is_made_only_when_asked),
        cmocka_unit_test(unknown_keyspaces_are_refused),
        cmocka_unit_test(damage_is_named_and_nothing_is_lost_by_looking),
        cmocka_unit_test(a_missing_table_is_damage),
        cmocka_unit_test(a_creation_cut_short_starts_again),
        cmocka_unit_test(a_torn_log_recovers_what_was_synced),
        cmocka_unit_test(a_commit_whose_sync_failed_is_never_found),
        cmocka_unit_test(a_record_that_cannot_be_taken_back_is_admitted),
        cmocka_unit_test(a_failed_sync_of_relaxed_commits_is_reported),
        cmocka_unit_test(writes_resume_when_a_full_disk_has_room_again),
        cmocka_unit_test(writes_resume_when_a_sync_found_the_disk_full),
        cmocka_unit_test(an_open_reader_keeps_what_it_reads),
        cmocka_unit_test(a_store_that_cannot_be_opened_again_says_so),
    };
    return cmocka_run_group_tests_name("rocksdb errors", tests, NULL, NULL);
}
