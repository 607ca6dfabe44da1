/* for_each.c - see for_each.h.
 *
 * "Fn::ForEach::Name": [Identifier, [a, b], {"Key${Identifier}": ...}] is its third part once for
 * each value, with ${Identifier}, &{Identifier} (letters and digits only) and a Ref to it replaced.
 * What has none of these is shared. Everything visited is charged as what resolving makes, so that
 * neither aliases nor many values run away. */
#include "template/for_each.h"

#include "base/buffer.h"
#include "template/resolve.h"

#define LOOP "Fn::ForEach::"

struct loop {
    struct template *t;
    struct slice identifier;
    struct slice value;
};

/* A section while its loops are replaced. */
struct section {
    struct template *t;
    struct node_member *members;
    size_t count;
};

static bool is_loop(struct slice name) {
    return slice_starts_with(name, SLICE_LITERAL(LOOP));
}

/* ---- one text ---- */

/* How long a reference to the identifier at the start of the text is; 0: there is none. */
static size_t reference_len(const struct loop *loop, struct slice text) {
    struct slice name = loop->identifier;
    bool marked = text.len >= name.len + 3 && (text.data[0] == '$' || text.data[0] == '&') &&
                  text.data[1] == '{' && text.data[name.len + 2] == '}';
    return marked && memcmp(text.data + 2, name.data, name.len) == 0 ? name.len + 3 : 0;
}

static void put_value(const struct loop *loop, bool only_alphanumeric, struct buffer *out) {
    for (size_t i = 0; i < loop->value.len; i++) {
        uint8_t c = loop->value.data[i];
        bool alphanumeric =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (alphanumeric || !only_alphanumeric)
            buffer_append(out, &c, 1);
    }
}

static bool has_reference(const struct loop *loop, struct slice text) {
    bool found = false;
    for (size_t at = 0; !found && at < text.len; at++)
        found = reference_len(loop, slice_skip(text, at)) > 0;
    return found;
}

/* The text itself when there is nothing to replace. */
static struct error *replace(const struct loop *loop, struct slice text, struct mark mark,
                             struct slice *ret_text) {
    struct template *t = loop->t;
    struct buffer out;
    *ret_text = text;
    TRY(resolve_charge(t, text.len, mark)); /* an alias has it read again and again */
    if (!has_reference(loop, text))
        return NULL;
    buffer_init(&out, RESOLVE_TEXT_MAX);
    for (size_t at = 0; at < text.len && !out.overflow;) {
        size_t len = reference_len(loop, slice_skip(text, at));
        if (len == 0)
            buffer_append(&out, &text.data[at], 1);
        else
            put_value(loop, text.data[at] == '&', &out);
        at += len == 0 ? 1 : len;
    }
    struct error *error = out.overflow ? template_error(t, mark, "the text is longer than 64 KB")
                                       : resolve_charge(t, out.len, mark);
    if (error == NULL)
        *ret_text = arena_slice(t->document.arena, buffer_slice(&out));
    buffer_release(&out);
    return error;
}

/* ---- one value of the loop ---- */

static struct error *instance(const struct loop *loop, const struct node *node,
                              const struct node **ret_node);

static const struct node *text_at(const struct loop *loop, const struct node *place,
                                  struct slice text) {
    struct node *made = node_scalar(loop->t->document.arena, text, place->mark);
    made->quoted = true;
    return made;
}

static bool is_reference(const struct loop *loop, const struct node *node) {
    return node->kind == NODE_MAPPING && node->count == 1 &&
           slice_is(node->members[0].name, "Ref") && node->members[0].value->kind == NODE_SCALAR &&
           slice_equal(node->members[0].value->text, loop->identifier);
}

static struct error *instance_mapping(const struct loop *loop, const struct node *node,
                                      const struct node **ret_node) {
    struct arena *arena = loop->t->document.arena;
    struct node_member *members = ARENA_ARRAY(arena, struct node_member, node->count + 1);
    bool same = true;
    for (size_t i = 0; i < node->count; i++) {
        const struct node_member *member = &node->members[i];
        members[i] = *member;
        if (is_loop(member->name))
            return template_error(loop->t, member->mark,
                                  "%.*s is within another loop, which is not supported: write one "
                                  "of them out",
                                  SLICE_ARGS(member->name));
        TRY(replace(loop, member->name, member->mark, &members[i].name));
        TRY(instance(loop, member->value, &members[i].value));
        same =
            same && members[i].name.data == member->name.data && members[i].value == member->value;
    }
    *ret_node = same ? node : node_mapping(arena, members, node->count, node->mark);
    return NULL;
}

static struct error *instance_sequence(const struct loop *loop, const struct node *node,
                                       const struct node **ret_node) {
    struct arena *arena = loop->t->document.arena;
    const struct node **items = ARENA_ARRAY(arena, const struct node *, node->count + 1);
    bool same = true;
    for (size_t i = 0; i < node->count; i++) {
        TRY(instance(loop, node->items[i], &items[i]));
        same = same && items[i] == node->items[i];
    }
    *ret_node = same ? node : node_sequence(arena, items, node->count, node->mark);
    return NULL;
}

