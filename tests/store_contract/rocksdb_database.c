/* rocksdb_database.c - see rocksdb_database.h. */
#include "rocksdb_database.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/rocksdb/rocksdb.h"

struct error *database_try(struct database *database, bool create) {
    return database_try_key(database, create, contract_keyring());
}

struct error *database_try_key(struct database *database, bool create,
                               const struct keyring *keyring) {
    struct rocksdb_store_options options = {
        .directory = database->directory, .create = create, .keyring = keyring};
    return rocksdb_store_open(&database->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                              &database->store);
}

void database_init(struct database *database) {
    *database = (struct database){0};
    directory_make(database->directory, sizeof(database->directory));
    must(database_try(database, true));
}

void database_release(struct database *database) {
    store_close(database->store);
    directory_remove(database->directory);
    arena_release(&database->arena);
}

void database_reopen(struct database *database) {
    store_close(database->store);
    database->store = NULL;
    must(database_try(database, false));
}

struct error *try_put(struct database *database, const char *key, struct slice value,
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

struct error *try_put_text(struct database *database, const char *key, const char *value) {
    return try_put(database, key, slice_text(value), STORE_DURABLE);
}

bool has(struct database *database, const char *key) {
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

void expect_error(const struct error *error, const char *expected) {
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_LOCAL);
    if (memmem(error->message.data, error->message.len, expected, strlen(expected)) == NULL)
        fail_msg("\"%.*s\" lacks \"%s\"", SLICE_ARGS(error->message), expected);
}

void for_files(const struct database *database, const char *start, void (*act)(const char *path)) {
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

void file_scramble(const char *path) {
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    static const char garbage[] = "this is not what should be here at all\n";
    assert_int_equal(pwrite(fd, garbage, sizeof(garbage) - 1, 0), sizeof(garbage) - 1);
    close(fd);
}
