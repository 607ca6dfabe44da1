/* node.c - the entries of one node: search, insert, cut, split, join; and how objects come and go.
 *
 * Invariants: a node is changed only when the edit made it (node_writable); every key of a node
 * begins with node->prefix, and heads[i] agrees with records[i] under that prefix.
 * Memory: an object made by the edit is freed at once when dropped, since nobody else has seen it;
 * an older one joins edit->retired, unless it is another store's.
 * Threads: the writer, but node_search and node_child_index. */
#include "store/memory/node.h"

#include <stdlib.h>

#include "base/check.h"

struct record *record_new(struct tree_edit *edit, struct slice key, struct slice value) {
    struct record *record = malloc(sizeof(*record) + key.len + value.len);
    CHECK(record != NULL);
    record->object = (struct object){.birth = edit->version, .kind = OBJECT_RECORD};
    record->key_len = (uint32_t)key.len;
    record->value_len = (uint32_t)value.len;
    memcpy(record->bytes, key.data, key.len);
    if (value.len > 0)
        memcpy(record->bytes + key.len, value.data, value.len);
    return record;
}

static size_t node_size(enum object_kind kind) {
    return kind == OBJECT_LEAF ? sizeof(struct node) : sizeof(struct branch);
}

struct node *node_new(struct tree_edit *edit, enum object_kind kind) {
    struct node *node = malloc(node_size(kind));
    CHECK(node != NULL);
    node->object = (struct object){.birth = edit->version, .kind = (uint8_t)kind};
    node->count = 0;
    node->prefix_len = 0;
    return node;
}

void edit_drop(struct tree_edit *edit, struct object *object) {
    if (object->birth == edit->version) {
        free(object);
        return;
    }
    if (object->birth <= edit->shared)
        return;
    object->retired = edit->version;
    object_list_push(&edit->retired, object);
    edit->retired_count++;
}

/* Below a node of an older version everything is older too, so it is retired as one object and
 * taken apart later, a piece with each commit. The recursion is as deep as the tree. */
void edit_drop_tree(struct tree_edit *edit, struct node *node) {
    if (node->object.birth <= edit->shared)
        return;
    if (node->object.birth != edit->version) {
        node->object.whole = true;
        edit_drop(edit, &node->object);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        if (node->records[i] != NULL)
            edit_drop(edit, &node->records[i]->object);
        if (!node_is_leaf(node))
            edit_drop_tree(edit, node_children(node)[i]);
    }
    free(node);
}

struct node *node_writable(struct tree_edit *edit, struct node **slot) {
    struct node *old = *slot;
    if (old->object.birth == edit->version)
        return old;
    struct node *copy = node_new(edit, (enum object_kind)old->object.kind);
    copy->count = old->count;
    copy->prefix_len = old->prefix_len;
    memcpy(copy->prefix, old->prefix, old->prefix_len);
    memcpy(copy->heads, old->heads, old->count * sizeof(*old->heads));
    memcpy(copy->records, old->records, old->count * sizeof(struct record *));
    if (!node_is_leaf(old))
        memcpy(node_children_edit(copy), node_children(old), old->count * sizeof(struct node *));
    edit_drop(edit, &old->object);
    *slot = copy;
    return copy;
}

/* The eight bytes after the prefix, the first one on top; zeros after the end of the key. */
static uint64_t key_head(struct slice key, size_t prefix_len) {
    size_t left = key.len - prefix_len;
    uint64_t head = 0;
    memcpy(&head, key.data + prefix_len, left < sizeof(head) ? left : sizeof(head));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    head = __builtin_bswap64(head);
#endif
    return head;
}

/* The first entry with a key: the leftmost child of a branch has no separator. */
static size_t first_keyed(const struct node *node) {
    return node_is_leaf(node) ? 0 : 1;
}

static size_t common_prefix(struct slice a, struct slice b) {
    size_t most = a.len < b.len ? a.len : b.len;
    size_t len = 0;
    while (len < most && a.data[len] == b.data[len])
        len++;
    return len;
}

/* Keys ascend, so what the first and the last have in common, all have. */
static void node_index(struct node *node) {
    size_t first = first_keyed(node);
    node->prefix_len = 0;
    if (node->count >= first + 2) {
        struct slice low = record_key(node->records[first]);
        size_t common = common_prefix(low, record_key(node->records[node->count - 1]));
        node->prefix_len = (uint8_t)(common < NODE_PREFIX_MAX ? common : NODE_PREFIX_MAX);
        memcpy(node->prefix, low.data, node->prefix_len);
    }
    for (size_t i = first; i < node->count; i++)
        node->heads[i] = key_head(record_key(node->records[i]), node->prefix_len);
}

