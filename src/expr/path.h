/* path.h - a document path with its names resolved, and how to follow it through an item.
 *
 * A path borrows its elements. Its first element is a name: that of an attribute. */
#ifndef GRAMME_EXPR_PATH_H
#define GRAMME_EXPR_PATH_H

#include "base/arena.h"
#include "model/value.h"

struct path_element {
    struct slice name; /* absent: the element is an index */
    uint32_t index;
};

struct path {
    const struct path_element *elements;
    uint32_t count;
};

static inline bool path_element_is_index(const struct path_element *element) {
    return !slice_present(element->name);
}

/* What the element names in a map or a list; absent when there is no such thing. */
static inline struct value path_element_find(const struct path_element *element,
                                             struct value container) {
    return path_element_is_index(element) ? value_list_at(container, element->index)
                                          : value_map_find(container, element->name);
}

/* The value at the path, absent when some element leads nowhere. */
struct value path_find(struct path path, struct value item);
/* The map or list in which the last element stands. */
struct value path_find_parent(struct path path, struct value item);

/* Names before indexes, a path before those that go on from it. */
int path_element_compare(const struct path_element *a, const struct path_element *b);
int path_compare(struct path a, struct path b);

enum path_relation {
    PATHS_APART,
    PATHS_OVERLAP,  /* the same, or one goes on from the other */
    PATHS_CONFLICT, /* one takes a map where the other takes a list */
};
enum path_relation path_relate(struct path a, struct path b);

/* As the service prints it: [a, b, [0]]. */
struct slice path_text(struct arena *arena, struct path path);

#endif
