/* directory.h - all users, roles and keys at one moment, with their policies read.
 *
 * Immutable; replaced whole when something changes (iam.h). Counted references keep one alive as
 * long as somebody looks at it; secrets are wiped when it goes. */
#ifndef GRAMME_IAM_DIRECTORY_H
#define GRAMME_IAM_DIRECTORY_H

#include <stdatomic.h>

#include "iam/principal.h"
#include "iam/stored.h"

struct directory {
    atomic_uint references;
    struct arena arena;
    struct principal *principals[2]; /* by kind; each sorted by name */
    size_t counts[2];
    struct access_key *keys; /* sorted by id */
    size_t key_count;
};

struct directory_options {
    struct engine *engine;
    struct seal *seal;
    struct slice account;
};

/* Reads everything from the engine. The error is in `arena`. */
struct error *directory_load(struct arena *arena, const struct directory_options *options,
                             struct directory **ret_directory);
struct directory *directory_ref(struct directory *directory);
void directory_unref(struct directory *directory);

/* NULL: there is none. */
const struct principal *directory_find(const struct directory *directory, enum principal_kind kind,
                                       struct slice name);
const struct access_key *directory_find_key(const struct directory *directory, struct slice id);
/* How many keys the user has; an empty name is the owner's. */
size_t directory_count_keys(const struct directory *directory, struct slice user);

#endif
