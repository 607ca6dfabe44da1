/* statement.h - a statement as a tree: what the parser makes of a text, before anything is known of
 * parameters and tables.
 *
 * Lists of AND and OR are flat, so the depth of a tree is that of the parentheses and calls in its
 * text, and the parser bounds it: recursion over a tree is safe.
 * Memory: the arena of the parse; slices may point into the statement's text. */
#ifndef GRAMME_PARTIQL_STATEMENT_H
#define GRAMME_PARTIQL_STATEMENT_H

#include "expr/ast.h"
#include "partiql/lexer.h"

/* ---- paths ---- */

struct step {
    struct slice name;   /* absent: an index */
    struct slice digits; /* of an index, as written */
    bool negative;       /* a minus stands before them */
    struct position at;
    struct step *next;
};

struct steps {
    struct step *first;
    struct step *last;
    uint32_t count;
};

/* ---- expressions ---- */

enum node_kind {
    NODE_STRING,
    NODE_NUMBER, /* text as written, with its sign */
    NODE_TRUE,
    NODE_FALSE,
    NODE_NULL,
    NODE_PARAMETER, /* a question mark; `parameter` says the how-manieth */
    NODE_LIST,      /* [..], and (..) with a comma */
    NODE_BAG,       /* <<..>> */
    NODE_TUPLE,     /* {..}: names and values take turns */
    NODE_PATH,
    NODE_CALL, /* text: the name in lower case */
    NODE_OPERATOR,
    NODE_TYPE,  /* right of IS: the keyword of a type */
    NODE_VALUE, /* what all constants are replaced by when the statement is bound */
};

enum operator_kind {
    SIGN_EQ,
    SIGN_NE,
    SIGN_LT,
    SIGN_LE,
    SIGN_GT,
    SIGN_GE,
    SIGN_BETWEEN,
    SIGN_NOT_BETWEEN,
    SIGN_IN,
    SIGN_NOT_IN,
    SIGN_IS,
    SIGN_IS_NOT,
    SIGN_AND,
    SIGN_OR,
    SIGN_NOT,
    SIGN_PLUS,
    SIGN_MINUS,
    SIGN_OTHER, /* one that PartiQL has and the service has not; `text` names it */
};

struct node {
    enum node_kind kind;
    enum operator_kind op;
    bool parenthesised;
    uint16_t depth; /* 1 for a leaf */
    enum keyword type;
    uint32_t parameter;
    struct slice text;
    struct steps path;
    struct value value; /* NODE_VALUE */
    struct position at;
    struct node *first; /* children, in written order */
    struct node *last;
    uint32_t count;
    struct node *next;
};

/* ---- statements ---- */

enum verb { VERB_SELECT, VERB_INSERT, VERB_UPDATE, VERB_DELETE, VERB_EXISTS };

/* One assignment of SET, or one path of REMOVE. */
struct change_clause {
    uint32_t clause; /* which SET or REMOVE it belongs to, counted from 1 */
    struct steps target;
    struct node *value; /* NULL: REMOVE */
    struct change_clause *next;
};

struct order_term {
    struct slice name;
    bool descending;
    struct order_term *next;
};

enum returning {
    RETURNING_NOTHING,
    RETURNING_ALL_OLD,
    RETURNING_ALL_NEW,
    RETURNING_MODIFIED_OLD,
    RETURNING_MODIFIED_NEW,
};

struct statement {
    enum verb verb;
    struct steps from;
    struct node *columns; /* SELECT: the list; NULL: a star */
    struct node *item;    /* INSERT */
    struct change_clause *changes;
    struct change_clause *last_change;
    uint32_t clause_count;
    struct node *where; /* NULL: none */
    struct order_term *order;
    enum returning returning;
    uint32_t parameter_count;
    uint32_t node_count;
};

/* What every wrong use of an expression gets for which the service has no text of its own:
 * ERROR_PATH_COMPONENT. */
struct error *statement_path_error(struct arena *arena, struct position at);
struct error *statement_empty_component(struct arena *arena);

#endif
