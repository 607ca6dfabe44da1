/* form_tree.c - see form_tree.h. Fields are sorted first, so that what belongs together stands
 * together, and a part of a path is compared with one other only. */
#include "service/form_tree.h"

#include <stdlib.h>

#include "base/utf8.h"

/* The part before the first dot; takes it off, with the dot. */
static struct slice take_part(struct slice *path) {
    const uint8_t *dot = path->len == 0 ? NULL : memchr(path->data, '.', path->len);
    size_t len = dot == NULL ? path->len : (size_t)(dot - path->data);
    struct slice part = slice_first(*path, len);
    *path = slice_skip(*path, dot == NULL ? len : len + 1);
    return part;
}

static bool is_number(struct slice part) {
    for (size_t i = 0; i < part.len; i++)
        if (part.data[i] < '0' || part.data[i] > '9')
            return false;
    return part.len > 0;
}

static struct slice without_zeros(struct slice number) {
    while (number.len > 1 && number.data[0] == '0')
        number = slice_skip(number, 1);
    return number;
}

static int compare_parts(struct slice a, struct slice b) {
    if (!is_number(a) || !is_number(b))
        return slice_compare(a, b);
    a = without_zeros(a);
    b = without_zeros(b);
    return a.len != b.len ? (a.len < b.len ? -1 : 1) : slice_compare(a, b);
}

static int compare_paths(struct slice a, struct slice b) {
    while (a.len > 0 && b.len > 0) {
        int order = compare_parts(take_part(&a), take_part(&b));
        if (order != 0)
            return order;
    }
    return a.len > 0 ? 1 : b.len > 0 ? -1 : 0;
}

static int compare_fields(const void *a, const void *b) {
    const struct form_field *left = a, *right = b;
    int order = compare_paths(left->name, right->name);
    /* Texts of a form stand in its order. */
    return order != 0 ? order : left->name.data < right->name.data ? -1 : 1;
}

/* The node of each level that the last field went through. */
struct branch {
    struct json_value *node;
    const struct json_value **end; /* where its next child is hung in */
    struct slice part;             /* of its path */
};

static void begin_branch(struct branch *branch, struct json_value *node, struct slice part) {
    *branch = (struct branch){node, &node->first, part};
}

/* Goes down by one part; "member" and the number after it are one. False: that cannot be. */
static bool descend(struct arena *arena, struct branch *branches, size_t depth, struct slice *path,
                    bool *fresh) {
    struct branch *above = &branches[depth], *below = above + 1;
    struct slice part = take_part(path), number = SLICE_NONE;
    if (slice_is(part, "member") || slice_is(part, "entry")) {
        number = take_part(path);
        if (!is_number(number))
            return false;
    }
    enum json_token kind = slice_present(number) ? JSON_ARRAY_BEGIN : JSON_OBJECT_BEGIN;
    if (above->node->kind == JSON_NULL)
        above->node->kind = kind;
    if (part.len == 0 || above->node->kind != kind)
        return false;
    struct slice name = slice_present(number) ? without_zeros(number) : part;
    if (!*fresh && below->node != NULL && slice_equal(below->part, name))
        return true;
    struct json_value *child = ARENA_NEW(arena, struct json_value);
    child->kind = JSON_NULL;
    if (!slice_present(number))
        child->name = part;
    *above->end = child;
    above->end = &child->next;
    begin_branch(below, child, name);
    *fresh = true;
    return true;
}

static bool add_field(struct arena *arena, struct branch *branches,
                      const struct form_field *field) {
    struct slice path = field->name;
    size_t depth = 0;
    bool fresh = false;
    for (; path.len > 0; depth++)
        if (depth == FORM_DEPTH_MAX || !descend(arena, branches, depth, &path, &fresh))
            return false;
    struct json_value *leaf = branches[depth].node;
    if (!fresh)
        return leaf->kind == JSON_STRING; /* a field that came twice */
    if (depth < FORM_DEPTH_MAX)
        branches[depth + 1].node = NULL;
    leaf->kind = JSON_STRING;
    leaf->text = field->value;
    return utf8_check(field->value) && utf8_check(field->name);
}

const struct json_value *form_tree(struct arena *arena, struct form *form) {
    struct branch *branches = ARENA_ARRAY(arena, struct branch, FORM_DEPTH_MAX + 1);
    struct json_value *root = ARENA_NEW(arena, struct json_value);
    root->kind = JSON_OBJECT_BEGIN;
    begin_branch(&branches[0], root, SLICE_NONE);
    if (form->count > 1)
        qsort(form->fields, form->count, sizeof(*form->fields), compare_fields);
    for (size_t i = 0; i < form->count; i++)
        if (form->fields[i].name.len > 0 && !add_field(arena, branches, &form->fields[i]))
            return NULL;
    return root;
}
