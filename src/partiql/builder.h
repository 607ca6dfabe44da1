/* builder.h - from the trees of statements to those of expressions (expr/ast.h), and to bound
 * expressions. */
#ifndef GRAMME_PARTIQL_BUILDER_H
#define GRAMME_PARTIQL_BUILDER_H

#include "expr/ast.h"
#include "partiql/statement.h"

/* A tree that grows, and the values it refers to. */
struct builder {
    struct arena *arena;
    struct ast ast;
    struct expr_placeholder *values;
    size_t value_count;
    size_t value_room;
};

void builder_init(struct builder *b, struct arena *arena, enum expr_kind kind);

struct error *builder_path(struct builder *b, const struct steps *steps,
                           struct ast_path **ret_path);
struct ast_node *builder_value(struct builder *b, struct value value);
/* A call with one operand: a name. */
struct ast_node *builder_name_test(struct builder *b, const char *function, struct slice name);

/* condition.c */
struct error *builder_condition(struct builder *b, const struct node *node,
                                struct ast_node **ret_node);
/* updates.c */
struct error *builder_updates(struct builder *b, const struct statement *statement);

/* Fails when the tree has more operators than an expression may have. */
struct error *builder_check_size(const struct builder *b);

/* Compiles and binds what was built. The caller owns the reference to the program. */
struct error *builder_finish(struct builder *b, struct expr_program **ret_program,
                             struct expr **ret_expr);

#endif
