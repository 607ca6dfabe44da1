/* variable_sources.c - where the values of variables come from: the document itself, the command
 * line, the environment, and other files. */
#include "template/variables.h"

#include "template/resolve.h"

/* "a.b.0.c" within a value; each step may lead through a variable. */
static struct error *follow(struct variables *v, const struct node *node, struct slice path,
                            const struct node **ret_node) {
    TRY(variables_evaluate(v, node, &node));
    while (path.len > 0 && node->kind != NODE_NULL && node->kind != NODE_UNKNOWN) {
        const uint8_t *dot = memchr(path.data, '.', path.len);
        size_t len = dot == NULL ? path.len : (size_t)(dot - path.data);
        struct slice name = slice_first(path, len);
        const struct node_member *member = node_find_named(node, name);
        size_t at = len == 1 ? (size_t)(name.data[0] - '0') : SIZE_MAX;
        if (member != NULL)
            node = member->value;
        else if (node->kind == NODE_SEQUENCE && at < 10 && at < node->count)
            node = node->items[at];
        else
            node = node_of_kind(v->t->document.arena, NODE_NULL, node->mark);
        TRY(variables_evaluate(v, node, &node));
        path = slice_skip(path, dot == NULL ? len : len + 1);
    }
    *ret_node = node;
    return NULL;
}

static const struct node *nothing(struct variables *v, struct mark mark) {
    return node_of_kind(v->t->document.arena, NODE_NULL, mark);
}

static const struct node *text_node(struct variables *v, struct slice text, struct mark mark) {
    return slice_present(text) ? node_scalar(v->t->document.arena, text, mark) : nothing(v, mark);
}

/* ---- the command line and the environment ---- */

static struct error *from_options(struct variables *v, struct slice name, struct mark mark,
                                  const struct node **ret_node) {
    const struct template_options *options = &v->t->options;
    for (size_t i = 0; i < options->parameter_count; i++)
        if (slice_equal(options->parameters[i].name, name)) {
            v->t->parameters_used[i] = true;
            *ret_node = text_node(v, options->parameters[i].value, mark);
            return NULL;
        }
    *ret_node = slice_is(name, "region") ? text_node(v, options->region, mark) : nothing(v, mark);
    return NULL;
}

static struct error *from_environment(struct variables *v, struct slice name, struct mark mark,
                                      const struct node **ret_node) {
    const struct template_surroundings *around = v->t->options.surroundings;
    struct slice text =
        around == NULL ? SLICE_NONE : around->variable(around->context, v->t->document.arena, name);
    *ret_node = text_node(v, text, mark);
    return NULL;
}

/* ---- the document ---- */

static struct error *from_self(struct variables *v, struct slice path, struct mark mark,
                               const struct node **ret_node) {
    (void)mark;
    return follow(v, v->root, path, ret_node);
}

static struct error *stage(struct variables *v, struct mark mark, const struct node **ret_node) {
    TRY(from_options(v, SLICE_LITERAL("stage"), mark, ret_node));
    if ((*ret_node)->kind == NODE_NULL)
        TRY(from_self(v, SLICE_LITERAL("provider.stage"), mark, ret_node));
    if ((*ret_node)->kind == NODE_NULL)
        *ret_node = text_node(v, SLICE_LITERAL("dev"), mark);
    return NULL;
}

static struct error *from_serverless(struct variables *v, struct slice name, struct mark mark,
                                     const struct node **ret_node) {
    if (slice_is(name, "stage"))
        return stage(v, mark, ret_node);
    *ret_node = nothing(v, mark);
    return NULL;
}

/* `params` is of version 3, `stages` of version 4; what is for the stage goes before what is for
 * all. */
static struct error *from_parameters(struct variables *v, struct slice name, struct mark mark,
                                     const struct node **ret_node) {
    struct arena *arena = v->t->document.arena;
    const struct node *of = NULL;
    TRY(from_options(v, name, mark, ret_node));
    TRY(stage(v, mark, &of));
    struct slice stages[] = {of->text, SLICE_LITERAL("default")};
    for (size_t i = of->kind == NODE_SCALAR ? 0 : 1; i < 2 && (*ret_node)->kind == NODE_NULL; i++) {
        TRY(from_self(
            v, arena_printf(arena, "params.%.*s.%.*s", SLICE_ARGS(stages[i]), SLICE_ARGS(name)),
            mark, ret_node));
        if ((*ret_node)->kind == NODE_NULL)
            TRY(from_self(v,
                          arena_printf(arena, "stages.%.*s.params.%.*s", SLICE_ARGS(stages[i]),
                                       SLICE_ARGS(name)),
                          mark, ret_node));
    }
    return NULL;
}

static struct error *from_account(struct variables *v, struct slice name, struct mark mark,
                                  const struct node **ret_node) {
    *ret_node = text_node(v,
                          slice_is(name, "region")      ? v->t->options.region
                          : slice_is(name, "accountId") ? v->t->options.account
                                                        : SLICE_NONE,
                          mark);
    return NULL;
}

