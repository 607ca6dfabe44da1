/* open.c - opening and closing a RocksDB database, and what its errors mean.
 *
 * Memory: the store is malloc'ed, and keeps its own copy of what it was opened with. Threads: the
 * caller's; rocksdb_database_open and _close also run when the gate is shut. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "store/rocksdb/internal.h"

struct error *rocksdb_error(struct arena *arena, const char *what, char *text) {
    struct error *error = error_local(arena, "%s: %s", what, text);
    rocks.free(text);
    return error;
}

/* A file that a database has and a creation that was cut short has not. */
static bool is_data_file(const char *name) {
    if (strncmp(name, "MANIFEST-", 9) == 0)
        return strcmp(name, "MANIFEST-000001") != 0;
    return file_ends_with(name, ".sst") || file_ends_with(name, ".log");
}

/* RocksDB would delete the files of the old one: that is damage, not a new directory. */
struct error *rocksdb_check_not_beheaded(struct arena *arena, const char *directory) {
    DIR *files = opendir(directory);
    if (files == NULL) {
        if (errno == ENOENT)
            return NULL;
        return error_local(arena, "The database in %s cannot be opened: %s", directory,
                           strerror(errno));
    }
    bool current = false, data = false;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        current = current || strcmp(file->d_name, "CURRENT") == 0;
        data = data || is_data_file(file->d_name);
    }
    closedir(files);
    if (current || !data)
        return NULL;
    return error_local(
        arena, "The database in %s is damaged: it has data, but its file CURRENT is missing",
        directory);
}

/* RocksDB says only with words what went wrong. */
static const char *open_verdict(const char *text) {
    if (strstr(text, "lock hold by current process") != NULL)
        return "is already open in this process";
    if (strstr(text, "While lock file") != NULL && strstr(text, "temporarily unavailable") != NULL)
        return "is in use by another process";
    if (strstr(text, "create_if_missing is false") != NULL)
        return "does not exist";
    if (strstr(text, "olumn families not opened") != NULL)
        return "has keyspaces that this version does not know";
    if (strstr(text, "Corruption: ") != NULL ||
        (strstr(text, "No such file") != NULL && strstr(text, "/MANIFEST-") != NULL))
        return "is damaged";
    return "cannot be opened";
}

static struct error *open_error(struct arena *arena, const char *directory, char *text) {
    struct error *error =
        error_local(arena, "The database in %s %s: %s", directory, open_verdict(text), text);
    rocks.free(text);
    return error;
}

/* The families as RocksDB wants them: the keyspaces, then "default". NULL, or RocksDB's text. */
static char *open_families(struct rocksdb_store *store, int compression, enum open_mode mode) {
    const struct rocksdb_config *config = &store->config;
    rocksdb_cache_t *cache = rocksdb_settings_cache(&config->options);
    rocksdb_options_t *plain = rocksdb_settings_new(store, cache, false, compression);
    rocksdb_options_t *filtered =
        rocksdb_settings_new(store, cache, mode != OPEN_WHAT_IS_THERE, compression);
    const char *names[STORE_KEYSPACES_MAX + 1];
    const rocksdb_options_t *settings[STORE_KEYSPACES_MAX + 1];
    rocksdb_column_family_handle_t *handles[STORE_KEYSPACES_MAX + 1] = {NULL};
    size_t count = config->keyspace_count;
    for (size_t i = 0; i < count; i++) {
        names[i] = config->keyspaces[i].name;
        settings[i] = config->keyspaces[i].point_reads ? filtered : plain;
    }
    names[count] = "default";
    settings[count] = plain;
    char *text = NULL;
    if (mode == OPEN_WHAT_IS_THERE) {
        rocksdb_settings_lenient(plain);
        rocksdb_settings_lenient(filtered);
    }
    if (mode == OPEN_TO_READ)
        store->db = rocks.open_for_read_only_column_families(
            plain, config->options.directory, (int)count + 1, names, settings, handles, 0, &text);
    else
        store->db = rocks.open_column_families(plain, config->options.directory, (int)count + 1,
                                               names, settings, handles, &text);
    memcpy(store->keyspaces, handles, count * sizeof(*handles));
    store->unused = handles[count];
    rocks.options_destroy(plain);
    rocks.options_destroy(filtered);
    rocks.cache_destroy(cache);
    return text;
}

/* A RocksDB that was built without LZ4 stores blocks as they are. */
struct error *rocksdb_database_open_as(struct rocksdb_store *store, struct arena *arena,
                                       enum open_mode mode) {
    char *text = open_families(store, rocksdb_lz4_compression, mode);
    if (text != NULL && strstr(text, "not linked") != NULL) {
        rocks.free(text);
        text = open_families(store, rocksdb_no_compression, mode);
    }
    return text == NULL ? NULL : open_error(arena, store->config.options.directory, text);
}

struct error *rocksdb_database_open(struct rocksdb_store *store, struct arena *arena) {
    TRY(rocksdb_check_not_beheaded(arena, store->config.options.directory));
    return rocksdb_database_open_as(store, arena, OPEN_TO_WRITE);
}

