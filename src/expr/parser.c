/* parser.c - the parts that all grammars share: tokens, groups, paths and operands. */
#include "expr/parser.h"

#include "base/check.h"
#include "expr/expr_error.h"
#include "expr/limits.h"

struct slice parser_take(struct parser *p) {
    CHECK(p->next + 1 < p->tokens.count);
    return token_text(&p->tokens, p->next++);
}

struct error *parser_syntax_error(const struct parser *p) {
    struct slice token = token_text(&p->tokens, p->next);
    struct slice near = token_window(&p->tokens, p->next);
    return expr_error(p->ast->arena, p->ast->kind, "Syntax error; token: \"%.*s\", near: \"%.*s\"",
                      SLICE_ARGS(token), SLICE_ARGS(near));
}

struct error *parser_expect(struct parser *p, enum token_kind kind) {
    if (parser_peek(p) != kind)
        return parser_syntax_error(p);
    p->next++;
    return NULL;
}

static struct error *redundant_parentheses(const struct parser *p) {
    return expr_error(p->ast->arena, p->ast->kind, "The expression has redundant parentheses;");
}

/* So deep that the text cannot be valid: without doubled parentheses it has too many operators. */
static struct error *nesting_error(struct parser *p) {
    if (p->nesting - p->parentheses <= LIMIT_EXPRESSION_OPERATORS)
        return redundant_parentheses(p);
    p->ast->operator_count = p->nesting;
    return ast_check_size(p->ast);
}

struct error *parser_enter(struct parser *p) {
    return ++p->nesting > NESTING_MAX ? nesting_error(p) : NULL;
}

void parser_leave(struct parser *p) {
    p->nesting--;
}

struct error *parser_open_group(struct parser *p) {
    TRY(parser_expect(p, TOKEN_LEFT_PAREN));
    p->parentheses++;
    return parser_enter(p);
}

struct error *parser_close_group(struct parser *p, struct ast_node *inner) {
    TRY(parser_expect(p, TOKEN_RIGHT_PAREN));
    if (inner->parenthesised)
        return redundant_parentheses(p);
    inner->parenthesised = true;
    p->parentheses--;
    parser_leave(p);
    return NULL;
}

/* ---- paths ---- */

static struct error *parse_name(struct parser *p, struct ast_path *path) {
    enum token_kind kind = parser_peek(p);
    if (kind == TOKEN_IDENTIFIER)
        ast_path_add_name(p->ast, path, parser_take(p));
    else if (kind == TOKEN_NAME)
        ast_path_add_placeholder(p->ast, path, parser_take(p));
    else
        return parser_syntax_error(p);
    return NULL;
}

static struct error *parse_index(struct parser *p, struct ast_path *path) {
    if (parser_peek(p) != TOKEN_NUMBER)
        return parser_syntax_error(p);
    ast_path_add_index(p->ast, path, parser_take(p));
    return parser_expect(p, TOKEN_RIGHT_BRACKET);
}

struct error *parse_path(struct parser *p, struct ast_path **ret_path) {
    struct ast_path *path = ast_path(p->ast);
    TRY(parse_name(p, path));
    for (;;) {
        enum token_kind kind = parser_peek(p);
        if (kind != TOKEN_DOT && kind != TOKEN_LEFT_BRACKET)
            break;
        p->next++;
        TRY(kind == TOKEN_DOT ? parse_name(p, path) : parse_index(p, path));
    }
    *ret_path = path;
    return NULL;
}

/* ---- operands ---- */

static struct error *parse_operand_path(struct parser *p, struct ast_node **ret_node) {
    struct ast_path *path;
    TRY(parse_path(p, &path));
    *ret_node = ast_operand_path(p->ast, path);
    return NULL;
}

struct error *parse_operands(struct parser *p, struct ast_list *list) {
    for (;;) {
        struct ast_node *node;
        TRY(parse_operand(p, &node));
        ast_list_add(list, node);
        if (parser_peek(p) != TOKEN_COMMA)
            return NULL;
        p->next++;
    }
}

static struct error *parse_call(struct parser *p, struct ast_node **ret_node) {
    struct slice name = parser_take(p);
    struct ast_list args = {0};
    TRY(parser_expect(p, TOKEN_LEFT_PAREN));
    TRY(parser_enter(p));
    TRY(parse_operands(p, &args));
    parser_leave(p);
    TRY(parser_expect(p, TOKEN_RIGHT_PAREN));
    *ret_node = ast_call(p->ast, name, args);
    return NULL;
}

static struct error *parse_operand_group(struct parser *p, struct ast_node **ret_node) {
    struct ast_node *inner;
    TRY(parser_open_group(p));
    TRY(parse_operand(p, &inner));
    TRY(parser_close_group(p, inner));
    *ret_node = inner;
    return NULL;
}

struct error *parse_operand(struct parser *p, struct ast_node **ret_node) {
    enum token_kind kind = parser_peek(p);
    if (kind == TOKEN_LEFT_PAREN)
        return parse_operand_group(p, ret_node);
    if (kind == TOKEN_IDENTIFIER && p->tokens.tokens[p->next + 1].kind == TOKEN_LEFT_PAREN)
        return parse_call(p, ret_node);
    if (kind != TOKEN_VALUE)
        return parse_operand_path(p, ret_node);
    *ret_node = ast_operand_value(p->ast, parser_take(p));
    return NULL;
}

/* ---- the whole text ---- */

static struct error *parse_projection(struct parser *p) {
    for (;;) {
        struct ast_path *path;
        TRY(parse_path(p, &path));
        ast_project(p->ast, path);
        if (parser_peek(p) != TOKEN_COMMA)
            return NULL;
        p->next++;
    }
}

static struct error *parse_kind(struct parser *p) {
    if (p->ast->kind == EXPR_PROJECTION)
        return parse_projection(p);
    if (p->ast->kind == EXPR_UPDATE)
        return parse_update(p);
    return parse_condition(p);
}

struct error *ast_parse(struct ast *ast, struct slice text) {
    struct parser p = {.ast = ast, .tokens = tokens_read(ast->arena, text)};
    TRY(parse_kind(&p));
    return parser_peek(&p) == TOKEN_END ? NULL : parser_syntax_error(&p);
}
