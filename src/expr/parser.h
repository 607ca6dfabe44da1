/* parser.h - tokens to a tree.
 *
 * The grammar is parsed by recursive descent without backtracking: where a parenthesis may open a
 * condition or an operand, both are read by the same function, and what followed decides. So a
 * syntax error is always at the first token that no reading of the text allows, which is the token
 * that the service reports (it tries the alternatives and keeps the one that got furthest).
 *
 * Recursion is bounded by NESTING_MAX. parse_condition.c and parse_update.c share what is declared
 * here below ast_parse(). */
#ifndef GRAMME_EXPR_PARSER_H
#define GRAMME_EXPR_PARSER_H

#include "expr/ast.h"
#include "expr/lexer.h"

/* Syntax errors and doubled parentheses; nothing about what names and functions mean. */
struct error *ast_parse(struct ast *ast, struct slice text);

struct parser {
    struct ast *ast;
    struct token_list tokens;
    size_t next;
    uint32_t nesting;     /* levels of recursion: groups, NOTs and calls */
    uint32_t parentheses; /* the groups among them */
};

static inline enum token_kind parser_peek(const struct parser *p) {
    return (enum token_kind)p->tokens.tokens[p->next].kind;
}

/* The text of the token taken. */
struct slice parser_take(struct parser *p);
/* At the next token. */
struct error *parser_syntax_error(const struct parser *p);
/* Takes a token of this kind or fails. */
struct error *parser_expect(struct parser *p, enum token_kind kind);

/* Around each level of recursion. */
struct error *parser_enter(struct parser *p);
void parser_leave(struct parser *p);
/* The same for a parenthesised group. `inner` is what stands in it; it may not be a group itself.
 */
struct error *parser_open_group(struct parser *p);
struct error *parser_close_group(struct parser *p, struct ast_node *inner);

struct error *parse_path(struct parser *p, struct ast_path **ret_path);
/* A path, a value, a call, or one of them in parentheses. */
struct error *parse_operand(struct parser *p, struct ast_node **ret_node);
struct error *parse_operands(struct parser *p, struct ast_list *list);

struct error *parse_condition(struct parser *p);
struct error *parse_update(struct parser *p);

#endif