void rocksdb_database_close(struct rocksdb_store *store) {
    if (store->db == NULL)
        return;
    for (size_t i = 0; i < store->config.keyspace_count; i++)
        rocks.column_family_handle_destroy(store->keyspaces[i]);
    rocks.column_family_handle_destroy(store->unused);
    rocks.close(store->db);
    store->db = NULL;
}

static char *copy_text(const char *text) {
    char *copy = strdup(text);
    CHECK(copy != NULL);
    return copy;
}

static void config_copy(struct rocksdb_config *config, const struct rocksdb_store_options *options,
                        const struct store_keyspace *keyspaces, size_t count) {
    config->options = *options;
    config->options.directory = copy_text(options->directory);
    if (options->reserve != NULL)
        config->options.reserve = copy_text(options->reserve);
    config->keyspace_count = count;
    for (size_t i = 0; i < count; i++) {
        config->keyspaces[i] = keyspaces[i];
        config->keyspaces[i].name = copy_text(keyspaces[i].name);
    }
}

static void free_text(const char *text) {
    free((void *)(uintptr_t)text);
}

static void store_close_all(struct store *base) {
    struct rocksdb_store *store = rocksdb_of(base);
    rocksdb_stop(store);
    if (store->env != NULL)
        extension.encrypted_files_free(store->env);
    file_cipher_free(store->cipher);
    rocks.writebatch_destroy(store->batch);
    rocks.readoptions_destroy(store->read_latest);
    rocks.writeoptions_destroy(store->write_durable);
    rocks.writeoptions_destroy(store->write_relaxed);
    pthread_mutex_destroy(&store->gate.lock);
    free_text(store->config.options.directory);
    free_text(store->config.options.reserve);
    for (size_t i = 0; i < store->config.keyspace_count; i++)
        free_text(store->config.keyspaces[i].name);
    free(store);
}

static const struct store_engine rocksdb_engine = {
    .name = "rocksdb",
    .capabilities = STORE_PERSISTENT,
    .close = store_close_all,
    .begin = rocksdb_txn_begin,
    .end = rocksdb_txn_end,
    .get_many = rocksdb_txn_get_many,
    .scan_open = rocksdb_scan_open,
    .scan_next = rocksdb_scan_next,
    .scan_close = rocksdb_scan_close,
    .put = rocksdb_txn_put,
    .remove = rocksdb_txn_remove,
    .remove_range = rocksdb_txn_remove_range,
    .commit = rocksdb_txn_commit,
    .sync = rocksdb_store_sync,
    .reclaim = rocksdb_store_reclaim,
    .statistics = rocksdb_store_statistics,
};

/* The keyring is not needed from here on. */
static struct error *encrypt_files(struct rocksdb_store *store, struct arena *arena) {
    const struct keyring *keyring = store->config.options.keyring;
    store->config.options.keyring = NULL;
    if (keyring == NULL)
        return NULL;
    TRY(rocksdb_library_load_extension(arena));
    TRY(file_cipher_new(arena, keyring, &store->cipher));
    store->env = extension.encrypted_files_new(&file_cipher_calls, store->cipher);
    if (store->env == NULL)
        return error_local(arena, "The RocksDB here cannot be given files that are encrypted");
    return NULL;
}

struct error *rocksdb_store_new(struct arena *arena, const struct rocksdb_store_options *options,
                                const struct store_keyspace *keyspaces, size_t count,
                                struct rocksdb_store **ret_store) {
    TRY(rocksdb_library_load(arena));
    struct rocksdb_store *store = calloc(1, sizeof(*store));
    CHECK(store != NULL);
    store->lock = -1;
    store_init(&store->base, &rocksdb_engine, count);
    config_copy(&store->config, options, keyspaces, count);
    store->reserve = (struct reserve){.path = store->config.options.reserve,
                                      .bytes = store->config.options.reserve_bytes};
    rocksdb_gate_init(&store->gate);
    store->read_latest = rocks.readoptions_create();
    store->write_durable = rocks.writeoptions_create();
    rocks.writeoptions_set_sync(store->write_durable, 1);
    store->write_relaxed = rocks.writeoptions_create();
    store->batch = rocks.writebatch_create();
    struct error *error = encrypt_files(store, arena);
    if (error != NULL)
        store_close_all(&store->base);
    else
        *ret_store = store;
    return error;
}

struct error *rocksdb_store_open(struct arena *arena, const struct rocksdb_store_options *options,
                                 const struct store_keyspace *keyspaces, size_t count,
                                 struct store **ret_store) {
    struct rocksdb_store *store = NULL;
    TRY(rocksdb_store_new(arena, options, keyspaces, count, &store));
    struct error *error = rocksdb_start(store, arena);
    if (error != NULL) {
        store_close_all(&store->base);
        return error;
    }
    store->config.options.create = false; /* when it is opened again, it must still be there */
    *ret_store = &store->base;
    return NULL;
}
