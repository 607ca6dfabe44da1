/* salvage_view.c - see salvage_view.h. */
#include "store/rocksdb/salvage_view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/rocksdb/replay.h"

enum { COPY_BYTES = 1 << 16 };

/* ---- files ---- */

static bool copy_bytes(int from, int to) {
    char bytes[COPY_BYTES];
    ssize_t len;
    while ((len = read(from, bytes, sizeof(bytes))) > 0)
        if (write(to, bytes, (size_t)len) != len)
            return false;
    return len == 0;
}

static bool copy_file(int from_folder, int to_folder, const char *name) {
    int from = openat(from_folder, name, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool copied = to >= 0 && copy_bytes(from, to);
    if (from >= 0)
        close(from);
    return to >= 0 && close(to) == 0 && copied;
}

/* A second name for a table, or a copy of it on another disk. */
static bool link_file(int from, int to, const char *name) {
    return linkat(from, name, to, name, 0) == 0 || copy_file(from, to, name);
}

static bool is_left_out(const struct salvage_files *files, const char *name) {
    for (size_t i = 0; files->without[i] != NULL; i++)
        if (strcmp(files->without[i], name) == 0)
            return true;
    return false;
}

/* What cannot even be copied is as good as lost: the disk has told why. */
static bool take_file(const struct salvage_files *files, int from, int to, const char *name) {
    if (file_ends_with(name, ".sst"))
        return !is_left_out(files, name) && link_file(from, to, name);
    bool rest = strncmp(name, "MANIFEST-", 9) == 0 || strcmp(name, "CURRENT") == 0 ||
                file_ends_with(name, ".log");
    if (rest && !files->rebuild)
        copy_file(from, to, name);
    return false;
}

/* How many tables there are. */
static struct error *take_files(struct arena *arena, const struct salvage_files *files,
                                const char *scratch, size_t *ret_tables) {
    DIR *from = opendir(files->directory);
    int to = from == NULL || mkdir(scratch, 0700) != 0
                 ? -1
                 : open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *ret_tables = 0;
    struct error *error = NULL;
    if (to < 0)
        error = error_local(arena, "%s cannot be copied to %s: %s", files->directory, scratch,
                            strerror(errno));
    for (const struct dirent *file = to < 0 ? NULL : readdir(from); file != NULL;
         file = readdir(from))
        *ret_tables += take_file(files, dirfd(from), to, file->d_name);
    if (to >= 0)
        close(to);
    if (from != NULL)
        closedir(from);
    return error;
}

/* ---- the database ---- */

/* A new manifest from the tables. */
static struct error *rebuild(struct rocksdb_store *store, struct arena *arena) {
    rocksdb_cache_t *cache = rocksdb_settings_cache(&store->config.options);
    rocksdb_options_t *settings =
        rocksdb_settings_new(store, cache, false, rocksdb_lz4_compression);
    char *text = NULL;
    rocks.repair_db(settings, store->config.options.directory, &text);
    rocks.options_destroy(settings);
    rocks.cache_destroy(cache);
    return text == NULL ? NULL : rocksdb_error(arena, "The tables cannot be put together", text);
}

static struct error *open_view(struct rocksdb_store *store, struct arena *arena,
                               const struct salvage_files *files) {
    size_t tables = 0;
    TRY(take_files(arena, files, store->config.options.directory, &tables));
    if (files->rebuild && tables > 0)
        TRY(rebuild(store, arena));
    TRY(rocksdb_database_open_as(store, arena, OPEN_WHAT_IS_THERE));
    return files->rebuild ? rocksdb_replay(store, arena, files->directory) : NULL;
}

struct error *salvage_view_open(struct arena *arena, const struct rocksdb_store_options *options,
                                const struct store_keyspace *keyspaces, size_t count,
                                const struct salvage_files *files, struct store **ret_store) {
    struct rocksdb_store *store = NULL;
    struct rocksdb_store_options created = *options;
    created.create = true; /* without a table there is nothing to put together */
    TRY(rocksdb_store_new(arena, &created, keyspaces, count, &store));
    struct error *error = open_view(store, arena, files);
    if (error != NULL)
        store_close(&store->base);
    else
        *ret_store = &store->base;
    return error;
}
