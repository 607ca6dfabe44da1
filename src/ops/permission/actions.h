/* actions.h - the actions that policies name, of operations and of others. */
#ifndef GRAMME_OPS_PERMISSION_ACTIONS_H
#define GRAMME_OPS_PERMISSION_ACTIONS_H

#include "base/arena.h"
#include "policy/keys.h"

/* What an action is on. */
enum action_resources {
    ACTION_ON_NOTHING = 1 << 0, /* "*" */
    ACTION_ON_TABLE = 1 << 1,
    ACTION_ON_INDEX = 1 << 2,
    ACTION_ON_STREAM = 1 << 3,
    ACTION_ON_BACKUP = 1 << 4,
    ACTION_ON_EXPORT = 1 << 5,
    ACTION_ON_IMPORT = 1 << 6,
    ACTION_ON_GLOBAL_TABLE = 1 << 7,
    ACTION_ON_UNATTACHED = 1 << 8, /* the policy of the resource itself has no say in it */
};

struct action {
    const char *name;   /* "dynamodb:PutItem" */
    unsigned resources; /* 0: an operation without an action, which asks for those of its parts */
    uint64_t keys;      /* of DynamoDB, and those of tags */
};

/* In this case. NULL: there is no such action. */
const struct action *action_find(struct slice name);

/* All of them, operations without an action included. */
size_t action_list(const struct action **ret_list);

/* Whether a pattern in the policy of a resource, "dynamodb:Get*", means an action that is on such a
 * resource and that its policy has a say in. */
bool action_pattern_fits(struct arena *arena, struct slice pattern, unsigned resources);

#endif
