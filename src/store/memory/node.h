/* node.h - what tree.c needs of a single node. For the memory engine only. */
#ifndef GRAMME_STORE_MEMORY_NODE_H
#define GRAMME_STORE_MEMORY_NODE_H

#include "base/container.h"
#include "store/memory/tree.h"

static inline struct node **node_children_edit(struct node *node) {
    return container_of(node, struct branch, node)->children;
}

struct record *record_new(struct tree_edit *edit, struct slice key, struct slice value);
struct node *node_new(struct tree_edit *edit, enum object_kind kind);

/* An object that the edited tree no longer holds: freed when the edit made it, retired otherwise.
 */
void edit_drop(struct tree_edit *edit, struct object *object);
/* The same for a node and everything below it. */
void edit_drop_tree(struct tree_edit *edit, struct node *node);

/* The node itself when the edit made it, or a copy that takes its place in *slot. */
struct node *node_writable(struct tree_edit *edit, struct node **slot);

/* The first entry whose key is at least `key` (of a branch: from entry 1 on), and whether it is
 * equal. */
size_t node_search(const struct node *node, struct slice key, bool *ret_equal);
/* Of a branch: the child that holds `key` if any does. */
size_t node_child_index(const struct node *node, struct slice key);

/* The entries of a writable node. `child` is NULL in a leaf. */
void node_insert(struct node *node, size_t index, struct record *record, struct node *child);
/* Takes entries [first, last) away without dropping what they point to, and keeps the first
 * separator of a branch NULL: the separator that moves there is handed out, NULL otherwise. */
struct record *node_cut(struct node *node, size_t first, size_t last);
/* Moves the entries from `at` on to the empty node `right`; returns the separator between the two
 * (of leaves: a new record). */
struct record *node_split(struct tree_edit *edit, struct node *node, size_t at, struct node *right);
/* Appends the entries of `right`, which `separator` parted from `left`; the caller drops `right`
 * without them. Of leaves the separator is dropped. */
void node_join(struct tree_edit *edit, struct node *left, struct record *separator,
               const struct node *right);

#endif
