/* files.h - directories and files that are durable under their names. Errors are texts for the
 * person at the command line: "cannot <what> <path>: <why>". */
#ifndef GRAMME_ADMIN_FILES_H
#define GRAMME_ADMIN_FILES_H

#include "base/error.h"

/* From errno. */
struct error *files_failed(struct arena *arena, const char *what, const char *path);

/* NUL-terminated, in the arena. */
const char *files_join(struct arena *arena, const char *directory, const char *name);
const char *files_parent(struct arena *arena, const char *path);
/* Without slashes at its end. */
const char *files_trimmed(struct arena *arena, const char *path);

/* Makes the names in a directory durable. */
struct error *files_sync_directory(struct arena *arena, const char *directory);
/* One directory and its name; fine when it is there. */
struct error *files_make_directory(struct arena *arena, const char *path, unsigned mode);
/* mkdir -p, for what is missing of the path. The last one is its owner's alone. */
struct error *files_make_directories(struct arena *arena, const char *path);
/* Writes and syncs a file that is its owner's alone. */
struct error *files_write(struct arena *arena, const char *path, struct slice text);
/* write(2) until all is written. */
bool files_write_all(int fd, struct slice bytes);
/* Renames, replacing what is there, and makes both names durable: they are in one directory. */
struct error *files_rename(struct arena *arena, const char *from, const char *to);
/* A file or a directory with all that is in it; fine when it is not there. */
struct error *files_remove_tree(struct arena *arena, const char *path);

#endif