/* The depth of the document bounds the recursion. */
static struct error *instance(const struct loop *loop, const struct node *node,
                              const struct node **ret_node) {
    size_t children = node->kind == NODE_MAPPING || node->kind == NODE_SEQUENCE ? node->count : 0;
    struct slice text = node->text;
    TRY(resolve_charge(loop->t, sizeof(*node) + 2 * children * sizeof(struct node_member),
                       node->mark));
    *ret_node = node;
    if (is_reference(loop, node)) {
        *ret_node = text_at(loop, node, loop->value);
        return NULL;
    }
    if (node->kind == NODE_MAPPING)
        return instance_mapping(loop, node, ret_node);
    if (node->kind == NODE_SEQUENCE)
        return instance_sequence(loop, node, ret_node);
    if (node->kind != NODE_SCALAR)
        return NULL;
    TRY(replace(loop, text, node->mark, &text));
    if (text.data != node->text.data)
        *ret_node = text_at(loop, node, text);
    return NULL;
}

/* ---- a section ---- */

static struct error *add(struct section *section, struct node_member member) {
    if (section->count == NODE_MEMBERS_MAX)
        return template_error(section->t, member.mark, "a section has at most %d members",
                              NODE_MEMBERS_MAX);
    for (size_t i = 0; i < section->count; i++)
        if (slice_equal(section->members[i].name, member.name))
            return template_error(section->t, member.mark,
                                  "%.*s is made twice: a name within Fn::ForEach has its "
                                  "identifier in it",
                                  SLICE_ARGS(member.name));
    section->members[section->count++] = member;
    return NULL;
}

static struct error *add_loop(struct section *section, const struct node_member *member) {
    struct template *t = section->t;
    const struct node *const *parts;
    const struct node *values = NULL, *made = NULL;
    struct function_call call = {member->name, member->mark, member->value};
    TRY(call_items(t, &call, 3, 3, &parts));
    TRY(template_resolve(t, parts[1], &values));
    if (values->kind == NODE_UNKNOWN)
        return template_error(t, values->mark, "%.*s", SLICE_ARGS(values->text));
    if (parts[0]->kind != NODE_SCALAR || parts[0]->text.len == 0 || values->kind != NODE_SEQUENCE ||
        parts[2]->kind != NODE_MAPPING)
        return template_error(t, member->mark, "%.*s takes a name, a list of texts and a mapping",
                              SLICE_ARGS(member->name));
    for (size_t i = 0; i < values->count; i++) {
        struct loop loop = {t, parts[0]->text, values->items[i]->text};
        if (values->items[i]->kind != NODE_SCALAR)
            return template_error(t, values->items[i]->mark, "%.*s takes texts, not %s",
                                  SLICE_ARGS(member->name), node_kind_name(values->items[i]));
        TRY(instance(&loop, parts[2], &made));
        for (size_t k = 0; k < made->count; k++)
            TRY(add(section, made->members[k]));
    }
    return NULL;
}

static bool has_extensions(const struct node *root) {
    const struct node *transform = node_find(root, "Transform");
    bool found = transform != NULL && transform->kind == NODE_SCALAR &&
                 slice_is(transform->text, "AWS::LanguageExtensions");
    for (size_t i = 0;
         transform != NULL && transform->kind == NODE_SEQUENCE && i < transform->count; i++)
        found = found || slice_is(transform->items[i]->text, "AWS::LanguageExtensions");
    return found;
}

/* Replaces the root by one whose section has no loops. */
static struct error *expand(struct template *t, const char *name, const struct node **root) {
    const struct node_member *section = node_find_member(*root, name), *first = NULL;
    const struct node *old = section == NULL ? NULL : section->value;
    struct arena *arena = t->document.arena;
    for (size_t i = 0; old != NULL && old->kind == NODE_MAPPING && first == NULL && i < old->count;
         i++)
        first = is_loop(old->members[i].name) ? &old->members[i] : NULL;
    if (first == NULL)
        return NULL;
    if (!has_extensions(*root))
        return template_error(t, first->mark, "%.*s needs Transform: AWS::LanguageExtensions",
                              SLICE_ARGS(first->name));
    struct section new = {t, ARENA_ARRAY(arena, struct node_member, NODE_MEMBERS_MAX), 0};
    for (size_t i = 0; i < old->count; i++)
        TRY(is_loop(old->members[i].name) ? add_loop(&new, &old->members[i])
                                          : add(&new, old->members[i]));
    struct node_member *members =
        arena_copy(arena, (*root)->members, (*root)->count * sizeof(*members));
    members[section - (*root)->members].value =
        node_mapping(arena, new.members, new.count, old->mark);
    *root = node_mapping(arena, members, (*root)->count, (*root)->mark);
    return NULL;
}

struct error *for_each_expand(struct template *t, const struct node *root,
                              const struct node **ret_root) {
    TRY(template_conditions(t, root)); /* those beside the loops */
    TRY(expand(t, "Conditions", &root));
    TRY(template_conditions(t, root));
    TRY(expand(t, "Resources", &root));
    TRY(expand(t, "Outputs", &root));
    *ret_root = root;
    return NULL;
}
