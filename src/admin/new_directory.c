/* new_directory.c - see new_directory.h. */
#include "admin/new_directory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/files.h"

static struct error *check_there(struct arena *arena, const char *directory,
                                 const struct stat *status) {
    struct stat above;
    bool empty = false;
    if (!S_ISDIR(status->st_mode))
        return error_local(arena, "%s is there and not a directory", directory);
    TRY(data_directory_is_empty(arena, directory, &empty));
    if (!empty)
        return error_local(arena, "%s is not empty: this goes to a new directory only", directory);
    if (stat(files_parent(arena, directory), &above) == 0 && above.st_dev != status->st_dev)
        return error_local(arena,
                           "%s is where a file system is mounted, and cannot be replaced: choose "
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
            return files_failed(arena, "write to", directory);
        *ret_target = trimmed;
        return NULL;
    }
    if (realpath(trimmed, resolved) == NULL)
        return files_failed(arena, "write to", directory);
    const char *target = arena_copy(arena, resolved, strlen(resolved) + 1);
    TRY(check_there(arena, target, &status));
    *ret_target = target;
    return NULL;
}

struct error *new_directory_begin(struct arena *arena, const char *path,
                                  const struct master_key *key, struct new_directory *ret_new) {
    struct new_directory made = {.lock = -1};
    TRY(find_target(arena, path, &made.target));
    made.partial = (const char *)arena_printf(arena, "%s.partial", made.target).data;
    TRY(data_directory_fill(arena, made.partial, key, &made.data, &made.lock));
    *ret_new = made;
    return NULL;
}

struct error *new_directory_end(struct arena *arena, struct new_directory *new_directory,
                                struct error *error) {
    if (error == NULL)
        error = data_directory_filled(arena, &new_directory->data);
    if (error == NULL)
        error = files_rename(arena, new_directory->partial, new_directory->target);
    if (error != NULL)
        files_remove_tree(arena, new_directory->partial); /* what went wrong first is what counts */
    data_directory_release(&new_directory->data);
    close(new_directory->lock);
    return error;
}
