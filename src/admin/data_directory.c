/* data_directory.c - the marker file and its checks. The marker is written to a temporary name,
 * synced and renamed, so a crash leaves either none or a whole one. */
#include "admin/data_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "admin/files.h"

enum { DATA_FORMAT = 1, MARKER_BYTES_MAX = 64 };

#define MARKER "GRAMME"
#define STORE "store"
#define MARKER_NEW "GRAMME.new"
#define MARKER_TEXT "gramme data, format %d\n"
#define FILLING "RESTORING"

/* Whether there is nothing but the names given; the list ends with NULL. */
static struct error *has_only(struct arena *arena, const char *directory, const char *const *names,
                              bool *ret_only) {
    DIR *dir = opendir(directory);
    if (dir == NULL)
        return files_failed(arena, "read the data directory", directory);
    *ret_only = true;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        bool known = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        for (size_t i = 0; names[i] != NULL; i++)
            known = known || strcmp(entry->d_name, names[i]) == 0;
        *ret_only = *ret_only && known;
    }
    closedir(dir);
    return NULL;
}

struct error *data_directory_is_empty(struct arena *arena, const char *directory, bool *ret_empty) {
    return has_only(arena, directory, (const char *const[]){NULL}, ret_empty);
}

static struct error *write_marker(struct arena *arena, const char *directory) {
    const char *fresh = files_join(arena, directory, MARKER_NEW);
    TRY(files_write(arena, fresh, arena_printf(arena, MARKER_TEXT, DATA_FORMAT)));
    return files_rename(arena, fresh, files_join(arena, directory, MARKER));
}

static struct error *check_marker(struct arena *arena, const char *directory, const char *text) {
    int format;
    if (sscanf(text, MARKER_TEXT, &format) != 1)
        return error_local(arena, "%s is damaged: its file %s cannot be read", directory, MARKER);
    if (format > DATA_FORMAT)
        return error_local(
            arena,
            "%s has data format %d, and this version of gramme knows formats up to %d: "
            "use a newer gramme",
            directory, format, DATA_FORMAT);
    return NULL;
}

static struct error *read_marker(struct arena *arena, const char *directory, bool *ret_found) {
    char text[MARKER_BYTES_MAX + 1];
    int fd = open(files_join(arena, directory, MARKER), O_RDONLY | O_CLOEXEC);
    *ret_found = fd >= 0;
    if (fd < 0)
        return errno == ENOENT ? NULL : files_failed(arena, "read the marker in", directory);
    ssize_t len = read(fd, text, MARKER_BYTES_MAX);
    close(fd);
    if (len < 0)
        return files_failed(arena, "read the marker in", directory);
    text[len] = '\0';
    return check_marker(arena, directory, text);
}

/* The store's directory comes before the marker: where there is a marker, there is a store, or
 * something was lost. */
static struct error *make_new(struct arena *arena, const char *directory, const char *store_path) {
    bool empty = false;
    TRY(has_only(arena, directory, (const char *const[]){MARKER_NEW, STORE, NULL}, &empty));
    if (!empty)
        return error_local(arena,
                           "%s is not empty and not a data directory of gramme: choose another, or "
                           "an empty one",
                           directory);
    TRY(files_make_directory(arena, store_path, 0700));
    return write_marker(arena, directory);
}

static struct error *check_store(struct arena *arena, const char *directory,
                                 const char *store_path) {
    if (access(store_path, F_OK) == 0)
        return NULL;
    return error_local(arena, "%s is damaged: it has the file %s but not its store, %s", directory,
                       MARKER, store_path);
}

struct error *data_directory_open(struct arena *arena, const char *directory,
                                  const char **ret_store_path) {
    bool marked = false;
    const char *store_path = files_join(arena, directory, STORE);
    TRY(files_make_directories(arena, directory));
    TRY(read_marker(arena, directory, &marked));
    if (!marked)
        TRY(make_new(arena, directory, store_path));
    else
        TRY(check_store(arena, directory, store_path));
    *ret_store_path = store_path;
    return NULL;
}

struct error *data_directory_find(struct arena *arena, const char *directory,
                                  const char **ret_store_path) {
    bool marked = false;
    const char *store_path = files_join(arena, directory, STORE);
    TRY(read_marker(arena, directory, &marked));
    if (!marked)
        return error_local(arena, "%s is not a data directory of gramme: it has no file %s",
                           directory, MARKER);
    TRY(check_store(arena, directory, store_path));
    *ret_store_path = store_path;
    return NULL;
}

/* ---- filling ---- */

static struct error *check_may_fill(struct arena *arena, const char *directory) {
    bool ours = access(files_join(arena, directory, FILLING), F_OK) == 0, empty = false;
    TRY(data_directory_is_empty(arena, directory, &empty));
    if (ours || empty)
        return NULL;
    return error_local(arena,
                       "%s is in the way: a restore works there, and did not make what is in it",
                       directory);
}

static struct error *lock_filling(struct arena *arena, const char *directory, int *ret_lock) {
    int fd = open(files_join(arena, directory, FILLING), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return files_failed(arena, "write in", directory);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return error_local(arena, "another restore is working in %s at this moment", directory);
    }
    *ret_lock = fd;
    return NULL;
}

static struct error *make_empty(struct arena *arena, const char *directory,
                                const char *store_path) {
    TRY(files_remove_tree(arena, store_path));
    TRY(files_remove_tree(arena, files_join(arena, directory, MARKER)));
    TRY(files_remove_tree(arena, files_join(arena, directory, MARKER_NEW)));
    return files_make_directory(arena, store_path, 0700);
}

struct error *data_directory_fill(struct arena *arena, const char *directory,
                                  const char **ret_store_path, int *ret_lock) {
    int lock = -1;
    const char *store_path = files_join(arena, directory, STORE);
    TRY(files_make_directories(arena, directory));
    TRY(check_may_fill(arena, directory));
    TRY(lock_filling(arena, directory, &lock));
    struct error *error = make_empty(arena, directory, store_path);
    if (error != NULL) {
        close(lock);
        return error;
    }
    *ret_store_path = store_path;
    *ret_lock = lock;
    return NULL;
}

struct error *data_directory_filled(struct arena *arena, const char *directory) {
    TRY(write_marker(arena, directory));
    TRY(files_remove_tree(arena, files_join(arena, directory, FILLING)));
    return files_sync_directory(arena, directory);
}
