/* apply_stacks.h - which templates `gramme apply` is about: one file, or the stacks of a folder
 * that CDK made, and the stacks within these. */
#ifndef GRAMME_CLI_APPLY_STACKS_H
#define GRAMME_CLI_APPLY_STACKS_H

#include "template/template.h"

enum { STACK_NAME_MAX = 128 };

struct apply_stack {
    const char *file; /* - : standard input */
    struct slice id;  /* of CDK, or of one of several; absent: there is nothing to tell apart */
    struct slice name;
    struct template *template; /* NULL: it was not read yet */
};

/* Those of the folder `path` (cdk.out), of its stages as well, in the order of the manifest; or the
 * file itself. `only` is the id or the name of the one that is wanted; NULL: all. */
struct error *apply_find_stacks(struct arena *arena, const char *path, const char *only,
                                struct apply_stack **ret_stacks, size_t *ret_count);

/* Of stacks that were read: each, and behind it those within it. */
void apply_add_nested(struct arena *arena, struct apply_stack **stacks, size_t *count);

#endif
