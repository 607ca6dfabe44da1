/* test_rocksdb_encrypted.c - what is in encrypted files and what is not, and what opens them.
 *
 * Runs with GRAMME_ENCRYPTED: a database's key is contract_keyring(). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocksdb_database.h"
#include "store/rocksdb/file_cipher.h"
#include "store/rocksdb/rocksdb.h"

/* ---- files as they are ---- */

/* Nothing of a file that RocksDB has just deleted. */
static struct slice file_read(struct arena *arena, const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0 && errno == ENOENT)
        return SLICE_LITERAL("");
    assert_true(fd >= 0);
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    uint8_t *bytes = arena_alloc(arena, (size_t)status.st_size + 1);
    assert_int_equal(read(fd, bytes, (size_t)status.st_size), status.st_size);
    close(fd);
    return slice_of(bytes, (size_t)status.st_size);
}

/* How many of the database's files have the text in them; all their bytes in *ret_bytes. */
static size_t files_with(const struct database *database, const char *text, size_t *ret_bytes) {
    struct arena arena;
    size_t found = 0, bytes = 0;
    arena_init(&arena);
    DIR *files = opendir(database->directory);
    assert_non_null(files);
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        char path[512];
        if (file->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", database->directory, file->d_name);
        struct slice content = file_read(&arena, path);
        found += memmem(content.data, content.len, text, strlen(text)) != NULL;
        bytes += content.len;
    }
    closedir(files);
    arena_release(&arena);
    *ret_bytes = bytes;
    return found;
}

/* Many times over, so that nothing of it is in the files by being compressed away. */
static void write_a_lot(struct database *database) {
    char key[64], value[512];
    for (int i = 0; i < 2000; i++) {
        snprintf(key, sizeof(key), "needle-in-a-key-%d", i);
        snprintf(value, sizeof(value), "%d needle-in-a-value %d %0400d", i, i * 7, i);
        must(
            try_put(database, key, slice_text(value), i % 50 == 0 ? STORE_DURABLE : STORE_RELAXED));
    }
}

static void expect_nowhere(const struct database *database) {
    static const char *const texts[] = {"needle",   "in-a-key",    "in-a-value",       "leveldb",
                                        "MANIFEST", "[DBOptions]", "write_buffer_size"};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (files_with(database, texts[i], &bytes) != 0)
            fail_msg("there is \"%s\" in a file", texts[i]);
    assert_true(bytes > 500 * 1000); /* there were files to look at */
}

static void nothing_is_readable_in_any_file(void **state) {
    (void)state;
    struct database database;
    database_init(&database);
    write_a_lot(&database);
    expect_nowhere(&database); /* in the log */
    for (int i = 0; i < 5; i++) {
        write_a_lot(&database);
        database_reopen(&database); /* in tables: opening writes the log out */
        expect_nowhere(&database);
    }
    assert_true(has(&database, "needle-in-a-key-1999"));
    database_release(&database);
}

/* The canary: in plain files all of it is found. */
static void in_plain_files_it_is_found(void **state) {
    (void)state;
    struct database database = {0};
    size_t bytes = 0;
    directory_make(database.directory, sizeof(database.directory));
    must(database_try_key(&database, true, NULL));
    write_a_lot(&database);
    assert_true(files_with(&database, "needle-in-a-key", &bytes) > 0);
    assert_true(files_with(&database, "[DBOptions]", &bytes) > 0);
    database_release(&database);
}

/* ---- what opens it ---- */

/* All names and contents, in no order. */
static uint64_t fingerprint(const struct database *database) {
    struct arena arena;
    uint64_t sum = 0;
    arena_init(&arena);
    DIR *files = opendir(database->directory);
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        char path[512];
        uint64_t hash = 14695981039346656037u;
        if (file->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", database->directory, file->d_name);
        struct slice content = file_read(&arena, path);
        for (size_t i = 0; i < content.len; i++)
            hash = (hash ^ content.data[i]) * 1099511628211u;
        for (const char *c = file->d_name; *c != '\0'; c++)
            hash = (hash ^ (uint8_t)*c) * 1099511628211u;
        sum += hash;
    }
    closedir(files);
    arena_release(&arena);
    return sum;
}

static void only_its_key_opens_it(void **state) {
    (void)state;
    struct database database;
    struct keyring *other = keyring_new_random();
    database_init(&database);
    must(try_put_text(&database, "a", "1"));
    store_close(database.store);
    database.store = NULL;
    uint64_t before = fingerprint(&database);
    expect_error(database_try_key(&database, true, other), "is damaged: ");
    expect_error(database_try_key(&database, true, other),
                 "not encrypted by the key of this directory");
    expect_error(database_try_key(&database, true, NULL), "is damaged: ");
    unlink((const char *)arena_printf(&database.arena, "%s/LOG", database.directory).data);
    assert_int_equal(fingerprint(&database), before);
    must(database_try(&database, false));
    assert_true(has(&database, "a"));
    database_release(&database);
    keyring_free(other);
}

static void a_plain_database_is_not_taken_for_an_encrypted_one(void **state) {
    (void)state;
    struct database database = {0};
    directory_make(database.directory, sizeof(database.directory));
    must(database_try_key(&database, true, NULL));
    must(try_put_text(&database, "a", "1"));
    store_close(database.store);
    database.store = NULL;
    expect_error(database_try(&database, true), "not encrypted by the key of this directory");
    must(database_try_key(&database, false, NULL));
    assert_true(has(&database, "a"));
    database_release(&database);
}

/* ---- headers ---- */

