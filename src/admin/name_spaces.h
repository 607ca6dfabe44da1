/* name_spaces.h - data directories below one: those of access keys and regions that a server with
 * --name-spaces keeps tables for.
 *
 * Each is a data directory of its own, with its own lock, key file and store; commands take one at
 * a time. Memory: the arena. */
#ifndef GRAMME_ADMIN_NAME_SPACES_H
#define GRAMME_ADMIN_NAME_SPACES_H

#include "base/error.h"

#define NAME_SPACES_FOLDER "name-spaces"

struct name_spaces {
    const char **paths; /* in the order of their names */
    size_t count;
};

/* None, where there is no such folder, or it cannot be read. */
struct name_spaces name_spaces_of(struct arena *arena, const char *directory);

#endif
