/* files.c - mkdir, rename and remove, with their syncs. A name is durable only when the directory
 * that holds it has been synced. */
#include "admin/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TREE_FILES_OPEN = 8 };

struct error *files_failed(struct arena *arena, const char *what, const char *path) {
    return error_local(arena, "cannot %s %s: %s", what, path, strerror(errno));
}

const char *files_join(struct arena *arena, const char *directory, const char *name) {
    return (const char *)arena_printf(arena, "%s/%s", directory, name).data;
}

const char *files_parent(struct arena *arena, const char *path) {
    char *parent = arena_copy(arena, path, strlen(path) + 1);
    char *slash = strrchr(parent, '/');
    if (slash == NULL)
        return ".";
    slash[slash == parent ? 1 : 0] = '\0';
    return parent;
}

const char *files_trimmed(struct arena *arena, const char *path) {
    char *copy = arena_copy(arena, path, strlen(path) + 1);
    size_t len = strlen(copy);
    while (len > 1 && copy[len - 1] == '/')
        copy[--len] = '\0';
    return copy;
}

struct error *files_sync_directory(struct arena *arena, const char *directory) {
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return files_failed(arena, "open", directory);
    struct error *error = fsync(fd) == 0 ? NULL : files_failed(arena, "sync", directory);
    close(fd);
    return error;
}

struct error *files_make_directory(struct arena *arena, const char *path, unsigned mode) {
    if (mkdir(path, mode) != 0)
        return errno == EEXIST ? NULL : files_failed(arena, "create the directory", path);
    return files_sync_directory(arena, files_parent(arena, path));
}

struct error *files_make_directories(struct arena *arena, const char *path) {
    const char *trimmed = files_trimmed(arena, path);
    char *copy = arena_copy(arena, trimmed, strlen(trimmed) + 1);
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        TRY(files_make_directory(arena, copy, 0777));
        *slash = '/';
    }
    return files_make_directory(arena, copy, 0700);
}

bool files_write_all(int fd, struct slice bytes) {
    while (bytes.len > 0) {
        ssize_t written = write(fd, bytes.data, bytes.len);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0)
            bytes = slice_skip(bytes, (size_t)written);
    }
    return true;
}

struct error *files_write(struct arena *arena, const char *path, struct slice text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return files_failed(arena, "write", path);
    bool whole = files_write_all(fd, text) && fsync(fd) == 0;
    struct error *error = whole ? NULL : files_failed(arena, "write", path);
    close(fd);
    return error;
}

struct error *files_rename(struct arena *arena, const char *from, const char *to) {
    if (rename(from, to) != 0)
        return files_failed(arena, "move what was written to", to);
    return files_sync_directory(arena, files_parent(arena, to));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

struct error *files_remove_tree(struct arena *arena, const char *path) {
    if (nftw(path, remove_one, TREE_FILES_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0 &&
        errno != ENOENT)
        return files_failed(arena, "remove", path);
    return NULL;
}
