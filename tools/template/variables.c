/* variables.c - see variables.h: the walk, texts with variables in them, and their fallbacks. Where
 * a value comes from is in variable_sources.c. */
#include "template/variables.h"

#include "base/buffer.h"
#include "template/resolve.h"

/* ---- where a variable begins and ends ---- */

/* "${name:" or "${name(": what Fn::Sub takes has two colons, or none. */
static bool is_variable(struct slice text) {
    for (size_t i = 2; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c == '(' || c == ':')
            return i > 2 && (c == '(' || i + 1 == text.len || text.data[i + 1] != ':');
        if (c == '{' || c == '}' || c == ',')
            return false;
    }
    return false;
}

static const uint8_t *find_variable(struct slice text) {
    while (text.len > 3) {
        const uint8_t *found = memmem(text.data, text.len, "${", 2);
        if (found == NULL)
            return NULL;
        text = slice_skip(text, (size_t)(found - text.data));
        if (is_variable(text))
            return found;
        text = slice_skip(text, 2);
    }
    return NULL;
}

/* The length up to the first of `stops` that is in no quotes and in no inner variable. */
static size_t length_until(struct slice text, const char *stops) {
    uint8_t quote = 0;
    size_t inner = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (inner == 0 && c != '\0' && strchr(stops, c) != NULL)
            return i;
        else if (c == '{')
            inner++;
        else if (c == '}' && inner > 0)
            inner--;
    }
    return text.len;
}

static struct slice trim(struct slice text) {
    while (text.len > 0 && memchr(" \t\n", text.data[0], 3) != NULL)
        text = slice_skip(text, 1);
    while (text.len > 0 && memchr(" \t\n", text.data[text.len - 1], 3) != NULL)
        text.len--;
    return text;
}

/* ---- one variable ---- */

static bool is_literal(struct slice text) {
    bool number = text.len > 0;
    for (size_t i = 0; i < text.len; i++)
        number = number && memchr("0123456789.-", text.data[i], 12) != NULL;
    return number || slice_is(text, "true") || slice_is(text, "false");
}

/* One of "self:a, opt:b, 'text', ${...}". */
static struct error *take_source(struct variables *v, struct slice source, struct mark mark,
                                 const struct node **ret_node) {
    struct arena *arena = v->t->document.arena;
    bool quoted = source.len >= 2 && (source.data[0] == '\'' || source.data[0] == '"') &&
                  source.data[source.len - 1] == source.data[0];
    if (quoted)
        source = slice_part(source, 1, source.len - 2);
    const struct node *text = node_scalar(arena, source, mark);
    if (slice_starts_with(source, SLICE_LITERAL("${")) || find_variable(source) != NULL)
        TRY(variables_evaluate(v, text, &text));
    bool whole = slice_starts_with(source, SLICE_LITERAL("${")) &&
                 length_until(slice_skip(source, 2), "}") + 3 == source.len;
    *ret_node = text;
    if (quoted || whole || text->kind != NODE_SCALAR || is_literal(text->text))
        return NULL;
    if (!slice_is(text->text, "null"))
        return variables_look_up(v, text->text, mark, ret_node);
    *ret_node = node_of_kind(arena, NODE_NULL, mark);
    return NULL;
}

/* The first of its sources that has a value. A source that only a deployment could ask is passed
 * over for what stands behind it, and that is told. */
static struct error *take_variable(struct variables *v, struct slice inside, struct mark mark,
                                   const struct node **ret_node) {
    struct slice rest = inside;
    const struct node *found = node_of_kind(v->t->document.arena, NODE_NULL, mark);
    while (rest.len > 0) {
        size_t len = length_until(rest, ",");
        struct slice source = trim(slice_first(rest, len));
        TRY(take_source(v, source, mark, &found));
        rest = slice_skip(rest, len < rest.len ? len + 1 : len);
        if (found->kind != NODE_NULL && found->kind != NODE_UNKNOWN)
            break;
        if (found->kind == NODE_UNKNOWN && rest.len > 0)
            template_notice(v->t, mark, "%.*s: what stands behind it is taken",
                            SLICE_ARGS(found->text));
    }
    *ret_node = found->kind == NODE_NULL ? variable_missing(v->t, inside, mark) : found;
    return NULL;
}

/* ---- texts ---- */

