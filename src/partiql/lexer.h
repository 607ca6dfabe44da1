/* lexer.h - the tokens of a statement.
 *
 * A lexer takes one token at a time and remembers nothing else, so a copy of it looks ahead. White
 * space and comments (two dashes to the end of the line, slash-star to star-slash) stand between
 * tokens. Where no token can be read comes LEX_BAD, and nothing after it means anything.
 * Memory: a token's text is a slice of the statement, except where quotes had to be undoubled. */
#ifndef GRAMME_PARTIQL_LEXER_H
#define GRAMME_PARTIQL_LEXER_H

#include "base/arena.h"

enum lex_kind {
    LEX_END,
    LEX_BAD,
    LEX_KEYWORD,
    LEX_NAME,   /* without quotes, no keyword */
    LEX_QUOTED, /* "name" */
    LEX_STRING, /* 'text' */
    LEX_NUMBER, /* without a sign */
    LEX_PARAMETER,
    LEX_OPERATOR, /* = <> != < <= > >= + - / % || ; a star is LEX_STAR */
    LEX_STAR,
    LEX_DOT,
    LEX_COMMA,
    LEX_COLON,
    LEX_SEMICOLON,
    LEX_PAREN_OPEN,
    LEX_PAREN_CLOSE,
    LEX_BRACKET_OPEN,
    LEX_BRACKET_CLOSE,
    LEX_BRACE_OPEN,
    LEX_BRACE_CLOSE,
    LEX_BAG_OPEN,  /* << */
    LEX_BAG_CLOSE, /* >> */
};

enum keyword {
    KEYWORD_NONE,
#define KEYWORD(word) KEYWORD_##word,
#include "partiql/keywords.def"
#undef KEYWORD
};

/* Where a token stands, in characters counted from 1. */
struct position {
    uint32_t line;
    uint32_t column;
    uint32_t length;
};

#define POSITION_FORMAT "%u:%u:%u"
#define POSITION_ARGS(at) (at).line, (at).column, (at).length

struct lex_token {
    enum lex_kind kind;
    enum keyword keyword;
    struct slice text; /* of a name or string: what it stands for; else as written */
    struct position at;
};

struct lexer {
    struct arena *arena;
    struct slice text;
    size_t next;
    uint32_t line;
    uint32_t column;
};

void statement_lexer_init(struct lexer *lexer, struct arena *arena, struct slice text);
struct lex_token statement_lexer_next(struct lexer *lexer);

#endif
