/* resource_document.h - the policy of a table or a stream as a request gives it: what the service
 * checks, with its texts, and the form in which it gives it back.
 *
 * What passes can be evaluated: policy_parse() has read it. Memory: the arena. */
#ifndef GRAMME_OPS_POLICY_RESOURCE_DOCUMENT_H
#define GRAMME_OPS_POLICY_RESOURCE_DOCUMENT_H

#include "base/error.h"
#include "model/table.h"
#include "policy/policy.h"

struct resource_document {
    struct slice form; /* canonical: what equivalent documents have in common */
    bool unversioned;  /* the document had no version: the form has the old one */
    const struct policy *policy;
};

/* `stream`: of a stream; otherwise of a table and its indexes. */
struct error *resource_document_read(struct arena *arena, struct slice text, bool stream,
                                     struct resource_document *ret_document);

/* ---- for the files of this ---- */

/* The groups of a statement's elements, in the order of the form. */
enum document_group {
    DOCUMENT_SID,
    DOCUMENT_EFFECT,
    DOCUMENT_PRINCIPAL,
    DOCUMENT_ACTION,
    DOCUMENT_RESOURCE,
    DOCUMENT_CONDITION,
    DOCUMENT_GROUPS
};

struct json_value;

struct document_statement {
    const struct json_value *elements[DOCUMENT_GROUPS]; /* NULL: it has none of the group */
};

struct document_parts {
    struct slice version; /* absent: it has none */
    struct slice id;      /* likewise */
    struct document_statement *statements;
    size_t count;
};

/* The canonical form. */
struct slice document_form(struct arena *arena, const struct document_parts *parts);

/* A string, or each string of an array: `at` is the value first, and NULL at the end. */
const struct json_value *document_first(const struct json_value *value);
const struct json_value *document_next(const struct json_value *value, const struct json_value *at);

#endif
