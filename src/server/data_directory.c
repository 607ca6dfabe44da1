/* data_directory.c - the marker file and its checks. The marker is written to a temporary name,
 * synced and renamed, so a crash leaves either none or a whole one. */
#include "server/data_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DATA_FORMAT = 1, MARKER_BYTES_MAX = 64 };

#define MARKER "GRAMME"
#define STORE "store"
#define MARKER_NEW "GRAMME.new"
#define MARKER_TEXT "gramme data, format %d\n"

static struct error *failed(struct arena *arena, const char *what, const char *path) {
    return error_new(arena, ERROR_INTERNAL_SERVER_ERROR, "cannot %s %s: %s", what, path,
                     strerror(errno));
}

static const char *join(struct arena *arena, const char *directory, const char *name) {
    return (const char *)arena_printf(arena, "%s/%s", directory, name).data;
}

static struct error *sync_directory(struct arena *arena, const char *directory) {
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return failed(arena, "open", directory);
    struct error *error = fsync(fd) == 0 ? NULL : failed(arena, "sync", directory);
    close(fd);
    return error;
}

/* Makes a directory and its name durable in the one that holds it. */
static struct error *make_directory(struct arena *arena, const char *path, mode_t mode) {
    if (mkdir(path, mode) != 0)
        return errno == EEXIST ? NULL : failed(arena, "create the directory", path);
    char *parent = arena_copy(arena, path, strlen(path) + 1);
    char *slash = strrchr(parent, '/');
    if (slash == NULL)
        return sync_directory(arena, ".");
    slash[slash == parent ? 1 : 0] = '\0';
    return sync_directory(arena, parent);
}

/* mkdir -p, for what is missing of the path. The last one is its owner's alone. */
static struct error *make_directories(struct arena *arena, const char *path) {
    char *copy = arena_copy(arena, path, strlen(path) + 1);
    size_t len = strlen(copy);
    while (len > 1 && copy[len - 1] == '/')
        copy[--len] = '\0';
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        TRY(make_directory(arena, copy, 0777));
        *slash = '/';
    }
    return make_directory(arena, copy, 0700);
}

static struct error *is_empty(struct arena *arena, const char *directory, bool *ret_empty) {
    DIR *dir = opendir(directory);
    if (dir == NULL)
        return failed(arena, "read the data directory", directory);
    *ret_empty = true;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, MARKER_NEW) != 0 && strcmp(entry->d_name, STORE) != 0)
            *ret_empty = false;
    closedir(dir);
    return NULL;
}

static struct error *write_file(struct arena *arena, const char *path, struct slice text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(arena, "write", path);
    bool whole = write(fd, text.data, text.len) == (ssize_t)text.len && fsync(fd) == 0;
    struct error *error = whole ? NULL : failed(arena, "write", path);
    close(fd);
    return error;
}

static struct error *write_marker(struct arena *arena, const char *directory) {
    const char *fresh = join(arena, directory, MARKER_NEW);
    TRY(write_file(arena, fresh, arena_printf(arena, MARKER_TEXT, DATA_FORMAT)));
    if (rename(fresh, join(arena, directory, MARKER)) != 0)
        return failed(arena, "write the marker in", directory);
    return sync_directory(arena, directory);
}

static struct error *check_marker(struct arena *arena, const char *directory, const char *text) {
    int format;
    if (sscanf(text, MARKER_TEXT, &format) != 1)
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                         "%s is damaged: its file %s cannot be read", directory, MARKER);
    if (format > DATA_FORMAT)
        return error_new(
            arena, ERROR_INTERNAL_SERVER_ERROR,
            "%s has data format %d, and this version of gramme knows formats up to %d: "
            "use a newer gramme",
            directory, format, DATA_FORMAT);
    return NULL;
}

static struct error *read_marker(struct arena *arena, const char *directory, bool *ret_found) {
    char text[MARKER_BYTES_MAX + 1];
    int fd = open(join(arena, directory, MARKER), O_RDONLY | O_CLOEXEC);
    *ret_found = fd >= 0;
    if (fd < 0)
        return errno == ENOENT ? NULL : failed(arena, "read the marker in", directory);
    ssize_t len = read(fd, text, MARKER_BYTES_MAX);
    close(fd);
    if (len < 0)
        return failed(arena, "read the marker in", directory);
    text[len] = '\0';
    return check_marker(arena, directory, text);
}

/* The store's directory comes before the marker: where there is a marker, there is a store, or
 * something was lost. */
static struct error *make_new(struct arena *arena, const char *directory, const char *store_path) {
    bool empty = false;
    TRY(is_empty(arena, directory, &empty));
    if (!empty)
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                         "%s is not empty and not a data directory of gramme: choose another, or "
                         "an empty one",
                         directory);
    TRY(make_directory(arena, store_path, 0700));
    return write_marker(arena, directory);
}

struct error *data_directory_open(struct arena *arena, const char *directory,
                                  const char **ret_store_path) {
    bool marked = false;
    const char *store_path = join(arena, directory, STORE);
    TRY(make_directories(arena, directory));
    TRY(read_marker(arena, directory, &marked));
    if (!marked)
        TRY(make_new(arena, directory, store_path));
    else if (access(store_path, F_OK) != 0)
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                         "%s is damaged: it has the file %s but not its store, %s", directory,
                         MARKER, store_path);
    *ret_store_path = store_path;
    return NULL;
}
