/* dump_restore.c - verifies a backup, and makes a data directory of it.
 *
 * One pass: the records go to DIR.partial while they are verified, without a sync per step; at the
 * end one sync, then the directory gets its name. So a directory of that name is whole, whatever
 * happened before, and damage that shows only at the end leaves nothing.
 * Memory: one block of the dump and the store's own. Threads: the caller's, and the store's. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/data_directory.h"
#include "admin/dump_file.h"
#include "admin/dump_sealed.h"
#include "admin/dump_stream.h"
#include "admin/files.h"
#include "engine/dump_check.h"
#include "engine/engine.h"
#include "store/rocksdb/rocksdb.h"

/* *ret_damage is what is wrong with a dump that could be opened. */
static struct error *look_through(struct arena *arena, const struct dump_restore_options *options,
                                  int fd, struct store *store,
                                  struct dump_file_summary *ret_summary,
                                  struct error **ret_damage) {
    struct fd_source source = fd_source_of(fd, options->file);
    struct stream_progress progress = stream_progress_of(options->observer);
    struct sealed_source sealed;
    struct dump_checker CLEANUP(dump_checker_release) checker;
    dump_checker_init(&checker);
    struct dump_read_options read = {
        .source = &sealed.base,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .store = store,
        .progress = &progress.base,
        .check = &checker.base,
    };
    struct dump_summary dump;
    struct error *error = sealed_source_open(arena, &sealed, &source.base, options->key);
    if (error == NULL)
        *ret_damage = dump_read(arena, &read, &dump);
    if (error == NULL && *ret_damage == NULL) {
        *ret_summary = dump_file_summary_of(&dump);
        ret_summary->encrypted = sealed.seal != NULL;
    }
    sealed_source_release(&sealed);
    return error;
}

static struct error *read_dump(struct arena *arena, const struct dump_restore_options *options,
                               int fd, struct store *store, struct dump_file_summary *ret_summary) {
    struct error *damage = NULL;
    TRY(look_through(arena, options, fd, store, ret_summary, &damage));
    return damage;
}

/* ---- the directory ---- */

static struct error *check_there(struct arena *arena, const char *directory,
                                 const struct stat *status) {
    struct stat above;
    bool empty = false;
    if (!S_ISDIR(status->st_mode))
        return error_local(arena, "%s is there and not a directory", directory);
    TRY(data_directory_is_empty(arena, directory, &empty));
    if (!empty)
        return error_local(arena, "%s is not empty: a backup is restored to a new directory",
                           directory);
    if (stat(files_parent(arena, directory), &above) == 0 && above.st_dev != status->st_dev)
        return error_local(
            arena,
            "%s is where a file system is mounted, and cannot be replaced: restore to "
            "a directory inside it",
            directory);
    return NULL;
}

/* The directory's own path, without links: what is renamed to it must be beside it. */
static struct error *find_target(struct arena *arena, const char *directory,
                                 const char **ret_target) {
    struct stat status;
    char resolved[PATH_MAX];
    const char *trimmed = files_trimmed(arena, directory);
    if (stat(trimmed, &status) != 0) {
        if (errno != ENOENT)
            return files_failed(arena, "restore to", directory);
        *ret_target = trimmed;
        return NULL;
    }
    if (realpath(trimmed, resolved) == NULL)
        return files_failed(arena, "restore to", directory);
    const char *target = arena_copy(arena, resolved, strlen(resolved) + 1);
    TRY(check_there(arena, target, &status));
    *ret_target = target;
    return NULL;
}

static struct error *load(struct arena *arena, const struct dump_restore_options *options, int fd,
                          const struct data_directory *data,
                          struct dump_file_summary *ret_summary) {
    struct store *store = NULL;
    struct rocksdb_store_options store_options = {
        .directory = data->store_path, .create = true, .keyring = data->keyring};
    TRY(rocksdb_store_open(arena, &store_options, engine_keyspaces, KEYSPACE_COUNT, &store));
    struct error *error = read_dump(arena, options, fd, store, ret_summary);
    store_close(store);
    return error;
}

static struct error *restore_to(struct arena *arena, const struct dump_restore_options *options,
                                int fd, struct dump_file_summary *ret_summary) {
    const char *target = NULL;
    struct data_directory data = {0};
    int lock = -1;
    TRY(find_target(arena, options->directory, &target));
    const char *partial = (const char *)arena_printf(arena, "%s.partial", target).data;
    TRY(data_directory_fill(arena, partial, options->key, &data, &lock));
    struct error *error = load(arena, options, fd, &data, ret_summary);
    if (error == NULL)
        error = data_directory_filled(arena, &data);
    if (error == NULL)
        error = files_rename(arena, partial, target);
    if (error != NULL)
        files_remove_tree(arena, partial); /* what went wrong first is what counts */
    data_directory_release(&data);
    close(lock);
    return error;
}

/* ---- the file ---- */

static struct error *open_dump(struct arena *arena, struct dump_restore_options *options,
                               int *ret_fd) {
    *ret_fd = STDIN_FILENO;
    if (strcmp(options->file, "-") == 0)
        options->file = "standard input";
    else if ((*ret_fd = open(options->file, O_RDONLY | O_CLOEXEC)) < 0)
        return files_failed(arena, "read", options->file);
    return NULL;
}

static void close_dump(int fd) {
    if (fd != STDIN_FILENO)
        close(fd);
}

struct error *dump_file_check(struct arena *arena, const struct dump_restore_options *options,
                              struct dump_file_summary *ret_summary, struct error **ret_damage) {
    struct dump_restore_options named = *options;
    int fd;
    *ret_damage = NULL;
    TRY(open_dump(arena, &named, &fd));
    struct error *error = look_through(arena, &named, fd, NULL, ret_summary, ret_damage);
    close_dump(fd);
    return error;
}

struct error *dump_file_restore(struct arena *arena, const struct dump_restore_options *options,
                                struct dump_file_summary *ret_summary) {
    struct dump_restore_options named = *options;
    int fd;
    TRY(open_dump(arena, &named, &fd));
    struct error *error = restore_to(arena, &named, fd, ret_summary);
    close_dump(fd);
    return error;
}
