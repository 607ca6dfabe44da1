/* path.c - following, comparing and printing document paths. */
#include "expr/path.h"

#include <stdio.h>

static struct value follow(struct path path, uint32_t count, struct value item) {
    struct value at = item;
    for (uint32_t i = 0; i < count && value_present(at); i++)
        at = path_element_find(&path.elements[i], at);
    return at;
}

struct value path_find(struct path path, struct value item) {
    return follow(path, path.count, item);
}

struct value path_find_parent(struct path path, struct value item) {
    return follow(path, path.count - 1, item);
}

int path_element_compare(const struct path_element *a, const struct path_element *b) {
    bool a_index = path_element_is_index(a), b_index = path_element_is_index(b);
    if (a_index != b_index)
        return a_index ? 1 : -1;
    if (a_index)
        return a->index < b->index ? -1 : a->index > b->index;
    return slice_compare(a->name, b->name);
}

int path_compare(struct path a, struct path b) {
    for (uint32_t i = 0; i < a.count && i < b.count; i++) {
        int order = path_element_compare(&a.elements[i], &b.elements[i]);
        if (order != 0)
            return order;
    }
    return a.count < b.count ? -1 : a.count > b.count;
}

enum path_relation path_relate(struct path a, struct path b) {
    for (uint32_t i = 0; i < a.count && i < b.count; i++) {
        const struct path_element *x = &a.elements[i], *y = &b.elements[i];
        if (path_element_is_index(x) != path_element_is_index(y))
            return PATHS_CONFLICT;
        if (path_element_compare(x, y) != 0)
            return PATHS_APART;
    }
    return PATHS_OVERLAP;
}

struct slice path_text(struct arena *arena, struct path path) {
    size_t size = 2;
    for (uint32_t i = 0; i < path.count; i++)
        size += path.elements[i].name.len + sizeof(", [4294967295]");
    char *text = arena_alloc(arena, size);
    size_t len = 0;
    text[len++] = '[';
    for (uint32_t i = 0; i < path.count; i++) {
        const struct path_element *e = &path.elements[i];
        if (i > 0) {
            text[len++] = ',';
            text[len++] = ' ';
        }
        if (path_element_is_index(e)) {
            len += (size_t)snprintf(text + len, size - len, "[%u]", e->index);
        } else if (e->name.len > 0) {
            memcpy(text + len, e->name.data, e->name.len);
            len += e->name.len;
        }
    }
    text[len++] = ']';
    return slice_of(text, len);
}
