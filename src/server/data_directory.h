/* data_directory.h - the directory given with --data: made when it is new, refused when it is not
 * ours.
 *
 * It holds a file `GRAMME` with one line, "gramme data, format 1", and the store's files in
 * `store/`. The file is what says that the directory is gramme's and how new its format is, before
 * anything else is opened. */
#ifndef GRAMME_SERVER_DATA_DIRECTORY_H
#define GRAMME_SERVER_DATA_DIRECTORY_H

#include "base/error.h"

/* Prepares the directory and returns the path of its store, NUL-terminated, in the arena. A store's
 * directory that is empty is a database that was never made, whose making a crash cut short. */
struct error *data_directory_open(struct arena *arena, const char *directory,
                                  const char **ret_store_path);

#endif
