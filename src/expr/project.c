/* project.c - the parts of an item that a tree of paths selects.
 *
 * A tree and a flat map are both sorted, so one pass over the map finds all. What is selected keeps
 * its nesting; elements of a list move together, in the order of their indexes. A container of
 * which nothing is selected does not appear. Recursion is as deep as the longest path. */
#include "base/check.h"
#include "expr/bind.h"

static bool project_value(const struct path_node *node, struct value v, struct value_builder *out);

/* True when something was selected, as in all functions here. */
static bool project_entry(const struct path_node *child, const struct value_iter *entry,
                          struct value_builder *out) {
    size_t mark = value_builder_mark(out);
    value_builder_name(out, entry->name);
    if (project_value(child, entry->value, out))
        return true;
    value_builder_drop(out, mark);
    return false;
}

static bool project_map(const struct path_node *node, struct value map, struct value_builder *out) {
    const struct path_node *child = node->children, *end = child + node->child_count;
    struct value_iter iter;
    bool any = false;
    value_iter_init(&iter, map);
    while (child < end && value_iter_next(&iter)) {
        int order = 1;
        while (child < end && !path_element_is_index(&child->element) &&
               (order = slice_compare(child->element.name, iter.name)) < 0)
            child++;
        if (order == 0 && child < end)
            any |= project_entry(child++, &iter, out);
    }
    return any;
}

static bool project_element(const struct path_node *child, struct value v,
                            struct value_builder *out) {
    size_t mark = value_builder_mark(out);
    if (project_value(child, v, out))
        return true;
    value_builder_drop(out, mark);
    return false;
}

static bool project_list(const struct path_node *node, struct value list,
                         struct value_builder *out) {
    const struct path_node *child = node->children, *end = child + node->child_count;
    struct value_iter iter;
    bool any = false;
    value_iter_init(&iter, list);
    for (uint32_t index = 0; child < end && value_iter_next(&iter); index++)
        if (path_element_is_index(&child->element) && child->element.index == index)
            any |= project_element(child++, iter.value, out);
    return any;
}

/* Always writes one value, which the caller takes back when nothing in it was selected. */
static bool project_value(const struct path_node *node, struct value v, struct value_builder *out) {
    if (node->leaf != LEAF_NONE) {
        value_builder_value(out, v);
        return true;
    }
    bool any = false;
    enum value_type type = value_type(v) == VALUE_L ? VALUE_L : VALUE_M;
    value_builder_open(out, type);
    if (value_type(v) == VALUE_M)
        any = project_map(node, v, out);
    else if (value_type(v) == VALUE_L)
        any = project_list(node, v, out);
    value_builder_close(out);
    return any;
}

/* A map with what the tree's paths select, which may be nothing. */
static void project_tree(const struct path_node *tree, struct value item,
                         struct value_builder *out) {
    value_builder_open(out, VALUE_M);
    if (value_type(item) == VALUE_M)
        project_map(tree, item, out);
    value_builder_close(out);
}

void expr_project(const struct expr *projection, struct value item, struct value_builder *out) {
    CHECK(projection->program->kind == EXPR_PROJECTION);
    project_tree(projection->tree, item, out);
}

void expr_update_touched(const struct expr *update, struct value item, struct value_builder *out) {
    CHECK(update->program->kind == EXPR_UPDATE);
    project_tree(update->tree, item, out);
}