static struct error *add_part(struct variables *v, struct slice inside, struct mark mark,
                              struct buffer *out, const struct node **unknown) {
    const struct node *value = NULL;
    TRY(take_variable(v, inside, mark, &value));
    if (value->kind == NODE_SCALAR)
        buffer_append_slice(out, value->text);
    else if (value->kind == NODE_UNKNOWN)
        *unknown = value;
    else
        *unknown =
            node_unknown(v->t->document.arena, mark, "${%.*s} is %s, which is no part of a text",
                         SLICE_ARGS(inside), node_kind_name(value));
    return NULL;
}

static struct error *put_together(struct variables *v, const struct node *node, struct buffer *out,
                                  const struct node **ret_node) {
    struct slice text = node->text;
    const struct node *unknown = NULL;
    for (const uint8_t *found; (found = find_variable(text)) != NULL;) {
        size_t before = (size_t)(found - text.data);
        buffer_append(out, text.data, before);
        text = slice_skip(text, before + 2);
        size_t len = length_until(text, "}");
        if (len == text.len)
            return template_error(v->t, node->mark, "a ${ is not closed");
        TRY(add_part(v, slice_first(text, len), node->mark, out, &unknown));
        text = slice_skip(text, len + 1);
    }
    buffer_append_slice(out, text);
    if (out->overflow)
        return template_error(v->t, node->mark, "the text is longer than 64 KB");
    if (unknown == NULL)
        return resolve_new_text(v->t, buffer_slice(out), node->mark, ret_node);
    *ret_node = unknown;
    return NULL;
}

/* A text whose variables are told; what it stands for may hold others still. */
static struct error *evaluate_text(struct variables *v, const struct node *node,
                                   const struct node **ret_node) {
    struct slice text = node->text;
    const uint8_t *found = find_variable(text);
    *ret_node = node;
    if (found == NULL)
        return NULL;
    struct slice inside = slice_skip(text, 2);
    size_t len = found == text.data ? length_until(inside, "}") : text.len;
    if (len + 1 == inside.len)
        return take_variable(v, slice_first(inside, len), node->mark, ret_node);
    struct buffer out;
    buffer_init(&out, RESOLVE_TEXT_MAX);
    struct error *error = put_together(v, node, &out, ret_node);
    buffer_release(&out);
    return error;
}

static struct error *enter(struct variables *v, const struct node *node) {
    TRY(resolve_charge(v->t, sizeof(struct node) + node->text.len, node->mark));
    if (v->t->depth == RESOLVE_DEPTH_MAX)
        return template_error(v->t, node->mark,
                              "variables are nested too deep, or refer to each other in a ring");
    v->t->depth++;
    return NULL;
}

struct error *variables_evaluate(struct variables *v, const struct node *node,
                                 const struct node **ret_node) {
    *ret_node = node;
    if (node->kind != NODE_SCALAR)
        return NULL;
    TRY(enter(v, node));
    struct error *error = evaluate_text(v, node, ret_node);
    v->t->depth--;
    return error;
}

/* ---- everything ---- */

static struct error *resolve_children(struct variables *v, const struct node *node,
                                      const struct node **ret_node) {
    struct arena *arena = v->t->document.arena;
    bool mapping = node->kind == NODE_MAPPING;
    struct node_member *members =
        ARENA_ARRAY(arena, struct node_member, mapping ? node->count + 1 : 1);
    const struct node **items = ARENA_ARRAY(arena, const struct node *, node->count + 1);
    TRY(resolve_charge(v->t, node->count * sizeof(*members), node->mark));
    for (size_t i = 0; i < node->count; i++) {
        TRY(variables_resolve(v, mapping ? node->members[i].value : node->items[i], &items[i]));
        if (mapping)
            members[i] =
                (struct node_member){node->members[i].name, node->members[i].mark, items[i]};
    }
    *ret_node = mapping ? node_mapping(arena, members, node->count, node->mark)
                        : node_sequence(arena, items, node->count, node->mark);
    return NULL;
}

struct error *variables_resolve(struct variables *v, const struct node *node,
                                const struct node **ret_node) {
    TRY(variables_evaluate(v, node, &node));
    *ret_node = node;
    if (node->kind != NODE_MAPPING && node->kind != NODE_SEQUENCE)
        return NULL;
    TRY(enter(v, node));
    struct error *error = resolve_children(v, node, ret_node);
    v->t->depth--;
    return error;
}
