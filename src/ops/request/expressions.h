/* expressions.h - the expressions of one request, with their shared #names and :values.
 *
 * An operation fills a struct expressions in the order the service checks them in, then calls, each
 * when its turn comes:
 *
 *   expressions_check_mixing      no legacy parameters beside expressions
 *   expressions_check_presence    no placeholders without an expression
 *   expressions_bind              placeholders, then each expression, then unused placeholders
 *   expressions_release           gives the programs back */
#ifndef GRAMME_OPS_REQUEST_EXPRESSIONS_H
#define GRAMME_OPS_REQUEST_EXPRESSIONS_H

#include "model/table.h"
#include "ops/op.h"

enum { EXPRESSIONS_MAX = 4 };

struct expression {
    enum expr_kind kind;
    const char *member; /* "ConditionExpression" */
    struct slice text;  /* absent: not given */
    struct expr_program *program;
    struct expr *bound; /* NULL: not given */
};

/* A parameter of the legacy API, in the order the service lists them. */
struct legacy_parameter {
    const char *member;
    bool present;
};

struct expressions {
    struct expression list[EXPRESSIONS_MAX];
    size_t count;
    const struct field_list *names;  /* ExpressionAttributeNames */
    const struct field_list *values; /* ExpressionAttributeValues; NULL: the operation has none */
    const char *values_alone_suffix; /* what older operations add to the text for values without an
                                        expression */
    /* Transactions: what is wrong with a :value comes after what is wrong with the expressions. */
    bool values_last;
};

void expressions_add(struct expressions *expressions, enum expr_kind kind, const char *member,
                     struct slice text);

struct error *expressions_check_mixing(struct arena *arena, const struct expressions *expressions,
                                       size_t legacy_count, const struct legacy_parameter *legacy);
struct error *expressions_check_presence(struct arena *arena,
                                         const struct expressions *expressions);
struct error *expressions_bind(struct op_call *call, struct expressions *expressions);
/* Binds a program that no text was compiled to, in the place of the kind's expression, which was
 * not given. Takes over the reference. */
struct error *expressions_take(struct op_call *call, struct expressions *expressions,
                               struct expr_program *program, enum expr_kind kind,
                               struct expr_placeholders *given);
void expressions_release(struct expressions *expressions);

/* NULL when the request has no such expression. */
const struct expr *expressions_get(const struct expressions *expressions, enum expr_kind kind);

/* A path that goes on behind this name: it must not lead into a key attribute of the table or of an
 * index. */
struct error *key_path_check(struct arena *arena, const struct table_definition *table,
                             struct slice name);
/* The same for all paths of the expressions. */
struct error *expressions_check_key_paths(struct arena *arena,
                                          const struct expressions *expressions,
                                          const struct table_definition *table);

#endif
