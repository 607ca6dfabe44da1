/* apply_stacks.h - which templates `gramme apply` is about: one file, or the stacks of a folder
 * that CDK made. */
#ifndef GRAMME_CLI_APPLY_STACKS_H
#define GRAMME_CLI_APPLY_STACKS_H

#include "base/error.h"

struct apply_stack {
    const char *file; /* - : standard input */
    struct slice id;  /* of CDK; absent: it is no stack of CDK's */
    struct slice name;
};

/* Those of the folder `path` (cdk.out), of its stages as well, in the order of the manifest; or the
 * file itself. `only` is the id or the name of the one that is wanted; NULL: all. */
struct error *apply_find_stacks(struct arena *arena, const char *path, const char *only,
                                struct apply_stack **ret_stacks, size_t *ret_count);

#endif
