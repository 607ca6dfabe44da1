/* tree.h - a B+tree whose published nodes never change.
 *
 * A writer edits a tree by copying the nodes on its way (once per edit: nodes born in the edit are
 * changed in place) and leaves the old nodes to whoever still reads the old root. So a root is a
 * snapshot, readable from any thread without a lock for as long as its version is pinned.
 *
 * Life of an object (node or record): it is born in the edit that makes it and is part of every
 * version from `birth` on, until an edit drops it: that edit's version is `retired`, and the object
 * is needed by the versions in [birth, retired). versions.c frees it when none of those is left. A
 * tree that begins as a snapshot of another store shares its objects and never drops them.
 *
 * Invariants: keys of a node ascend strictly; a node of a published tree is never empty; an empty
 * tree is NULL; a branch has one separator per child but the first, separator <= keys of its child.
 */
#ifndef GRAMME_STORE_MEMORY_TREE_H
#define GRAMME_STORE_MEMORY_TREE_H

#include "base/container.h"
#include "base/slice.h"

#ifndef NODE_ENTRIES_MAX /* a test makes it small, to have tall trees */
#define NODE_ENTRIES_MAX 64
#endif

enum {
    NODE_ENTRIES_MIN = NODE_ENTRIES_MAX / 4, /* fewer: the node looks for a neighbour to join */
    NODE_PREFIX_MAX = 28,
    TREE_HEIGHT_MAX = 16,
};

enum object_kind { OBJECT_RECORD, OBJECT_LEAF, OBJECT_BRANCH };

/* `kind` and what follows the object never change once published. The other fields belong to the
 * writer. */
struct object {
    struct object *next; /* in an object_list */
    uint64_t birth;
    uint64_t retired;
    uint8_t kind;
    bool whole; /* a retired node whose children and records went with it */
};

/* Retired objects; the last is only kept so that a list joins another in one step. */
struct object_list {
    struct object *first;
    struct object *last;
};

/* A key with its value; as the separator of a branch, a key alone. */
struct record {
    struct object object;
    uint32_t key_len;
    uint32_t value_len;
    uint8_t bytes[]; /* the key, then the value */
};

/* Searching looks at `heads`, which lie together, and at a record only where heads are equal: a
 * head is the eight bytes of the key that follow the node's prefix, as a number that sorts like
 * them. All keys of the node begin with the prefix, and it need not be the longest such. */
struct node {
    struct object object;
    uint16_t count;
    uint8_t prefix_len;
    uint8_t prefix[NODE_PREFIX_MAX];
    uint64_t heads[NODE_ENTRIES_MAX];
    struct record *records[NODE_ENTRIES_MAX]; /* of a branch: separators, the first is NULL */
};

struct branch {
    struct node node;
    struct node *children[NODE_ENTRIES_MAX];
};

/* What a writer carries along. */
struct tree_edit {
    uint64_t version; /* that will show the edit */
    uint64_t shared;  /* objects born up to it are another store's, and stay as they are */
    struct object_list retired; /* objects of older versions that this edit dropped */
    size_t retired_count;
};

static inline void object_list_push(struct object_list *list, struct object *object) {
    object->next = list->first;
    if (list->first == NULL)
        list->last = object;
    list->first = object;
}

static inline struct slice record_key(const struct record *record) {
    return slice_of(record->bytes, record->key_len);
}

static inline struct slice record_value(const struct record *record) {
    return slice_of(record->bytes + record->key_len, record->value_len);
}

static inline bool node_is_leaf(const struct node *node) {
    return node->object.kind == OBJECT_LEAF;
}

static inline struct node *const *node_children(const struct node *node) {
    return container_of(node, const struct branch, node)->children;
}

/* NULL when absent. */
const struct record *tree_find(const struct node *root, struct slice key);

void tree_put(struct tree_edit *edit, struct node **root, struct slice key, struct slice value);
void tree_remove(struct tree_edit *edit, struct node **root, struct slice key);
/* first <= key < last; an absent last means all that follow. */
void tree_remove_range(struct tree_edit *edit, struct node **root, struct slice first,
                       struct slice last);
/* Frees what the edit made, so that *root is as if it had never been; the caller forgets the root.
 */
void tree_abandon(struct tree_edit *edit, struct node *root);

/* A place in a tree: before the first record, on one, or after the last. */
struct cursor {
    uint8_t depth; /* 0: the tree is empty */
    struct {
        const struct node *node;
        uint16_t index; /* count: after the last entry */
    } path[TREE_HEIGHT_MAX];
};

/* Stands on the first record whose key is at least `key`; an absent key means after the last. */
void cursor_seek(struct cursor *cursor, const struct node *root, struct slice key);
/* The record the cursor stands on, NULL at the end; then it moves forward. */
const struct record *cursor_take_next(struct cursor *cursor);
/* Moves back; the record it then stands on, NULL when there is none before. */
const struct record *cursor_take_previous(struct cursor *cursor);

#endif
