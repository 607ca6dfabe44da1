/* serverless.c - see serverless.h. */
#include "template/serverless.h"

#include "template/resolve.h"
#include "template/variables.h"

bool serverless_is(const struct node *root) {
    return root != NULL && node_find(root, "service") != NULL &&
           node_find(root, "Resources") == NULL;
}

/* ---- several mappings are one ---- */

static struct error *merge(struct template *t, const struct node *a, const struct node *b,
                           const struct node **ret_node);

static size_t find_at(const struct node_member *members, size_t count, struct slice name) {
    size_t at = 0;
    while (at < count && !slice_equal(members[at].name, name))
        at++;
    return at;
}

static struct error *merge_mappings(struct template *t, const struct node *a, const struct node *b,
                                    const struct node **ret_node) {
    struct node_member *members =
        ARENA_ARRAY(t->document.arena, struct node_member, a->count + b->count + 1);
    size_t count = a->count;
    TRY(resolve_charge(t, (a->count + b->count) * sizeof(*members), b->mark));
    if (count > 0)
        memcpy(members, a->members, count * sizeof(*members));
    for (size_t i = 0; i < b->count; i++) {
        size_t at = find_at(members, count, b->members[i].name);
        if (at == count)
            members[count++] = b->members[i];
        else
            TRY(merge(t, members[at].value, b->members[i].value, &members[at].value));
    }
    *ret_node = node_mapping(t->document.arena, members, count, a->mark);
    return NULL;
}

/* What comes later wins, but where both are mappings. Their depth bounds the recursion. */
static struct error *merge(struct template *t, const struct node *a, const struct node *b,
                           const struct node **ret_node) {
    if (a->kind == NODE_MAPPING && b->kind == NODE_MAPPING)
        return merge_mappings(t, a, b, ret_node);
    *ret_node = b;
    return NULL;
}

static struct error *as_one(struct template *t, const struct node *resources,
                            const struct node **ret_node) {
    if (resources->kind != NODE_SEQUENCE) {
        *ret_node = resources;
        return NULL;
    }
    const struct node *all = node_mapping(t->document.arena, NULL, 0, resources->mark);
    for (size_t i = 0; i < resources->count; i++) {
        if (resources->items[i]->kind == NODE_UNKNOWN)
            return template_error(t, resources->items[i]->mark, "%.*s",
                                  SLICE_ARGS(resources->items[i]->text));
        TRY(merge(t, all, resources->items[i], &all));
    }
    *ret_node = all;
    return NULL;
}

/* `extensions` change what Serverless makes of functions: nothing of that is here. */
static const struct node *without_extensions(struct arena *arena, const struct node *template) {
    struct node_member *members = ARENA_ARRAY(arena, struct node_member, template->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < template->count; i++)
        if (!slice_is(template->members[i].name, "extensions"))
            members[count++] = template->members[i];
    return node_mapping(arena, members, count, template->mark);
}

/* ---- the stack's name ---- */

static struct error *name_stack(struct variables *v, struct mark mark) {
    struct template *t = v->t;
    const struct node *name = NULL, *service = NULL, *stage = NULL;
    TRY(variables_look_up(v, SLICE_LITERAL("sls:stage"), mark, &stage));
    if (t->options.stack_named)
        return NULL;
    TRY(variables_look_up(v, SLICE_LITERAL("self:provider.stackName"), mark, &name));
    TRY(variables_look_up(v, SLICE_LITERAL("self:service"), mark, &service));
    if (service->kind == NODE_MAPPING) /* as it was written once */
        TRY(variables_look_up(v, SLICE_LITERAL("self:service.name"), mark, &service));
    if (name->kind == NODE_SCALAR)
        t->options.stack_name = name->text;
    else if (service->kind == NODE_SCALAR && stage->kind == NODE_SCALAR)
        t->options.stack_name = arena_printf(t->document.arena, "%.*s-%.*s",
                                             SLICE_ARGS(service->text), SLICE_ARGS(stage->text));
    return NULL;
}

/* ---- the document ---- */

struct error *serverless_template(struct template *t, const struct node *root,
                                  const struct node **ret_template) {
    struct variables v = {.t = t, .root = root};
    const struct node *resources = node_find(root, "resources");
    if (resources == NULL)
        return template_error(t, root->mark, "a service without resources has no tables");
    t->parameters_used = ARENA_ARRAY(t->document.arena, bool, t->options.parameter_count + 1);
    t->partial = true;
    TRY(name_stack(&v, root->mark));
    TRY(variables_resolve(&v, resources, &resources));
    TRY(as_one(t, resources, &resources));
    if (resources->kind == NODE_UNKNOWN)
        return template_error(t, resources->mark, "%.*s", SLICE_ARGS(resources->text));
    if (resources->kind != NODE_MAPPING)
        return template_error(t, resources->mark, "resources must be a mapping, not %s",
                              node_kind_name(resources));
    *ret_template = without_extensions(t->document.arena, resources);
    return NULL;
}
