/* path_tree.c - sorting paths brings together what belongs together. */
#include "expr/path_tree.h"

#include <stdlib.h>

enum { SORTED_BY_INSERTION = 12 };

static int compare_entries(const void *a, const void *b) {
    const struct path_entry *x = a, *y = b;
    int order = path_compare(x->path, y->path);
    return order != 0 ? order : x->number < y->number ? -1 : x->number > y->number;
}

/* The usual expression has a handful of paths. */
static void sort_few(struct path_entry *entries, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        struct path_entry moved = entries[i];
        uint32_t at = i;
        for (; at > 0 && compare_entries(&moved, &entries[at - 1]) < 0; at--)
            entries[at] = entries[at - 1];
        entries[at] = moved;
    }
}

struct path_set path_set_sort(struct arena *arena, const struct path *paths, uint32_t count) {
    struct path_entry *entries = arena_alloc(arena, sizeof(*entries) * count);
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (struct path_entry){paths[i], i};
    if (count <= SORTED_BY_INSERTION)
        sort_few(entries, count);
    else
        qsort(entries, count, sizeof(*entries), compare_entries);
    return (struct path_set){paths, entries, count};
}

/* ---- clashes ---- */

static struct path_clash find_last(const struct path *paths, uint32_t count) {
    for (uint32_t two = count - 1; two > 0; two--)
        for (uint32_t one = two; one-- > 0;) {
            enum path_relation relation = path_relate(paths[one], paths[two]);
            if (relation != PATHS_APART)
                return (struct path_clash){relation, one, two};
        }
    return (struct path_clash){PATHS_APART, 0, 0};
}

/* A path that excludes any other excludes one next to it in the order: what lies between two paths
 * shares what they share. */
struct path_clash path_set_clash(const struct path_set *set) {
    const struct path_entry *sorted = set->sorted;
    for (uint32_t i = 1; i < set->count; i++)
        if (path_relate(sorted[i - 1].path, sorted[i].path) != PATHS_APART)
            return find_last(set->paths, set->count);
    return (struct path_clash){PATHS_APART, 0, 0};
}

/* ---- the tree ---- */

/* Entries whose first `depth` elements are those of the node's path. */
struct group {
    const struct path_entry *entries;
    uint32_t count;
    uint32_t depth;
};

static uint32_t same_element(struct group group, uint32_t from) {
    const struct path_element *first = &group.entries[from].path.elements[group.depth];
    uint32_t to = from + 1;
    while (to < group.count &&
           path_element_compare(first, &group.entries[to].path.elements[group.depth]) == 0)
        to++;
    return to;
}

static uint32_t count_children(struct group group) {
    uint32_t children = 0;
    for (uint32_t i = 0; i < group.count; i = same_element(group, i))
        children++;
    return children;
}

static void build(struct arena *arena, struct path_node *node, struct group group) {
    node->leaf = LEAF_NONE;
    node->child_count = count_children(group);
    node->children = ARENA_ARRAY(arena, struct path_node, node->child_count);
    struct path_node *child = node->children;
    for (uint32_t from = 0; from < group.count; child++) {
        uint32_t to = same_element(group, from);
        const struct path_entry *first = &group.entries[from];
        child->element = first->path.elements[group.depth];
        if (first->path.count == group.depth + 1)
            child->leaf = first->number;
        else
            build(arena, child, (struct group){first, to - from, group.depth + 1});
        from = to;
    }
}

struct path_node *path_set_tree(struct arena *arena, const struct path_set *set) {
    struct path_node *root = ARENA_NEW(arena, struct path_node);
    build(arena, root, (struct group){set->sorted, set->count, 0});
    return root;
}
