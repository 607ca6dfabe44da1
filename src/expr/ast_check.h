/* ast_check.h - the first pass over a parsed expression: what its text alone decides. */
#ifndef GRAMME_EXPR_AST_CHECK_H
#define GRAMME_EXPR_AST_CHECK_H

#include "expr/ast.h"

/* Reserved words, list indexes, functions and where they stand, operands of a condition's
 * functions, repeated sections; the first offence in written order. */
struct error *ast_check(const struct ast *ast);

#endif
