/* functions.c - the intrinsic functions that make a value of other values. An unknown part makes
 * the whole unknown. */
#include "base/buffer.h"
#include "base/check.h"
#include "template/resolve.h"

struct error *call_items(struct template *t, const struct function_call *call, size_t least,
                         size_t most, const struct node *const **ret_items) {
    const struct node *list = call->argument;
    if (list->kind == NODE_SEQUENCE && list->count >= least && list->count <= most) {
        *ret_items = list->items;
        return NULL;
    }
    if (least == most)
        return template_error(t, call->mark, "%.*s takes a list of %zu value%s",
                              SLICE_ARGS(call->name), least, least == 1 ? "" : "s");
    return template_error(t, call->mark, "%.*s takes a list of %zu to %zu values",
                          SLICE_ARGS(call->name), least, most);
}

/* A list that may itself be the result of a function. */
static struct error *resolve_list(struct template *t, const struct function_call *call,
                                  const struct node *node, const struct node **ret_list) {
    const struct node *list = NULL;
    TRY(template_resolve(t, node, &list));
    if (list->kind != NODE_SEQUENCE && list->kind != NODE_UNKNOWN)
        return template_error(t, node->mark, "%.*s takes a list here, not %s",
                              SLICE_ARGS(call->name), node_kind_name(list));
    *ret_list = list;
    return NULL;
}

/* ---- Fn::Join ---- */

static struct error *join(struct template *t, struct slice delimiter, const struct node *list,
                          struct buffer *out, const struct node **ret_unknown) {
    for (size_t i = 0; i < list->count; i++) {
        const struct node *item = list->items[i];
        if (item->kind == NODE_UNKNOWN) {
            *ret_unknown = item;
            return NULL;
        }
        if (item->kind != NODE_SCALAR)
            return template_error(t, item->mark, "Fn::Join takes a list of strings, this is %s",
                                  node_kind_name(item));
        if (i > 0)
            buffer_append_slice(out, delimiter);
        buffer_append_slice(out, item->text);
    }
    if (out->overflow)
        return template_error(t, list->mark, "the text is longer than 64 KB");
    return NULL;
}

struct error *resolve_join(struct template *t, const struct function_call *call,
                           const struct node **ret_node) {
    const struct node *const *items;
    const struct node *list = NULL, *delimiter = NULL, *unknown = NULL;
    TRY(call_items(t, call, 2, 2, &items));
    TRY(resolve_text(t, items[0], &delimiter));
    TRY(resolve_list(t, call, items[1], &list));
    if (delimiter->kind == NODE_UNKNOWN || list->kind == NODE_UNKNOWN) {
        *ret_node = list->kind == NODE_UNKNOWN ? list : delimiter;
        return NULL;
    }
    struct buffer out CLEANUP(buffer_release);
    buffer_init(&out, RESOLVE_TEXT_MAX);
    TRY(join(t, delimiter->text, list, &out, &unknown));
    if (unknown != NULL) {
        *ret_node = unknown;
        return NULL;
    }
    return resolve_new_text(t, buffer_slice(&out), call->mark, ret_node);
}

/* ---- Fn::Select ---- */

static bool parse_index(struct slice text, size_t *ret_index) {
    size_t index = 0;
    if (text.len == 0 || text.len > 6)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        index = index * 10 + (size_t)(text.data[i] - '0');
    }
    *ret_index = index;
    return true;
}

struct error *resolve_select(struct template *t, const struct function_call *call,
                             const struct node **ret_node) {
    const struct node *const *items;
    const struct node *list = NULL, *position = NULL;
    size_t index = 0;
    TRY(call_items(t, call, 2, 2, &items));
    TRY(resolve_text(t, items[0], &position));
    TRY(resolve_list(t, call, items[1], &list));
    if (position->kind == NODE_UNKNOWN || list->kind == NODE_UNKNOWN) {
        *ret_node = list->kind == NODE_UNKNOWN ? list : position;
        return NULL;
    }
    if (!parse_index(position->text, &index))
        return template_error(t, items[0]->mark, "Fn::Select takes a number, not '%.*s'",
                              SLICE_ARGS(position->text));
    if (index >= list->count)
        return template_error(t, call->mark, "Fn::Select asks for value %zu of a list of %zu",
                              index, list->count);
    *ret_node = list->items[index];
    return NULL;
}

