/* expr.c - from text to program: limits, parser, first pass, compiler. */
#include "expr/expr.h"

#include "expr/ast_check.h"
#include "expr/cache.h"
#include "expr/compile.h"
#include "expr/expr_error.h"
#include "expr/limits.h"
#include "expr/parser.h"

static struct error *check_text(struct arena *arena, enum expr_kind kind, struct slice text) {
    if (text.len == 0)
        return expr_error(arena, kind, "The expression can not be empty;");
    if (text.len <= LIMIT_EXPRESSION_BYTES)
        return NULL;
    if (kind == EXPR_UPDATE)
        return expr_error(arena, kind, "Expression size has exceeded the maximum allowed size;");
    return expr_error(arena, kind,
                      "Expression size has exceeded the maximum allowed size; expression size: %zu",
                      text.len);
}

/* The tree and the tokens are scratch: on success their memory is given back. */
static struct error *compile_text(struct arena *arena, enum expr_kind kind, struct slice text,
                                  struct expr_program **ret_program) {
    struct arena_mark mark = arena_mark(arena);
    struct ast ast;
    ast_init(&ast, arena, kind);
    TRY(ast_parse(&ast, text));
    TRY(ast_check_size(&ast));
    TRY(ast_check(&ast));
    *ret_program = ast_compile(&ast);
    arena_rewind(arena, mark);
    return NULL;
}

struct error *expr_compile(struct arena *arena, enum expr_kind kind, struct slice text,
                           struct expr_cache *cache, struct expr_program **ret_program) {
    TRY(check_text(arena, kind, text));
    struct expr_program *program = cache == NULL ? NULL : cache_find(cache, kind, text);
    if (program == NULL) {
        TRY(compile_text(arena, kind, text, &program));
        if (cache != NULL)
            cache_add(cache, kind, text, program);
    }
    *ret_program = program;
    return NULL;
}
