/* path_places.c - where the paths of a set lead in one item, found in one pass over it.
 *
 * Looking up path by path costs paths times elements; an expression of many paths on a large item
 * would keep the thread that evaluates it busy for seconds. Sorted paths and a sorted map are
 * walked side by side instead, and a list and the indexes into it. Unlike the targets of an update,
 * the paths of a set here may be the same, or one go on from another, or one take a map where
 * another takes a list.
 *
 * Recursion is as deep as the longest path. Nothing is allocated. */
#include "expr/path_tree.h"

struct walk {
    struct value item;
    struct path_places places;
};

/* Paths whose first `depth` elements are the same. */
struct group {
    const struct path_entry *entries;
    uint32_t count;
    uint32_t depth;
};

static const struct path_element *element_of(struct group group, uint32_t entry) {
    return &group.entries[entry].path.elements[group.depth];
}

static void note_parent(const struct walk *walk, struct group group, uint32_t offset) {
    for (uint32_t i = 0; i < group.count; i++)
        if (group.entries[i].path.count == group.depth + 1)
            walk->places.parents[group.entries[i].number] = offset;
}

static void follow(const struct walk *walk, struct group group, struct value container);

/* The elements that the paths of the group have in common lead to `v`. */
static void reach(const struct walk *walk, struct group group, struct value v) {
    uint32_t offset = (uint32_t)(v.bytes - walk->item.bytes);
    while (group.count > 0 && group.entries[0].path.count == group.depth) {
        walk->places.values[group.entries[0].number] = offset;
        group.entries++;
        group.count--;
    }
    if (group.count == 0)
        return;
    if (walk->places.parents != NULL)
        note_parent(walk, group, offset);
    follow(walk, group, v);
}

/* Those paths from `from` on that have the next element in common lead to `v`. Returns the first
 * that has another. */
static uint32_t reach_next(const struct walk *walk, struct group group, uint32_t from,
                           struct value v) {
    uint32_t to = from + 1;
    while (to < group.count &&
           path_element_compare(element_of(group, from), element_of(group, to)) == 0)
        to++;
    reach(walk, (struct group){group.entries + from, to - from, group.depth + 1}, v);
    return to;
}

static void follow_names(const struct walk *walk, struct group group, struct value map) {
    uint32_t at = 0;
    struct value_iter iter;
    value_iter_init(&iter, map);
    while (at < group.count && value_iter_next(&iter)) {
        int order = 1;
        while (at < group.count &&
               (order = slice_compare(element_of(group, at)->name, iter.name)) < 0)
            at++;
        if (order == 0)
            at = reach_next(walk, group, at, iter.value);
    }
}

static void follow_indexes(const struct walk *walk, struct group group, struct value list) {
    uint32_t at = 0, index = 0, end = value_count(list);
    const uint8_t *next = list.bytes + CONTAINER_HEADER; /* where the element `index` starts */
    while (at < group.count && element_of(group, at)->index < end) {
        uint32_t wanted = element_of(group, at)->index;
        next = value_skip(next, wanted - index);
        index = wanted;
        at = reach_next(walk, group, at, value_at(next));
    }
}

/* Every path of the group goes on. Names come before indexes. */
static void follow(const struct walk *walk, struct group group, struct value container) {
    uint32_t names = 0;
    while (names < group.count && !path_element_is_index(element_of(group, names)))
        names++;
    if (value_type(container) == VALUE_M)
        follow_names(walk, (struct group){group.entries, names, group.depth}, container);
    else if (value_type(container) == VALUE_L)
        follow_indexes(walk,
                       (struct group){group.entries + names, group.count - names, group.depth},
                       container);
}

void path_set_find(const struct path_set *set, struct value item, struct path_places places) {
    struct walk walk = {item, places};
    memset(places.values, 0, set->count * sizeof(*places.values));
    if (places.parents != NULL)
        memset(places.parents, 0, set->count * sizeof(*places.parents));
    follow(&walk, (struct group){set->sorted, set->count, 0}, item);
}
