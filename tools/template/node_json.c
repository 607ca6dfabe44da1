/* node_json.c - a document within a document, as a policy in a table: its tree as a text of JSON.
 *
 * Scalars are strings, which is how policies take them. The depth of the tree bounds the recursion.
 * Memory: the arena. */
#include <stdlib.h>

#include "json/text.h"
#include "template/node.h"

static int compare_members(const void *a, const void *b) {
    return slice_compare(((const struct node_member *)a)->name,
                         ((const struct node_member *)b)->name);
}

/* By name, where the order means nothing. */
static const struct node_member *sorted(struct arena *arena, const struct node *node) {
    if (node->count == 0)
        return NULL;
    struct node_member *members =
        arena_copy(arena, node->members, node->count * sizeof(*node->members));
    qsort(members, node->count, sizeof(*members), compare_members);
    return members;
}

/* An account, which the service keeps as the ARN of its root. */
static bool is_account(struct slice text) {
    bool digits = text.len == 12;
    for (size_t i = 0; i < text.len; i++)
        digits = digits && text.data[i] >= '0' && text.data[i] <= '9';
    return digits;
}

static void write_node(struct arena *arena, struct json_writer *json, const struct node *node,
                       bool canonical) {
    while (canonical && node->kind == NODE_SEQUENCE && node->count == 1)
        node = node->items[0];
    if (node->kind == NODE_SEQUENCE) {
        json_array_begin(json);
        for (size_t i = 0; i < node->count; i++)
            write_node(arena, json, node->items[i], canonical);
        json_array_end(json);
        return;
    }
    if (node->kind != NODE_MAPPING) {
        json_string(json,
                    canonical && is_account(node->text)
                        ? arena_printf(arena, "arn:aws:iam::%.*s:root", SLICE_ARGS(node->text))
                        : node->text);
        return;
    }
    const struct node_member *members = canonical ? sorted(arena, node) : node->members;
    json_object_begin(json);
    for (size_t i = 0; i < node->count; i++) {
        json_name(json, members[i].name);
        write_node(arena, json, members[i].value, canonical);
    }
    json_object_end(json);
}

struct slice node_json(struct arena *arena, const struct node *node, bool canonical) {
    struct buffer out;
    struct json_writer json;
    buffer_init(&out, JSON_TEXT_BYTES_MAX);
    json_writer_init(&json, &out);
    write_node(arena, &json, node, canonical);
    struct slice text = arena_slice(arena, buffer_slice(&out));
    buffer_release(&out);
    return text;
}
