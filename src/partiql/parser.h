/* parser.h - text to tree. The parser never goes back; a copy of its lexer looks one token ahead.
 *
 * parser.c has what all parts use, parse_path.c the paths, parse_expression.c the expressions with
 * their precedence, parse_statement.c the clauses. */
#ifndef GRAMME_PARTIQL_PARSER_H
#define GRAMME_PARTIQL_PARSER_H

#include "partiql/statement.h"

/* Levels of parentheses, brackets, calls and unary operators: nothing legal needs more, since
 * values nest 32 deep. */
enum { STATEMENT_DEPTH_MAX = 100 };

struct parser {
    struct arena *arena;
    struct lexer lexer;
    struct lex_token token; /* the next one, not yet taken */
    uint32_t depth;
    struct statement *statement;
};

/* Errors: "Statement wasn't well formed, can't be processed: ...", and the few that the service
 * finds before it looks at parameters. */
struct error *statement_parse(struct arena *arena, struct slice text,
                              struct statement **ret_statement);

/* ---- for the files that parse the parts ---- */

/* Both are at the next token. */
struct error *not_well_formed(struct parser *p, const char *detail);
struct error *statement_aliased(struct parser *p);

void tokens_advance(struct parser *p);
struct lex_token tokens_peek(const struct parser *p); /* the one after the next */
static inline bool tokens_at(const struct parser *p, enum lex_kind kind) {
    return p->token.kind == kind;
}
static inline bool tokens_at_keyword(const struct parser *p, enum keyword keyword) {
    return p->token.kind == LEX_KEYWORD && p->token.keyword == keyword;
}
/* Takes the token when it is that one. */
bool tokens_take(struct parser *p, enum lex_kind kind);
bool tokens_take_keyword(struct parser *p, enum keyword keyword);
static inline bool tokens_at_operator(const struct parser *p, const char *text) {
    return p->token.kind == LEX_OPERATOR && slice_is(p->token.text, text);
}
/* Any number of signs; true when they come to a minus. */
bool tokens_take_signs(struct parser *p);

struct node *tree_node(struct parser *p, enum node_kind kind, struct position at);
void tree_add(struct node *parent, struct node *child);

/* parse_expression.c */
struct error *parse_expression(struct parser *p, struct node **ret_node);

/* parse_path.c: a name and what follows it. */
struct error *parse_steps(struct parser *p, struct steps *ret_steps);

/* parse_statement.c */
struct error *parse_statement(struct parser *p);

#endif
