/* new_directory.h - a data directory that is made of something else, and appears when it is whole.
 *
 * It is filled as PATH.partial, which has a file RESTORING and not the marker (data_directory.h).
 * So a directory named PATH is whole, whatever happened before. What a crash left of one is removed
 * by the next. Memory: the arena. */
#ifndef GRAMME_ADMIN_NEW_DIRECTORY_H
#define GRAMME_ADMIN_NEW_DIRECTORY_H

#include "admin/data_directory.h"

struct new_directory {
    const char *target;
    const char *partial;
    struct data_directory data; /* with an empty directory for its store */
    int lock;
};

/* The path is not there yet, or an empty directory; `key` encrypts it, or is NULL. */
struct error *new_directory_begin(struct arena *arena, const char *path,
                                  const struct master_key *key, struct new_directory *ret_new);
/* With its store durable and closed, or with the error that came before: then nothing of it stays.
 * Returns that, or its own. */
struct error *new_directory_end(struct arena *arena, struct new_directory *new_directory,
                                struct error *error);

#endif
