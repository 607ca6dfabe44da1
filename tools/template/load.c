/* load.c - see load.h: a template's text, and those of the stacks within it.
 *
 * The template of a nested stack is a file beside this one: by TemplateURL, as the AWS CLI's
 * `package` takes it, or by what CDK tells about its assets, since the URL of these is one that a
 * deployment would bring them to. It is opened when all else is read, or earlier when a value needs
 * one of its outputs; its parameters are worked out then, in the template that passes them. */
#include "template/load.h"

#include "template/for_each.h"
#include "template/resolve.h"
#include "template/serverless.h"
#include "template/terraform.h"

enum { NESTED_MAX = 200 }; /* stacks within one template, and within those */

#define TEMPLATE_END ".template.json"
#define ASSETS_END ".assets.json"

static struct error *open_nested(struct template *t, struct template_resource *resource);

static struct error *load(struct template *t, struct slice text) {
    const struct node *root = NULL;
    t->document = (struct document){.arena = t->document.arena, .name = t->options.file};
    t->document.generous = terraform_begins(text);
    t->open_nested = open_nested;
    TRY(document_read(&t->document, text, &root));
    if (serverless_is(root))
        TRY(serverless_template(t, root, &root));
    else if (terraform_is(root))
        TRY(terraform_template(t, root, &root));
    TRY(template_sections(t, root));
    TRY(parameters_resolve(t));
    TRY(for_each_expand(t, root, &root));
    TRY(template_resources(t, root));
    for (size_t i = 0; i < t->resource_count; i++)
        if (template_is_stack(&t->resources[i]))
            TRY(open_nested(t, &t->resources[i]));
    return NULL;
}

struct error *template_load(struct arena *arena, const struct template_options *options,
                            struct slice text, struct template **ret_template) {
    struct template *t = ARENA_NEW(arena, struct template);
    t->document.arena = arena;
    t->options = *options;
    TRY(load(t, text));
    *ret_template = t;
    return NULL;
}

/* ---- where the template of a nested stack is ---- */

static struct slice last_part(struct slice path) {
    size_t at = path.len;
    while (at > 0 && path.data[at - 1] != '/')
        at--;
    return slice_skip(path, at);
}

/* A file that `path` names, or one in the same folder. */
static struct slice beside(struct arena *arena, struct slice path, struct slice name) {
    while (slice_starts_with(name, SLICE_LITERAL("./")))
        name = slice_skip(name, 2);
    size_t folder = path.len - last_part(path).len;
    return name.len > 0 && name.data[0] == '/'
               ? name
               : arena_printf(arena, "%.*s%.*s", (int)folder, (const char *)path.data,
                              SLICE_ARGS(name));
}

static struct template *outermost(struct template *t) {
    while (t->parent != NULL)
        t = t->parent;
    return t;
}

static struct slice read_file(const struct template *t, struct slice path) {
    const struct template_surroundings *around = t->options.surroundings;
    return around == NULL ? SLICE_NONE : around->file(around->context, t->document.arena, path);
}

/* STACK.assets.json has, for the last part of each URL, the file. Absent: it is not told. */
static struct slice asset_at(struct template *t, struct slice url) {
    struct arena *arena = t->document.arena;
    struct slice name = last_part(outermost(t)->options.file), end = SLICE_LITERAL(TEMPLATE_END);
    struct slice key = last_part(url), json = SLICE_LITERAL(".json");
    if (name.len < end.len || !slice_equal(slice_skip(name, name.len - end.len), end) ||
        key.len < json.len || !slice_equal(slice_skip(key, key.len - json.len), json))
        return SLICE_NONE;
    key = arena_printf(arena, "%.*s", (int)(key.len - json.len), (const char *)key.data);
    name.len -= end.len;
    struct slice text = read_file(t, arena_printf(arena, "%.*s" ASSETS_END, SLICE_ARGS(name)));
    const struct json_value *files =
        slice_present(text) ? json_find(json_tree_read(arena, text, NULL), "files") : NULL;
    return json_find_text(json_find(json_find(files, (const char *)key.data), "source"), "path");
}

static struct error *skip(struct template *t, const struct template_resource *resource,
                          const char *why, struct slice text) {
    template_notice(t, resource->mark, "%.*s (%.*s) is skipped: %s%.*s", SLICE_ARGS(resource->id),
                    SLICE_ARGS(resource->type), why, SLICE_ARGS(text));
    return NULL;
}

