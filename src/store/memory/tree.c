/* tree.c - lookups, edits and cursors over the nodes of node.c.
 *
 * Going down, an edit copies each node it will change and splits each full one before it enters, so
 * a put never has to come back up. A removal comes back up along its path: a node left empty goes,
 * a small one joins a neighbour when both fit well below a full node, so that the next puts do not
 * split it again at once.
 * Memory: see node.c. Threads: the writer edits; finds and cursors run anywhere on a pinned root.
 */
#include "store/memory/tree.h"

#include <stdlib.h>

#include "base/check.h"
#include "store/memory/node.h"

enum { JOIN_ENTRIES_MAX = NODE_ENTRIES_MAX * 3 / 4 };

/* A binary search waits for memory at each step; asked for together, the heads come at once. */
static void node_prefetch(const struct node *node) {
    for (size_t at = 0; at < offsetof(struct node, records); at += 64)
        __builtin_prefetch((const char *)node + at);
}

const struct record *tree_find(const struct node *root, struct slice key) {
    if (root == NULL)
        return NULL;
    while (!node_is_leaf(root)) {
        root = node_children(root)[node_child_index(root, key)];
        node_prefetch(root);
    }
    bool equal;
    size_t index = node_search(root, key, &equal);
    return equal ? root->records[index] : NULL;
}

/* Where to part a full node that `key` is about to enter. Keys that come in ascending order (logs,
 * dates) leave full nodes behind instead of half empty ones. */
static size_t split_place(const struct node *node, struct slice key) {
    bool equal;
    if (node_search(node, key, &equal) == node->count)
        return node->count - 1u;
    return node->count / 2u;
}

/* Parts the full child at `index` of a writable branch that has room. */
static void child_split(struct tree_edit *edit, struct node *parent, size_t index,
                        struct slice key) {
    struct node *left = node_writable(edit, &node_children_edit(parent)[index]);
    struct node *right = node_new(edit, (enum object_kind)left->object.kind);
    struct record *separator = node_split(edit, left, split_place(left, key), right);
    node_insert(parent, index + 1, separator, right);
}

static void root_split(struct tree_edit *edit, struct node **root, struct slice key) {
    struct node *branch = node_new(edit, OBJECT_BRANCH);
    node_insert(branch, 0, NULL, *root);
    child_split(edit, branch, 0, key);
    *root = branch;
}

static void leaf_put(struct tree_edit *edit, struct node *leaf, struct slice key,
                     struct slice value) {
    bool equal;
    size_t index = node_search(leaf, key, &equal);
    struct record *record = record_new(edit, key, value);
    if (equal) {
        edit_drop(edit, &leaf->records[index]->object);
        leaf->records[index] = record;
    } else {
        node_insert(leaf, index, record, NULL);
    }
}

void tree_put(struct tree_edit *edit, struct node **root, struct slice key, struct slice value) {
    if (*root == NULL)
        *root = node_new(edit, OBJECT_LEAF);
    if ((*root)->count == NODE_ENTRIES_MAX)
        root_split(edit, root, key);
    struct node *node = node_writable(edit, root);
    while (!node_is_leaf(node)) {
        size_t index = node_child_index(node, key);
        if (node_children(node)[index]->count == NODE_ENTRIES_MAX) {
            child_split(edit, node, index, key);
            index = node_child_index(node, key);
        }
        node = node_writable(edit, &node_children_edit(node)[index]);
    }
    leaf_put(edit, node, key, value);
}

/* Takes the entries [first, last) of a branch away with all that is below them. */
static void children_drop(struct tree_edit *edit, struct node *parent, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        if (parent->records[i] != NULL)
            edit_drop(edit, &parent->records[i]->object);
        edit_drop_tree(edit, node_children(parent)[i]);
    }
    struct record *separator = node_cut(parent, first, last);
    if (separator != NULL)
        edit_drop(edit, &separator->object);
}

/* Joins the children at `index` and after it when together they leave room. */
static void children_join(struct tree_edit *edit, struct node *parent, size_t index) {
    struct node **children = node_children_edit(parent);
    if (children[index]->count + children[index + 1]->count > JOIN_ENTRIES_MAX)
        return;
    struct node *left = node_writable(edit, &children[index]);
    struct node *right = children[index + 1];
    struct record *separator = parent->records[index + 1];
    node_cut(parent, index + 1, index + 2);
    node_join(edit, left, separator, right);
    edit_drop(edit, &right->object);
}

/* After entries left the child at `index`: an empty child goes, a small one looks for company. */
static void child_settle(struct tree_edit *edit, struct node *parent, size_t index) {
    size_t count = node_children(parent)[index]->count;
    if (count == 0)
        children_drop(edit, parent, index, index + 1);
    else if (count < NODE_ENTRIES_MIN && index + 1 < parent->count)
        children_join(edit, parent, index);
    else if (count < NODE_ENTRIES_MIN && index > 0)
        children_join(edit, parent, index - 1);
}

/* An empty root is no root; a branch with one child is not needed. */
static void root_settle(struct tree_edit *edit, struct node **root) {
    while (!node_is_leaf(*root) && (*root)->count == 1) {
        struct node *child = node_children(*root)[0];
        edit_drop(edit, &(*root)->object);
        *root = child;
    }
    if ((*root)->count == 0) {
        edit_drop(edit, &(*root)->object);
        *root = NULL;
    }
}