static void newest_log(const struct database *database, char *ret_path, size_t size) {
    unsigned long newest = 0;
    DIR *files = opendir(database->directory);
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        unsigned long number = strtoul(file->d_name, NULL, 10);
        if (strstr(file->d_name, ".log") != NULL && number >= newest) {
            newest = number;
            snprintf(ret_path, size, "%s/%s", database->directory, file->d_name);
        }
    }
    closedir(files);
    assert_true(newest > 0);
}

static void make_zeros(const char *path, off_t size) {
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, size), 0);
}

/* What a loss of power may leave of a log that nothing was promised of. */
static void a_log_without_its_header_is_empty(void **state) {
    (void)state;
    static const off_t cut[] = {0, 1, 11, 12, 75, 76, 4095, 4096};
    for (size_t i = 0; i < 2 * sizeof(cut) / sizeof(*cut); i++) {
        struct database database;
        char path[512];
        database_init(&database);
        must(try_put_text(&database, "a", "1"));
        database_reopen(&database);
        must(try_put(&database, "b", slice_text("1"), STORE_RELAXED));
        store_close(database.store);
        database.store = NULL;
        newest_log(&database, path, sizeof(path));
        if (i % 2 == 0)
            assert_int_equal(truncate(path, cut[i / 2]), 0);
        else
            make_zeros(path, cut[i / 2] + 100);
        must(database_try(&database, false));
        assert_true(has(&database, "a"));
        assert_false(has(&database, "b"));
        must(try_put_text(&database, "c", "1"));
        database_reopen(&database);
        assert_true(has(&database, "a") && has(&database, "c"));
        database_release(&database);
    }
}

/* What a loss of power may leave of the end of a log: pages that were never written. */
static void holes_at_the_end_of_a_log_are_its_end(void **state) {
    (void)state;
    static uint8_t value[100000], zeros[40000];
    memset(value, 1, sizeof(value));
    for (int pages = 1; pages < 10; pages++) {
        struct database database;
        char path[512];
        database_init(&database);
        must(try_put(&database, "a", slice_of(value, 5000), STORE_DURABLE));
        must(try_put(&database, "b", slice_of(value, sizeof(value)), STORE_RELAXED));
        store_close(database.store);
        database.store = NULL;
        newest_log(&database, path, sizeof(path));
        int fd = open(path, O_WRONLY);
        off_t from = 6 * 4096;
        assert_int_equal(pwrite(fd, zeros, (size_t)pages * 4096, from), pages * 4096);
        close(fd);
        must(database_try(&database, false));
        assert_true(has(&database, "a"));
        assert_false(has(&database, "b"));
        must(try_put_text(&database, "c", "1"));
        database_reopen(&database);
        assert_true(has(&database, "a") && has(&database, "c"));
        database_release(&database);
    }
}

static off_t size_of_log(const struct database *database) {
    char path[512];
    struct stat status;
    newest_log(database, path, sizeof(path));
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void cut_a_little(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size - 10), 0);
}

/* As wal.c cuts it while RocksDB has it open. */
static void a_log_that_was_cut_stays_cut_when_it_is_closed(void **state) {
    (void)state;
    struct database database;
    char path[512];
    database_init(&database);
    must(try_put_text(&database, "a", "1"));
    must(try_put(&database, "b", slice_text("1"), STORE_RELAXED));
    newest_log(&database, path, sizeof(path));
    cut_a_little(path);
    off_t size = size_of_log(&database);
    store_close(database.store);
    database.store = NULL;
    assert_int_equal(size_of_log(&database), size);
    must(database_try(&database, false));
    assert_true(has(&database, "a"));
    assert_false(has(&database, "b"));
    database_release(&database);
}

static void a_changed_header_is_refused(void **state) {
    (void)state;
    struct arena arena;
    uint8_t header[FILE_HEADER_BYTES], bytes[8] = "content";
    struct file_cipher *cipher;
    struct ctr *key = NULL;
    const struct file_cipher_calls *calls = &file_cipher_calls;
    arena_init(&arena);
    must(file_cipher_new(&arena, contract_keyring(), &cipher));
    struct ctr *made = calls->create(cipher, header);
    calls->apply(made, 1000, bytes, bytes, sizeof(bytes));
    assert_int_equal(calls->open(cipher, header, sizeof(header), &key), FILE_KEYED);
    calls->apply(key, 1000, bytes, bytes, sizeof(bytes));
    assert_string_equal((const char *)bytes, "content");
    calls->release(key);
    calls->release(made);
    for (size_t i = 0; i < 76; i++) {
        header[i] ^= 1;
        assert_int_equal(calls->open(cipher, header, sizeof(header), &key), FILE_FOREIGN);
        header[i] ^= 1;
    }
    assert_int_equal(calls->open(cipher, header, 4095, &key), FILE_EMPTY);
    assert_int_equal(calls->open(cipher, header, 0, &key), FILE_EMPTY);
    assert_int_equal(calls->open(cipher, (const uint8_t *)"plain", 5, &key), FILE_FOREIGN);
    file_cipher_free(cipher);
    file_cipher_free(NULL);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_readable_in_any_file),
        cmocka_unit_test(in_plain_files_it_is_found),
        cmocka_unit_test(only_its_key_opens_it),
        cmocka_unit_test(a_plain_database_is_not_taken_for_an_encrypted_one),
        cmocka_unit_test(a_log_without_its_header_is_empty),
        cmocka_unit_test(holes_at_the_end_of_a_log_are_its_end),
        cmocka_unit_test(a_log_that_was_cut_stays_cut_when_it_is_closed),
        cmocka_unit_test(a_changed_header_is_refused),
    };
    return cmocka_run_group_tests_name("rocksdb encrypted", tests, NULL, NULL);
}
