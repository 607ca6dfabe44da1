/* node.h - a document as a tree that remembers where each part stands.
 *
 * Templates (YAML or JSON) and the service's answers (JSON) become the same tree. A scalar is its
 * text: what type it has to be is decided by the property that takes it, as CloudFormation does.
 * YAML's aliases share nodes, so a tree may be a graph without cycles; every node knows its depth,
 * which bounds each recursion over it.
 * Memory: nodes and texts live in the arena of the document and are never changed once it is read.
 */
#ifndef GRAMME_TEMPLATE_NODE_H
#define GRAMME_TEMPLATE_NODE_H

#include "base/error.h"
#include "json/tree.h"

enum {
    TEMPLATE_BYTES_MAX = 1024 * 1024, /* CloudFormation's limit for a template */
    NODE_DEPTH_MAX = 64,
    NODE_COUNT_MAX = 100000,
    /* Of what a tool writes about a whole application: */
    PLAN_BYTES_MAX = 16 * 1024 * 1024,
    PLAN_NODE_COUNT_MAX = 1000000,
    NODE_MEMBERS_MAX = 4096, /* of one mapping: their names are compared pairwise */
};

/* A place in a text; line and column count from 1. Line 0: no place. */
struct mark {
    uint32_t line;
    uint32_t column;          /* in characters */
    const struct slice *file; /* one that the document takes in; NULL: the document itself */
};

#define MARK_NONE ((struct mark){.line = 0})

enum node_kind {
    NODE_NULL,
    NODE_SCALAR,
    NODE_SEQUENCE,
    NODE_MAPPING,
    /* Only after intrinsic functions are resolved: */
    NODE_ABSENT,  /* AWS::NoValue: as if it were not written */
    NODE_UNKNOWN, /* only a deployment could tell; `text` says why */
};

struct node;

struct node_member {
    struct slice name;
    struct mark mark; /* of the name */
    const struct node *value;
};

struct node {
    enum node_kind kind;
    bool quoted; /* a scalar that can only be a string */
    uint8_t depth;
    struct mark mark;
    struct slice text;
    size_t count;
    union {
        const struct node **items;
        const struct node_member *members;
    };
};

/* What a document is called in messages, and the arena of all that comes from it. */
struct document {
    struct arena *arena;
    struct slice name;
    const struct slice *file; /* its name in marks, when another document takes it in; or NULL */
    bool generous;            /* a tool wrote it: the larger limits hold */
};

/* "name:line:column"; without a mark "name". */
struct slice document_place(const struct document *document, struct mark mark);
/* The place, a colon and the text. */
struct error *document_error(const struct document *document, struct mark mark, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

struct node *node_of_kind(struct arena *arena, enum node_kind kind, struct mark mark);
struct node *node_scalar(struct arena *arena, struct slice text, struct mark mark);
struct node *node_unknown(struct arena *arena, struct mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Children that are collected while a document is read become a node. */
struct node *node_sequence(struct arena *arena, const struct node *const *items, size_t count,
                           struct mark mark);
struct node *node_mapping(struct arena *arena, const struct node_member *members, size_t count,
                          struct mark mark);

/* A mapping under construction, of few members. */
struct mapping_maker {
    struct node_member members[24];
    size_t count;
};
/* NULL: nothing. The name is a constant. */
void mapping_put(struct mapping_maker *maker, const char *name, const struct node *value);
const struct node *mapping_made(struct arena *arena, const struct mapping_maker *maker,
                                struct mark mark);

/* NULL when there is none, or `mapping` is no mapping or NULL. */
const struct node_member *node_find_member(const struct node *mapping, const char *name);
const struct node_member *node_find_named(const struct node *mapping, struct slice name);
const struct node *node_find(const struct node *mapping, const char *name);

/* JSON, whose scalars are strings. The canonical form is for comparing: members by name, a list of
 * one is its item, and an account the ARN of its root. */
struct slice node_json(struct arena *arena, const struct node *node, bool canonical);
/* The first value within it that only a deployment could tell; NULL: none. */
const struct node *node_find_unknown(const struct node *node);

/* "a string", "a list", ... for messages. */
const char *node_kind_name(const struct node *node);

/* YAML when it is not JSON. A document is one value; NULL when it is empty. */
struct error *document_read(const struct document *document, struct slice text,
                            const struct node **ret_root);
struct error *document_read_yaml(const struct document *document, struct slice text,
                                 const struct node **ret_root);
/* `ret_malformed` tells an error about JSON's syntax from others. */
struct error *document_read_json(const struct document *document, struct slice text,
                                 bool *ret_malformed, const struct node **ret_root);
/* The nodes have no places. */
struct error *document_from_json(const struct document *document, const struct json_value *value,
                                 const struct node **ret_root);

#endif