void tree_remove(struct tree_edit *edit, struct node **root, struct slice key) {
    if (tree_find(*root, key) == NULL)
        return;
    struct node *path[TREE_HEIGHT_MAX];
    size_t indexes[TREE_HEIGHT_MAX], depth = 0;
    struct node *node = node_writable(edit, root);
    while (!node_is_leaf(node)) {
        CHECK(depth < TREE_HEIGHT_MAX);
        path[depth] = node;
        indexes[depth] = node_child_index(node, key);
        node = node_writable(edit, &node_children_edit(node)[indexes[depth]]);
        depth++;
    }
    bool equal;
    size_t index = node_search(node, key, &equal);
    edit_drop(edit, &node->records[index]->object);
    node_cut(node, index, index + 1);
    while (depth-- > 0)
        child_settle(edit, path[depth], indexes[depth]);
    root_settle(edit, root);
}

static void leaf_remove_range(struct tree_edit *edit, struct node *leaf, struct slice first,
                              struct slice last) {
    bool equal;
    size_t from = node_search(leaf, first, &equal);
    size_t to = slice_present(last) ? node_search(leaf, last, &equal) : leaf->count;
    for (size_t i = from; i < to; i++)
        edit_drop(edit, &leaf->records[i]->object);
    node_cut(leaf, from, to);
}

/* Children strictly inside the range go whole; only the two at its ends are entered, so that the
 * work is twice the height of the tree. The recursion is as deep as the tree. */
static void node_remove_range(struct tree_edit *edit, struct node **slot, struct slice first,
                              struct slice last) {
    struct node *node = node_writable(edit, slot);
    if (node_is_leaf(node)) {
        leaf_remove_range(edit, node, first, last);
        return;
    }
    size_t from = node_child_index(node, first);
    size_t to = slice_present(last) ? node_child_index(node, last) : node->count - 1u;
    if (to > from + 1) {
        children_drop(edit, node, from + 1, to);
        to = from + 1;
    }
    if (to > from) {
        node_remove_range(edit, &node_children_edit(node)[to], first, last);
        child_settle(edit, node, to);
    }
    /* The right end may have joined the left one; going in again finds nothing to do there. */
    node_remove_range(edit, &node_children_edit(node)[from], first, last);
    child_settle(edit, node, from);
}

void tree_remove_range(struct tree_edit *edit, struct node **root, struct slice first,
                       struct slice last) {
    if (*root == NULL)
        return;
    node_remove_range(edit, root, first, last);
    root_settle(edit, root);
}

/* Only what the edit made: older nodes below belong to older versions too. The recursion is as deep
 * as the tree. */
static void abandon_node(const struct tree_edit *edit, struct node *node) {
    if (node->object.birth != edit->version)
        return;
    for (size_t i = 0; i < node->count; i++) {
        struct record *record = node->records[i];
        if (record != NULL && record->object.birth == edit->version)
            free(record);
        if (!node_is_leaf(node))
            abandon_node(edit, node_children(node)[i]);
    }
    free(node);
}

void tree_abandon(struct tree_edit *edit, struct node *root) {
    if (root != NULL)
        abandon_node(edit, root);
}

/* Goes down to the first (or, when `last`, the last) record below the entry the path ends on. */
static void cursor_descend(struct cursor *cursor, bool last) {
    while (!node_is_leaf(cursor->path[cursor->depth - 1].node)) {
        const struct node *parent = cursor->path[cursor->depth - 1].node;
        const struct node *child = node_children(parent)[cursor->path[cursor->depth - 1].index];
        CHECK(cursor->depth < TREE_HEIGHT_MAX);
        cursor->path[cursor->depth].node = child;
        cursor->path[cursor->depth].index = last ? (uint16_t)(child->count - 1) : 0;
        cursor->depth++;
    }
}

void cursor_seek(struct cursor *cursor, const struct node *root, struct slice key) {
    cursor->depth = 0;
    for (const struct node *node = root; node != NULL; cursor->depth++) {
        bool leaf = node_is_leaf(node), equal;
        size_t index = node->count - (leaf ? 0u : 1u);
        if (slice_present(key))
            index = leaf ? node_search(node, key, &equal) : node_child_index(node, key);
        CHECK(cursor->depth < TREE_HEIGHT_MAX);
        cursor->path[cursor->depth].node = node;
        cursor->path[cursor->depth].index = (uint16_t)index;
        node = leaf ? NULL : node_children(node)[index];
    }
}

/* From behind the last entry of a leaf to the start of the next one; false at the end of the tree,
 * where the cursor stays. */
static bool cursor_next_leaf(struct cursor *cursor) {
    for (size_t level = cursor->depth - 1u; level-- > 0;) {
        if (cursor->path[level].index + 1 < cursor->path[level].node->count) {
            cursor->path[level].index++;
            cursor->depth = (uint8_t)(level + 1);
            cursor_descend(cursor, false);
            return true;
        }
    }
    return false;
}

const struct record *cursor_take_next(struct cursor *cursor) {
    if (cursor->depth == 0)
        return NULL;
    size_t leaf = cursor->depth - 1u;
    if (cursor->path[leaf].index == cursor->path[leaf].node->count && !cursor_next_leaf(cursor))
        return NULL;
    leaf = cursor->depth - 1u;
    return cursor->path[leaf].node->records[cursor->path[leaf].index++];
}

static bool cursor_previous_leaf(struct cursor *cursor) {
    for (size_t level = cursor->depth - 1u; level-- > 0;) {
        if (cursor->path[level].index > 0) {
            cursor->path[level].index--;
            cursor->depth = (uint8_t)(level + 1);
            cursor_descend(cursor, true);
            return true;
        }
    }
    return false;
}

const struct record *cursor_take_previous(struct cursor *cursor) {
    if (cursor->depth == 0)
        return NULL;
    size_t leaf = cursor->depth - 1u;
    if (cursor->path[leaf].index > 0)
        cursor->path[leaf].index--;
    else if (!cursor_previous_leaf(cursor))
        return NULL;
    leaf = cursor->depth - 1u;
    return cursor->path[leaf].node->records[cursor->path[leaf].index];
}
