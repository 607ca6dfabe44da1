/* actions.c - see actions.h. */
#include "ops/permission/actions.h"

#include "policy/pattern.h"

#define BIT(key) (UINT64_C(1) << POLICY_KEY_##key)

/* The words of actions.def. */
#define NO_KEYS 0
#define ATTRIBUTES BIT(ATTRIBUTES)
#define LEADING_KEYS (BIT(LEADING_KEYS) | BIT(SECOND_KEYS) | BIT(THIRD_KEYS) | BIT(FOURTH_KEYS))
#define CAPACITY BIT(RETURN_CONSUMED_CAPACITY)
#define RETURN_VALUES BIT(RETURN_VALUES)
#define SELECT BIT(SELECT)
#define ENCLOSING BIT(ENCLOSING_OPERATION)
#define FULL_SCAN BIT(FULL_TABLE_SCAN)
#define TAG_KEYS BIT(TAG_KEYS)
#define REQUEST_TAGS (BIT(TAG_KEYS) | BIT(REQUEST_TAG))

enum {
    NOTHING = ACTION_ON_NOTHING,
    TABLE = ACTION_ON_TABLE,
    INDEX = ACTION_ON_INDEX,
    STREAM = ACTION_ON_STREAM,
    BACKUP = ACTION_ON_BACKUP,
    EXPORT = ACTION_ON_EXPORT,
    IMPORT = ACTION_ON_IMPORT,
    GLOBAL_TABLE = ACTION_ON_GLOBAL_TABLE,
    UNATTACHED = ACTION_ON_UNATTACHED,
};

static const struct action actions[] = {
#define ACTION(name, resources, keys) {"dynamodb:" #name, resources, keys},
#define PARTS(name) {"dynamodb:" #name, 0, 0},
#include "ops/permission/actions.def"
#undef ACTION
#undef PARTS
};
enum { ACTION_COUNT = sizeof(actions) / sizeof(*actions) };

/* Every operation has its line, also one that is still to come. */
enum {
#define ACTION(name, resources, keys) ACTION_##name,
#define PARTS(name) ACTION_##name,
#include "ops/permission/actions.def"
#undef ACTION
#undef PARTS
};
#define OP(name, family, symbol) \
    _Static_assert((int)ACTION_##name < (int)ACTION_COUNT, #name " has its permission data");
#define MISSING(name) OP(name, , )
#include "ops/ops.def"
#undef OP
#undef MISSING

const struct action *action_find(struct slice name) {
    size_t low = 0, high = ACTION_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = slice_compare(slice_text(actions[middle].name), name);
        if (order == 0)
            return actions[middle].resources == 0 ? NULL : &actions[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

size_t action_list(const struct action **ret_list) {
    *ret_list = actions;
    return ACTION_COUNT;
}

bool action_pattern_fits(struct arena *arena, struct slice text, unsigned resources) {
    const struct pattern_syntax syntax = {.wildcards = true, .any_case = true};
    struct pattern pattern;
    struct slice wrong;
    if (!pattern_parse(arena, &syntax, text, &pattern, &wrong))
        return false;
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        const struct action *action = &actions[i];
        bool meant = (action->resources & resources) && !(action->resources & UNATTACHED);
        if (meant && pattern_matches(&pattern, NULL, slice_text(action->name)))
            return true;
    }
    return false;
}
