/* data_directory.h - the directory given with --data: made when it is new, refused when it is not
 * ours.
 *
 * It holds a file `GRAMME` with one line, "gramme data, format 1", and the store's files in
 * `store/`. The file is what says that the directory is gramme's and how new its format is, before
 * anything else is opened. One that is being filled by a restore has a file `RESTORING` instead,
 * and is not a data directory yet. */
#ifndef GRAMME_ADMIN_DATA_DIRECTORY_H
#define GRAMME_ADMIN_DATA_DIRECTORY_H

#include "base/error.h"

/* Prepares the directory and returns the path of its store, NUL-terminated, in the arena. A store's
 * directory that is empty is a database that was never made, whose making a crash cut short. */
struct error *data_directory_open(struct arena *arena, const char *directory,
                                  const char **ret_store_path);

/* The same for one that must be there; nothing is made. */
struct error *data_directory_find(struct arena *arena, const char *directory,
                                  const char **ret_store_path);

/* Makes a directory to be filled, with an empty store's directory. What a fill that was cut short
 * left there is removed; anything else in it is an error, and so is a fill by another process. The
 * lock that keeps others out goes with the file descriptor. */
struct error *data_directory_fill(struct arena *arena, const char *directory,
                                  const char **ret_store_path, int *ret_lock);
/* Makes it a data directory; its store is durable already. */
struct error *data_directory_filled(struct arena *arena, const char *directory);

/* Whether there is nothing in it at all. */
struct error *data_directory_is_empty(struct arena *arena, const char *directory, bool *ret_empty);

#endif