/* ---- Fn::Split ---- */

static struct error *split(struct template *t, struct slice delimiter, struct slice text,
                           struct mark mark, const struct node **ret_list) {
    size_t most = text.len / delimiter.len + 1, count = 0;
    TRY(resolve_charge(t, 2 * most * sizeof(void *), mark));
    const struct node **items = ARENA_ARRAY(t->document.arena, const struct node *, most);
    for (;;) {
        const uint8_t *found =
            text.len == 0 ? NULL : memmem(text.data, text.len, delimiter.data, delimiter.len);
        size_t len = found == NULL ? text.len : (size_t)(found - text.data);
        TRY(resolve_new_text(t, slice_first(text, len), mark, &items[count++]));
        if (found == NULL)
            break;
        text = slice_skip(text, len + delimiter.len);
    }
    *ret_list = node_sequence(t->document.arena, items, count, mark);
    return NULL;
}

struct error *resolve_split(struct template *t, const struct function_call *call,
                            const struct node **ret_node) {
    const struct node *const *items;
    const struct node *delimiter = NULL, *text = NULL;
    TRY(call_items(t, call, 2, 2, &items));
    TRY(resolve_text(t, items[0], &delimiter));
    TRY(resolve_text(t, items[1], &text));
    if (delimiter->kind == NODE_UNKNOWN || text->kind == NODE_UNKNOWN) {
        *ret_node = text->kind == NODE_UNKNOWN ? text : delimiter;
        return NULL;
    }
    if (delimiter->text.len == 0)
        return template_error(t, items[0]->mark, "Fn::Split takes a delimiter that is not empty");
    return split(t, delimiter->text, text->text, call->mark, ret_node);
}

/* ---- Fn::FindInMap ---- */

static const struct node *default_value(const struct function_call *call) {
    return call->argument->count < 4 ? NULL : node_find(call->argument->items[3], "DefaultValue");
}

struct error *resolve_find_in_map(struct template *t, const struct function_call *call,
                                  const struct node **ret_node) {
    const struct node *const *items;
    const struct node *at = t->mappings;
    TRY(call_items(t, call, 3, 4, &items));
    for (size_t i = 0; i < 3; i++) {
        const struct node *key = NULL;
        TRY(resolve_text(t, items[i], &key));
        if (key->kind == NODE_UNKNOWN) {
            *ret_node = key;
            return NULL;
        }
        const struct node_member *member = node_find_named(at, key->text);
        if (member == NULL && default_value(call) != NULL)
            return template_resolve(t, default_value(call), ret_node);
        if (member == NULL)
            return template_error(t, items[i]->mark, "%s '%.*s'",
                                  i == 0 ? "Mappings has no" : "the mapping has no key",
                                  SLICE_ARGS(key->text));
        at = member->value;
    }
    return template_resolve(t, at, ret_node);
}

/* ---- Fn::If, and what cannot be worked out ---- */

struct error *resolve_if(struct template *t, const struct function_call *call,
                         const struct node **ret_node) {
    const struct node *const *items;
    bool truth = false;
    TRY(call_items(t, call, 3, 3, &items));
    if (items[0]->kind != NODE_SCALAR)
        return template_error(t, items[0]->mark, "Fn::If takes the name of a condition");
    TRY(template_condition(t, items[0]->text, items[0]->mark, &truth));
    return template_resolve(t, items[truth ? 1 : 2], ret_node);
}

struct error *resolve_elsewhere(struct template *t, const struct function_call *call,
                                const struct node **ret_node) {
    *ret_node = node_unknown(t->document.arena, call->mark, "%.*s is not supported",
                             SLICE_ARGS(call->name));
    return NULL;
}

struct error *resolve_misplaced(struct template *t, const struct function_call *call,
                                const struct node **ret_node) {
    (void)ret_node;
    return template_error(t, call->mark, "%.*s belongs in Conditions", SLICE_ARGS(call->name));
}