/* Absent: a notice says why. */
static struct error *find_template(struct template *t, const struct template_resource *resource,
                                   struct slice *ret_path) {
    const struct node *metadata = node_find(resource->body, "Metadata");
    const struct node *asset = node_find(metadata, "aws:asset:path");
    const char *property = template_name_property(resource);
    const struct node *url = node_find(resource->properties, property);
    *ret_path = SLICE_NONE;
    if (asset != NULL && asset->kind == NODE_SCALAR) {
        *ret_path = asset->text;
        return NULL;
    }
    if (url == NULL)
        return template_error(t, resource->mark, "%.*s needs %s", SLICE_ARGS(resource->id),
                              property);
    TRY(template_resolve(t, url, &url));
    if (url->kind == NODE_UNKNOWN)
        return skip(t, resource, "", url->text);
    if (url->kind != NODE_SCALAR)
        return skip(t, resource, "its template is not a file", SLICE_LITERAL(""));
    bool remote = url->text.len > 0 && memmem(url->text.data, url->text.len, "://", 3) != NULL;
    *ret_path = remote ? asset_at(t, url->text) : url->text;
    return slice_present(*ret_path) ? NULL : skip(t, resource, "its template is at ", url->text);
}

/* ---- what it is given ---- */

static struct error *pass(struct template *t, const struct node_member *member,
                          struct template_parameter *ret_parameter) {
    const struct node *value = member->value;
    *ret_parameter = (struct template_parameter){.name = member->name, .value = value->text};
    if (value->kind == NODE_UNKNOWN)
        ret_parameter->unknown = value->text;
    if (value->kind == NODE_SCALAR || value->kind == NODE_UNKNOWN)
        return NULL;
    struct slice text = SLICE_LITERAL("");
    for (size_t i = 0; value->kind == NODE_SEQUENCE && i < value->count; i++) {
        const struct node *item = value->items[i];
        if (item->kind == NODE_UNKNOWN)
            ret_parameter->unknown = item->text;
        else if (item->kind != NODE_SCALAR || text.len > RESOLVE_TEXT_MAX)
            return template_error(t, member->mark, "parameter %.*s takes a list of texts",
                                  SLICE_ARGS(member->name));
        else
            text = arena_printf(t->document.arena, "%.*s%s%.*s", SLICE_ARGS(text),
                                i == 0 ? "" : ",", SLICE_ARGS(item->text));
    }
    ret_parameter->value = text;
    return value->kind == NODE_SEQUENCE
               ? NULL
               : template_error(t, member->mark, "parameter %.*s takes a text or a list",
                                SLICE_ARGS(member->name));
}

static struct error *pass_parameters(struct template *t, const struct template_resource *resource,
                                     struct template_options *options) {
    const struct node *given = node_find(resource->properties, "Parameters");
    struct template_parameter *parameters = NULL;
    options->parameter_count = 0;
    if (given == NULL)
        return NULL;
    TRY(template_resolve(t, given, &given));
    if (given->kind != NODE_MAPPING)
        return template_error(t, given->mark, "Parameters must be a mapping, not %s",
                              node_kind_name(given));
    parameters = ARENA_ARRAY(t->document.arena, struct template_parameter, given->count + 1);
    for (size_t i = 0; i < given->count; i++)
        TRY(pass(t, &given->members[i], &parameters[i]));
    options->parameters = parameters;
    options->parameter_count = given->count;
    return NULL;
}

/* ---- opening it ---- */

static struct error *check_nesting(struct template *t, const struct template_resource *resource,
                                   struct slice file) {
    for (const struct template *at = t; at != NULL; at = at->parent)
        if (slice_equal(at->options.file, file))
            return template_error(t, resource->mark, "%.*s contains itself", SLICE_ARGS(file));
    if (outermost(t)->nested_count++ == NESTED_MAX)
        return template_error(t, resource->mark, "there are more than %d nested stacks",
                              NESTED_MAX);
    return NULL;
}

static struct error *load_nested(struct template *t, struct template_resource *resource) {
    struct arena *arena = t->document.arena;
    struct slice name;
    TRY(find_template(t, resource, &name));
    if (!slice_present(name))
        return NULL;
    struct template *child = ARENA_NEW(arena, struct template);
    child->document.arena = arena;
    child->parent = t;
    child->path = beside(arena, t->path, name);
    child->options = t->options;
    child->options.file = beside(arena, t->options.file, name);
    child->options.stack_name = arena_printf(arena, "%.*s-%.*s", SLICE_ARGS(t->options.stack_name),
                                             SLICE_ARGS(resource->id));
    TRY(check_nesting(t, resource, child->options.file));
    TRY(pass_parameters(t, resource, &child->options));
    struct slice text = read_file(t, child->path);
    if (!slice_present(text))
        return template_error(t, resource->mark, "the template of %.*s, %.*s, cannot be read",
                              SLICE_ARGS(resource->id), SLICE_ARGS(child->options.file));
    TRY(load(child, text));
    resource->nested = child;
    return NULL;
}

static struct error *open_nested(struct template *t, struct template_resource *resource) {
    bool is_wanted = false;
    if (resource->opening == DONE)
        return NULL;
    if (resource->opening == UNDER_WAY)
        return template_error(t, resource->mark, "%.*s depends on its own outputs",
                              SLICE_ARGS(resource->id));
    resource->opening = UNDER_WAY;
    TRY(template_resource_wanted(t, resource, &is_wanted));
    if (is_wanted)
        TRY(load_nested(t, resource));
    resource->opening = DONE;
    return NULL;
}
