/* node.c - making and searching the tree of a document. */
#include "template/node.h"

#include "base/check.h"

struct slice document_place(const struct document *document, struct mark mark) {
    struct slice name = mark.file == NULL ? document->name : *mark.file;
    return mark.line == 0 ? name
                          : arena_printf(document->arena, "%.*s:%u:%u", SLICE_ARGS(name), mark.line,
                                         mark.column);
}

struct error *document_error(const struct document *document, struct mark mark, const char *format,
                             ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(document->arena, format, args);
    va_end(args);
    return error_local(document->arena, "%.*s: %.*s", SLICE_ARGS(document_place(document, mark)),
                       SLICE_ARGS(text));
}

struct node *node_of_kind(struct arena *arena, enum node_kind kind, struct mark mark) {
    struct node *node = ARENA_NEW(arena, struct node);
    node->kind = kind;
    node->mark = mark;
    node->depth = 1;
    return node;
}

struct node *node_scalar(struct arena *arena, struct slice text, struct mark mark) {
    struct node *node = node_of_kind(arena, NODE_SCALAR, mark);
    node->text = text;
    return node;
}

struct node *node_unknown(struct arena *arena, struct mark mark, const char *format, ...) {
    struct node *node = node_of_kind(arena, NODE_UNKNOWN, mark);
    va_list args;
    va_start(args, format);
    node->text = arena_vprintf(arena, format, args);
    va_end(args);
    return node;
}

static void deepen(struct node *node, const struct node *child) {
    CHECK(child->depth < UINT8_MAX);
    if (child->depth >= node->depth)
        node->depth = (uint8_t)(child->depth + 1);
}

struct node *node_sequence(struct arena *arena, const struct node *const *items, size_t count,
                           struct mark mark) {
    struct node *node = node_of_kind(arena, NODE_SEQUENCE, mark);
    node->items = ARENA_ARRAY(arena, const struct node *, count + 1);
    node->count = count;
    for (size_t i = 0; i < count; i++) {
        node->items[i] = items[i];
        deepen(node, items[i]);
    }
    return node;
}

struct node *node_mapping(struct arena *arena, const struct node_member *members, size_t count,
                          struct mark mark) {
    struct node *node = node_of_kind(arena, NODE_MAPPING, mark);
    node->members = count == 0 ? NULL : arena_copy(arena, members, count * sizeof(*members));
    node->count = count;
    for (size_t i = 0; i < count; i++)
        deepen(node, members[i].value);
    return node;
}

void mapping_put(struct mapping_maker *maker, const char *name, const struct node *value) {
    if (value == NULL)
        return;
    CHECK(maker->count < sizeof(maker->members) / sizeof(*maker->members));
    maker->members[maker->count++] =
        (struct node_member){.name = slice_text(name), .mark = value->mark, .value = value};
}

const struct node *mapping_made(struct arena *arena, const struct mapping_maker *maker,
                                struct mark mark) {
    return node_mapping(arena, maker->members, maker->count, mark);
}

const struct node_member *node_find_named(const struct node *mapping, struct slice name) {
    if (mapping == NULL || mapping->kind != NODE_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (slice_equal(mapping->members[i].name, name))
            return &mapping->members[i];
    return NULL;
}

const struct node_member *node_find_member(const struct node *mapping, const char *name) {
    return node_find_named(mapping, slice_text(name));
}

const struct node *node_find(const struct node *mapping, const char *name) {
    const struct node_member *member = node_find_member(mapping, name);
    return member == NULL ? NULL : member->value;
}

const struct node *node_find_unknown(const struct node *node) {
    const struct node *found = node->kind == NODE_UNKNOWN ? node : NULL;
    for (size_t i = 0; node->kind == NODE_SEQUENCE && found == NULL && i < node->count; i++)
        found = node_find_unknown(node->items[i]);
    for (size_t i = 0; node->kind == NODE_MAPPING && found == NULL && i < node->count; i++)
        found = node_find_unknown(node->members[i].value);
    return found;
}

const char *node_kind_name(const struct node *node) {
    static const char *const names[] = {
        [NODE_NULL] = "null",       [NODE_SCALAR] = "a single value",
        [NODE_SEQUENCE] = "a list", [NODE_MAPPING] = "a mapping",
        [NODE_ABSENT] = "nothing",  [NODE_UNKNOWN] = "an unknown value",
    };
    return names[node->kind];
}

static struct slice skip_blank(struct slice text) {
    if (slice_starts_with(text, SLICE_LITERAL("\xef\xbb\xbf")))
        text = slice_skip(text, 3);
    while (text.len > 0 && memchr(" \t\r\n", text.data[0], 4) != NULL)
        text = slice_skip(text, 1);
    return text;
}

/* A document that begins with a brace is JSON, or else YAML in its flow style. */
struct error *document_read(const struct document *document, struct slice text,
                            const struct node **ret_root) {
    if (text.len > TEMPLATE_BYTES_MAX && !document->generous)
        return document_error(document, MARK_NONE, "larger than 1 MB, the limit for a template");
    if (text.len > PLAN_BYTES_MAX)
        return document_error(document, MARK_NONE, "larger than 16 MB, the limit for a plan");
    struct slice rest = skip_blank(text);
    if (rest.len == 0 || rest.data[0] != '{')
        return document_read_yaml(document, text, ret_root);
    bool malformed = false;
    struct error *error = document_read_json(document, text, &malformed, ret_root);
    if (error == NULL || !malformed || document_read_yaml(document, text, ret_root) != NULL)
        return error;
    return NULL;
}