static struct error *to_bool(struct variables *v, struct slice text, struct mark mark,
                             const struct node **ret_node) {
    bool yes = slice_is(text, "true") || slice_is(text, "1");
    if (yes || slice_is(text, "false") || slice_is(text, "0"))
        *ret_node = text_node(v, slice_text(yes ? "true" : "false"), mark);
    else
        *ret_node = node_unknown(v->t->document.arena, mark, "strToBool(%.*s): no truth value",
                                 SLICE_ARGS(text));
    return NULL;
}

/* ---- files ---- */

static bool ends_with(struct slice text, const char *end) {
    return slice_ends_with(text, slice_text(end));
}

bool variables_is_program(struct slice path) {
    return ends_with(path, ".js") || ends_with(path, ".cjs") || ends_with(path, ".mjs") ||
           ends_with(path, ".ts");
}

/* A document, or else plain text without the newline at its end. */
static struct error *read_file(struct variables *v, struct variable_file *file) {
    const struct template_surroundings *around = v->t->options.surroundings;
    struct arena *arena = v->t->document.arena;
    struct slice text =
        around == NULL ? SLICE_NONE : around->file(around->context, arena, file->path);
    if (!slice_present(text))
        return NULL;
    TRY(resolve_charge(v->t, text.len, MARK_NONE));
    struct document document = {.arena = arena, .name = file->path, .file = &file->path};
    if (ends_with(file->path, ".yml") || ends_with(file->path, ".yaml") ||
        ends_with(file->path, ".json"))
        return document_read(&document, text, &file->root);
    while (text.len > 0 && text.data[text.len - 1] == '\n')
        text.len--;
    file->root = node_scalar(arena, text, (struct mark){1, 1, &file->path});
    return NULL;
}

static struct error *find_file(struct variables *v, struct slice path,
                               const struct node **ret_root) {
    struct variable_file *file = v->files;
    while (file != NULL && !slice_equal(file->path, path))
        file = file->next;
    if (file == NULL) {
        file = ARENA_NEW(v->t->document.arena, struct variable_file);
        file->path = arena_slice(v->t->document.arena, path);
        file->next = v->files;
        v->files = file;
        TRY(read_file(v, file));
    }
    *ret_root = file->root;
    return NULL;
}

/* "tables.yml" with "Resources" of it. */
static struct error *from_file(struct variables *v, struct slice path, struct slice within,
                               struct mark mark, const struct node **ret_node) {
    const struct node *root = NULL;
    if (variables_is_program(path)) {
        *ret_node = node_unknown(v->t->document.arena, mark,
                                 "${file(%.*s)}: programs are not run here", SLICE_ARGS(path));
        return NULL;
    }
    TRY(find_file(v, path, &root));
    if (root != NULL)
        return follow(v, root, within, ret_node);
    *ret_node = nothing(v, mark);
    return NULL;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    struct error *(*take)(struct variables *v, struct slice address, struct mark mark,
                          const struct node **ret_node);
    const char *missing; /* what to do when it has no such value */
} sources[] = {
    {"self", from_self, "there is no such value in the document"},
    {"opt", from_options, "not given; --param NAME=VALUE does"},
    {"param", from_parameters, "not given; --param NAME=VALUE does"},
    {"env", from_environment, "there is no such variable in the environment"},
    {"sls", from_serverless, "not known here"},
    {"aws", from_account, "not known here"},
};

static struct slice before(struct slice text, char stop) {
    const uint8_t *found = text.len == 0 ? NULL : memchr(text.data, stop, text.len);
    return found == NULL ? text : slice_first(text, (size_t)(found - text.data));
}

/* "file(PATH):ADDRESS", "strToBool(TEXT)". */
static struct error *call(struct variables *v, struct slice name, struct slice address,
                          struct mark mark, const struct node **ret_node) {
    struct slice inner = before(slice_skip(address, name.len + 1), ')');
    struct slice rest = slice_skip(address, name.len + 1 + inner.len);
    if (rest.len > 0)
        rest = slice_skip(rest, 1);
    if (rest.len > 0 && rest.data[0] == ':')
        rest = slice_skip(rest, 1);
    if (slice_is(name, "file"))
        return from_file(v, inner, rest, mark, ret_node);
    if (slice_is(name, "strToBool"))
        return to_bool(v, inner, mark, ret_node);
    *ret_node = node_unknown(v->t->document.arena, mark, "${%.*s} cannot be told here",
                             SLICE_ARGS(address));
    return NULL;
}

struct error *variables_look_up(struct variables *v, struct slice address, struct mark mark,
                                const struct node **ret_node) {
    struct slice name = before(address, ':'), called = before(address, '(');
    if (called.len < name.len)
        return call(v, called, address, mark, ret_node);
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (slice_is(name, sources[i].name) && name.len < address.len)
            return sources[i].take(v, slice_skip(address, name.len + 1), mark, ret_node);
    *ret_node = node_unknown(v->t->document.arena, mark, "${%.*s} cannot be told here",
                             SLICE_ARGS(address));
    return NULL;
}

const struct node *variable_missing(struct template *t, struct slice inside, struct mark mark) {
    struct slice name = before(inside, ':');
    const char *why = slice_starts_with(inside, SLICE_LITERAL("file("))
                          ? "there is no such file or value"
                          : "no value";
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (slice_is(name, sources[i].name))
            why = sources[i].missing;
    return node_unknown(t->document.arena, mark, "${%.*s}: %s", SLICE_ARGS(inside), why);
}
