/* test_rocksdb_errors.c - the RocksDB engine when the disk fails or is full.
 *
 * The functions below replace the C library's for RocksDB too, so that a test can let exactly the
 * writes and syncs of the log fail. Cases that fork come first: RocksDB's threads, once started, do
 * not survive a fork. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rocksdb_database.h"
#include "store/rocksdb/rocksdb.h"

/* The errno that a call on a log file fails with; 0: it works. */
static atomic_int sync_errno, write_errno, truncate_errno;
static atomic_bool full;  /* there is no room for tables and manifests.. */
static char reserve[128]; /* ..or as long as there is this file; "": none */

static const char *name_of(int fd, char path[256]) {
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, 255);
    path[len < 0 ? 0 : len] = '\0';
    return path;
}

static bool is_log(int fd) {
    char path[256];
    size_t len = strlen(name_of(fd, path));
    return len > 4 && memcmp(path + len - 4, ".log", 4) == 0;
}

static bool has_no_room(int fd) {
    char path[256];
    return (atomic_load(&full) || (reserve[0] != '\0' && access(reserve, F_OK) == 0)) &&
           (strstr(name_of(fd, path), ".sst") != NULL || strstr(path, "MANIFEST") != NULL);
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
    if (has_no_room(fd)) {
        errno = ENOSPC;
        return -1;
    }
    return (ssize_t)syscall(SYS_write, fd, data, size);
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

static struct error *open_as_a_server_does(struct database *database) {
    struct rocksdb_store_options options = {
        .directory = database->directory,
        .keyring = contract_keyring(),
        .settled_later = true,
        .reserve = reserve[0] == '\0' ? NULL : reserve,
        .reserve_bytes = 1 << 20,
    };
    return rocksdb_store_open(&database->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                              &database->store);
}

/* Opening writes out what the log holds. */
static void a_start_on_a_full_disk_can_be_read(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    must(try_put_text(&database, "a", "1"));
    store_close(database.store);
    database.store = NULL;
    atomic_store(&full, true);
    expect_error(database_try(&database, false), "No space left on device");
    must(open_as_a_server_does(&database));
    rocksdb_store_settle(database.store);
    assert_true(has(&database, "a"));
    expect_error(try_put_text(&database, "b", "1"), "until the disk has room again");
    assert_true(has(&database, "a") && !has(&database, "b"));
    atomic_store(&full, false);
    sleep(2);
    must(try_put_text(&database, "b", "1"));
    database_reopen(&database);
    assert_true(has(&database, "a") && has(&database, "b"));
    database_release(&database);
}

/* The room of the reserve is enough to open it, and to write. */
static void a_start_on_a_full_disk_gives_up_the_reserve(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    must(try_put_text(&database, "a", "1"));
    store_close(database.store);
    snprintf(reserve, sizeof(reserve), "%s.reserve", database.directory);
    FILE *file = fopen(reserve, "w");
    assert_true(file != NULL && fputs("room", file) > 0 && fclose(file) == 0);
    must(open_as_a_server_does(&database));
    assert_int_equal(access(reserve, F_OK), -1);
    assert_true(has(&database, "a"));
    char made[sizeof(reserve)];
    memcpy(made, reserve, sizeof(made));
    reserve[0] = '\0'; /* from here on there is room, also for what RocksDB writes by itself */
    rocksdb_store_settle(database.store);
    assert_int_equal(access(made, F_OK), 0);
    unlink(made);
    must(try_put_text(&database, "b", "1"));
    database_reopen(&database);
    assert_true(has(&database, "a") && has(&database, "b"));
    database_release(&database);
}

/* In the child: the kernel fails sync_file_range, at which Debian's RocksDB would end it. */
static void fail_range_syncs(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sync_file_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    CHECK(syscall(SYS_sync_file_range, 0, 0, 0, 0) == -1 && errno == EIO);
}

static void write_tables(struct database *database) {
    static uint8_t value[400000];
    char key[16];
    for (size_t i = 0; i < sizeof(value); i++)
        value[i] = (uint8_t)(i * 2654435761u >> 13);
    CHECK(database_try(database, true) == NULL);
    for (int i = 0; i < 10; i++) {
        snprintf(key, sizeof(key), "%d", i);
        CHECK(try_put(database, key, slice_of(value, sizeof(value)), STORE_RELAXED) == NULL);
    }
    store_close(database->store);
    CHECK(database_try(database, false) == NULL); /* the log becomes a table of 8 MB */
    CHECK(has(database, "0") && has(database, "9"));
    store_close(database->store);
}

static void a_failing_sync_file_range_ends_nothing(void **state) {
    (void)state;
    struct database database = {0};
    int status;
    directory_make(database.directory, sizeof(database.directory));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fail_range_syncs();
        write_tables(&database);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    directory_remove(database.directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_sync_file_range_ends_nothing),
        cmocka_unit_test(writes_stop_and_reads_go_on_when_files_cannot_grow),
        cmocka_unit_test(a_commit_whose_sync_failed_is_never_found),
        cmocka_unit_test(a_record_that_cannot_be_taken_back_is_admitted),
        cmocka_unit_test(a_failed_sync_of_relaxed_commits_is_reported),
        cmocka_unit_test(writes_resume_when_a_full_disk_has_room_again),
        cmocka_unit_test(writes_resume_when_a_sync_found_the_disk_full),
        cmocka_unit_test(an_open_reader_keeps_what_it_reads),
        cmocka_unit_test(a_store_that_cannot_be_opened_again_says_so),
        cmocka_unit_test(a_start_on_a_full_disk_can_be_read),
        cmocka_unit_test(a_start_on_a_full_disk_gives_up_the_reserve),
    };
    return cmocka_run_group_tests_name("rocksdb errors", tests, NULL, NULL);
}
