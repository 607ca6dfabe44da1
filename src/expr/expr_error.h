/* expr_error.h - errors that begin with the name of the request's member: "Invalid
 * UpdateExpression: ...". */
#ifndef GRAMME_EXPR_EXPR_ERROR_H
#define GRAMME_EXPR_EXPR_ERROR_H

#include "expr/expr.h"

struct error *expr_error(struct arena *arena, enum expr_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