/* Below, inside or above the keys that begin with the node's prefix. */
static int prefix_order(const struct node *node, struct slice key) {
    size_t most = key.len < node->prefix_len ? key.len : node->prefix_len;
    int order = memcmp(key.data, node->prefix, most);
    return order == 0 && key.len < node->prefix_len ? -1 : order;
}

static int order_after_prefix(struct slice a, struct slice b, size_t prefix_len) {
    return slice_compare(slice_skip(a, prefix_len), slice_skip(b, prefix_len));
}

size_t node_search(const struct node *node, struct slice key, bool *ret_equal) {
    size_t low = first_keyed(node), high = node->count;
    *ret_equal = false;
    int side = prefix_order(node, key);
    if (side != 0)
        return side < 0 ? low : high;
    uint64_t head = key_head(key, node->prefix_len);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (node->heads[middle] != head) {
            if (node->heads[middle] < head)
                low = middle + 1;
            else
                high = middle;
            continue;
        }
        int order = order_after_prefix(record_key(node->records[middle]), key, node->prefix_len);
        if (order == 0) {
            *ret_equal = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t node_child_index(const struct node *node, struct slice key) {
    bool equal;
    size_t index = node_search(node, key, &equal);
    return equal ? index : index - 1;
}

/* Moves the entries from `from` to the end so that they start at `to`. */
static void entries_shift(struct node *node, size_t from, size_t to) {
    size_t moved = node->count - from;
    memmove(node->heads + to, node->heads + from, moved * sizeof(*node->heads));
    memmove(node->records + to, node->records + from, moved * sizeof(struct record *));
    if (!node_is_leaf(node)) {
        struct node **children = node_children_edit(node);
        memmove(children + to, children + from, moved * sizeof(struct node *));
    }
}

void node_insert(struct node *node, size_t index, struct record *record, struct node *child) {
    CHECK(node->count < NODE_ENTRIES_MAX && index <= node->count);
    entries_shift(node, index, index + 1);
    node->count++;
    node->records[index] = record;
    if (!node_is_leaf(node))
        node_children_edit(node)[index] = child;
    if (record == NULL)
        return;
    struct slice key = record_key(record);
    if (prefix_order(node, key) == 0)
        node->heads[index] = key_head(key, node->prefix_len);
    else
        node_index(node);
}

struct record *node_cut(struct node *node, size_t first, size_t last) {
    CHECK(first <= last && last <= node->count);
    entries_shift(node, last, first);
    node->count = (uint16_t)(node->count - (last - first));
    if (first > 0 || last == 0 || node_is_leaf(node) || node->count == 0)
        return NULL;
    struct record *separator = node->records[0];
    node->records[0] = NULL;
    return separator;
}

/* The shortest key that is above every key of the left leaf and not above any of the right one. */
static struct record *leaf_separator(struct tree_edit *edit, const struct node *left,
                                     const struct node *right) {
    struct slice key = record_key(right->records[0]);
    size_t common = common_prefix(record_key(left->records[left->count - 1]), key);
    return record_new(edit, slice_first(key, common + 1), SLICE_LITERAL(""));
}

static void entries_append(struct node *to, const struct node *from, size_t at) {
    size_t moved = from->count - at;
    CHECK(to->count + moved <= NODE_ENTRIES_MAX);
    memcpy(to->records + to->count, from->records + at, moved * sizeof(struct record *));
    if (!node_is_leaf(to))
        memcpy(node_children_edit(to) + to->count, node_children(from) + at,
               moved * sizeof(struct node *));
    to->count = (uint16_t)(to->count + moved);
}

struct record *node_split(struct tree_edit *edit, struct node *node, size_t at,
                          struct node *right) {
    CHECK(at >= 1 && at < node->count && right->count == 0);
    entries_append(right, node, at);
    node->count = (uint16_t)at;
    struct record *separator = NULL;
    if (node_is_leaf(node)) {
        separator = leaf_separator(edit, node, right);
    } else {
        separator = right->records[0];
        right->records[0] = NULL;
    }
    node_index(node);
    node_index(right);
    return separator;
}

void node_join(struct tree_edit *edit, struct node *left, struct record *separator,
               const struct node *right) {
    size_t seam = left->count;
    entries_append(left, right, 0);
    if (node_is_leaf(left))
        edit_drop(edit, &separator->object);
    else
        left->records[seam] = separator;
    node_index(left);
}
