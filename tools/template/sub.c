/* sub.c - Fn::Sub: ${Parameter}, ${Resource}, ${Resource.Attribute}, ${!Literal}, and names of its
 * own in the long form. */
#include "base/buffer.h"
#include "template/resolve.h"

struct substitution {
    const struct function_call *call;
    const struct node *names; /* NULL: none */
    struct buffer out;
    const struct node *unknown; /* the first part that is not known */
};

static struct error *find_value(struct template *t, const struct substitution *sub,
                                struct slice name, const struct node **ret_value) {
    struct mark mark = sub->call->mark;
    const struct node_member *own = node_find_named(sub->names, name);
    if (own != NULL)
        return template_resolve(t, own->value, ret_value);
    const uint8_t *dot = name.len == 0 ? NULL : memchr(name.data, '.', name.len);
    if (dot == NULL)
        return resolve_reference(t, name, mark, ret_value);
    size_t at = (size_t)(dot - name.data);
    return resolve_attribute(t, slice_first(name, at), slice_skip(name, at + 1), mark, ret_value);
}

/* The inside of one ${...}. */
static struct error *substitute(struct template *t, struct substitution *sub, struct slice name) {
    if (name.len > 0 && name.data[0] == '!') {
        buffer_printf(&sub->out, "${%.*s}", (int)name.len - 1, (const char *)name.data + 1);
        return NULL;
    }
    const struct node *value = NULL;
    TRY(find_value(t, sub, name, &value));
    if (value->kind == NODE_UNKNOWN && sub->unknown == NULL)
        sub->unknown = value;
    else if (value->kind == NODE_SCALAR)
        buffer_append_slice(&sub->out, value->text);
    else if (value->kind != NODE_UNKNOWN)
        return template_error(t, sub->call->mark, "${%.*s} must be a string, it is %s",
                              SLICE_ARGS(name), node_kind_name(value));
    return NULL;
}

static struct error *substitute_all(struct template *t, struct substitution *sub,
                                    struct slice text) {
    while (text.len > 0 && !sub->out.overflow) {
        const uint8_t *found = memmem(text.data, text.len, "${", 2);
        size_t before = found == NULL ? text.len : (size_t)(found - text.data);
        buffer_append(&sub->out, text.data, before);
        if (found == NULL)
            break;
        text = slice_skip(text, before + 2);
        const uint8_t *end = text.len == 0 ? NULL : memchr(text.data, '}', text.len);
        if (end == NULL)
            return template_error(t, sub->call->mark, "Fn::Sub: a ${ is not closed");
        size_t len = (size_t)(end - text.data);
        TRY(substitute(t, sub, slice_first(text, len)));
        text = slice_skip(text, len + 1);
    }
    if (sub->out.overflow)
        return template_error(t, sub->call->mark, "the text is longer than 64 KB");
    return NULL;
}

static struct error *run(struct template *t, struct substitution *sub, const struct node *text,
                         const struct node **ret_node) {
    TRY(substitute_all(t, sub, text->text));
    if (sub->unknown != NULL) {
        *ret_node = sub->unknown;
        return NULL;
    }
    return resolve_new_text(t, buffer_slice(&sub->out), sub->call->mark, ret_node);
}

struct error *resolve_sub(struct template *t, const struct function_call *call,
                          const struct node **ret_node) {
    struct substitution sub = {.call = call};
    const struct node *text = call->argument;
    if (text->kind != NODE_SCALAR) {
        const struct node *const *items;
        TRY(call_items(t, call, 2, 2, &items));
        text = items[0];
        sub.names = items[1];
        if (text->kind != NODE_SCALAR || sub.names->kind != NODE_MAPPING)
            return template_error(t, call->mark, "Fn::Sub takes a string and a mapping");
    }
    buffer_init(&sub.out, RESOLVE_TEXT_MAX);
    struct error *error = run(t, &sub, text, ret_node);
    buffer_release(&sub.out);
    return error;
}
