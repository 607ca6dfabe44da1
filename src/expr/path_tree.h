/* path_tree.h - several paths taken together: merged into one tree, for projections and updates, or
 * found in one pass over an item.
 *
 * The children of a node are sorted as the entries of a map are (or by index), so that a tree and a
 * flat value are walked side by side in one pass. */
#ifndef GRAMME_EXPR_PATH_TREE_H
#define GRAMME_EXPR_PATH_TREE_H

#include "expr/path.h"

#define LEAF_NONE UINT32_MAX

struct path_node {
    struct path_element element;
    struct path_node *children;
    uint32_t child_count;
    uint32_t leaf; /* the number of the path that ends here, or LEAF_NONE */
};

/* A path and its number in written order. */
struct path_entry {
    struct path path;
    uint32_t number;
};

/* Paths in written order, and sorted. */
struct path_set {
    const struct path *paths;
    const struct path_entry *sorted;
    uint32_t count;
};

struct path_clash {
    enum path_relation relation; /* PATHS_APART: there is none */
    uint32_t one;                /* the path written first */
    uint32_t two;
};

/* The paths are borrowed. */
struct path_set path_set_sort(struct arena *arena, const struct path *paths, uint32_t count);

/* Whether two of the paths exclude each other. Of several such pairs, the last. */
struct path_clash path_set_clash(const struct path_set *set);

/* The root, whose children are the attributes. No two paths may clash, and none may have more than
 * LIMIT_PATH_NESTING elements: that bounds the recursion here and over the tree. */
struct path_node *path_set_tree(struct arena *arena, const struct path_set *set);

/* Where paths lead in an item: offsets in its bytes, by the paths' numbers. 0 is nowhere. */
struct path_places {
    uint32_t *values;
    uint32_t *parents; /* what the last elements stand in, 0 also for the item; NULL: not asked */
};

/* Fills the arrays, which have room for all, in one pass over the item. The paths may clash. */
void path_set_find(const struct path_set *set, struct value item, struct path_places places);

static inline struct value path_place_value(struct value item, uint32_t place) {
    return place == 0 ? VALUE_ABSENT : value_at(item.bytes + place);
}

#endif
