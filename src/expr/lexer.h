/* lexer.h - the text of an expression as tokens.
 *
 * A character that begins no token is a token of its own, of kind TOKEN_BAD: the parser reports it
 * where it stands, as the service does. The last token is always TOKEN_END. The list lives in the
 * arena it was read into, and refers to the text. */
#ifndef GRAMME_EXPR_LEXER_H
#define GRAMME_EXPR_LEXER_H

#include "base/arena.h"

enum token_kind {
    TOKEN_END,
    TOKEN_BAD,
    TOKEN_IDENTIFIER,
    TOKEN_NAME,  /* #name */
    TOKEN_VALUE, /* :value */
    TOKEN_NUMBER,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_BETWEEN,
    TOKEN_IN,
    TOKEN_SET,
    TOKEN_REMOVE,
    TOKEN_ADD,
    TOKEN_DELETE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_LEFT_PAREN,
    TOKEN_RIGHT_PAREN,
    TOKEN_LEFT_BRACKET,
    TOKEN_RIGHT_BRACKET,
    TOKEN_COMMA,
    TOKEN_DOT,
};

/* Positions in bytes; an expression is short enough for 16 bits. */
struct token {
    uint16_t kind;
    uint16_t start;
    uint16_t end;
};

struct token_list {
    struct slice text;
    const struct token *tokens;
    size_t count;
};

/* `text` has at most LIMIT_EXPRESSION_BYTES. */
struct token_list tokens_read(struct arena *arena, struct slice text);

/* "<EOF>" for the last one. */
struct slice token_text(const struct token_list *list, size_t index);
/* What the service prints around an offending token: the source from the token before to the token
 * after. */
struct slice token_window(const struct token_list *list, size_t index);

#endif
