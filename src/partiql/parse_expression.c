/* parse_expression.c - expressions: terms, and operators by their precedence.
 *
 * From loose to tight: OR, AND, NOT, equality (= <> IS IN), order (< BETWEEN LIKE), + and -, * and
 * /. The grammar is wider than what the service does with it: a tree that means nothing is refused
 * when it is bound, as the service does. */
#include "partiql/parser.h"

enum precedence {
    PRECEDENCE_OR = 1,
    PRECEDENCE_AND,
    PRECEDENCE_NOT,
    PRECEDENCE_EQUALITY,
    PRECEDENCE_ORDER,
    PRECEDENCE_SUM,
    PRECEDENCE_PRODUCT,
};

static struct error *parse_level(struct parser *p, int precedence, struct node **ret_node);

/* ---- depth ---- */

static struct error *enter(struct parser *p) {
    if (++p->depth > STATEMENT_DEPTH_MAX)
        return not_well_formed(p, "");
    return NULL;
}

static void leave(struct parser *p) {
    p->depth--;
}

static struct error *check_depth(struct parser *p, const struct node *node) {
    return node->depth > STATEMENT_DEPTH_MAX ? not_well_formed(p, "") : NULL;
}

/* ---- terms ---- */

/* Expressions between commas, up to the closing token. */
static struct error *parse_members(struct parser *p, struct node *list, enum lex_kind close) {
    bool more = !tokens_at(p, close);
    while (more) {
        struct node *member;
        TRY(parse_level(p, PRECEDENCE_OR, &member));
        tree_add(list, member);
        more = tokens_take(p, LEX_COMMA);
    }
    if (!tokens_take(p, close))
        return not_well_formed(p, "Expected delimiter");
    return check_depth(p, list);
}

static struct error *parse_container(struct parser *p, enum node_kind kind, enum lex_kind close,
                                     struct node **ret_node) {
    struct node *list = tree_node(p, kind, p->token.at);
    tokens_advance(p);
    TRY(parse_members(p, list, close));
    *ret_node = list;
    return NULL;
}

static struct error *parse_tuple(struct parser *p, struct node **ret_node) {
    struct node *tuple = tree_node(p, NODE_TUPLE, p->token.at);
    tokens_advance(p);
    bool more = !tokens_at(p, LEX_BRACE_CLOSE);
    while (more) {
        struct node *part;
        TRY(parse_level(p, PRECEDENCE_OR, &part));
        tree_add(tuple, part);
        if (!tokens_take(p, LEX_COLON))
            return not_well_formed(p, "Expected COLON");
        TRY(parse_level(p, PRECEDENCE_OR, &part));
        tree_add(tuple, part);
        more = tokens_take(p, LEX_COMMA);
    }
    if (!tokens_take(p, LEX_BRACE_CLOSE))
        return not_well_formed(p, "Expected delimiter");
    *ret_node = tuple;
    return check_depth(p, tuple);
}

/* What one parenthesis encloses is itself; with a comma it is a list. */
static struct error *parse_parenthesis(struct parser *p, struct node **ret_node) {
    struct position at = p->token.at;
    struct node *inner;
    tokens_advance(p);
    TRY(parse_level(p, PRECEDENCE_OR, &inner));
    if (tokens_take(p, LEX_PAREN_CLOSE)) {
        inner->parenthesised = true;
        *ret_node = inner;
        return NULL;
    }
    if (!tokens_take(p, LEX_COMMA))
        return not_well_formed(p, "Expected delimiter");
    struct node *list = tree_node(p, NODE_LIST, at);
    tree_add(list, inner);
    *ret_node = list;
    return parse_members(p, list, LEX_PAREN_CLOSE);
}

static struct slice lower_case(struct arena *arena, struct slice text) {
    uint8_t *lower = arena_copy(arena, text.data, text.len);
    for (size_t i = 0; i < text.len; i++)
        if (lower[i] >= 'A' && lower[i] <= 'Z')
            lower[i] = (uint8_t)(lower[i] + 32);
    return slice_of(lower, text.len);
}

static struct error *parse_call(struct parser *p, struct node **ret_node) {
    struct node *call = tree_node(p, NODE_CALL, p->token.at);
    call->text = lower_case(p->arena, p->token.text);
    tokens_advance(p);
    tokens_advance(p);
    *ret_node = call;
    if (tokens_at(p, LEX_STAR)) { /* COUNT(*): nothing that the service has takes a star */
        tokens_advance(p);
        if (!tokens_take(p, LEX_PAREN_CLOSE))
            return not_well_formed(p, "Expected RIGHT_PAREN");
        return NULL;
    }
    return parse_members(p, call, LEX_PAREN_CLOSE);
}

static struct error *parse_keyword_term(struct parser *p, struct node **ret_node) {
    enum node_kind kind;
    switch ((int)p->token.keyword) {
    case KEYWORD_TRUE:
        kind = NODE_TRUE;
        break;
    case KEYWORD_FALSE:
        kind = NODE_FALSE;
        break;
    case KEYWORD_NULL:
        kind = NODE_NULL;
        break;
    case KEYWORD_IS:
    case KEYWORD_IN:
    case KEYWORD_LIKE:
    case KEYWORD_BETWEEN:
    case KEYWORD_AND:
    case KEYWORD_OR:
        return not_well_formed(p, "Unexpected operator");
    default:
        if (tokens_peek(p).kind == LEX_PAREN_OPEN)
            return parse_call(p, ret_node);
        return not_well_formed(p, "Unexpected keyword");
    }
    *ret_node = tree_node(p, kind, p->token.at);
    tokens_advance(p);
    return NULL;
}

static struct error *parse_leaf(struct parser *p, enum node_kind kind, struct node **ret_node) {
    struct node *leaf = tree_node(p, kind, p->token.at);
    leaf->text = p->token.text;
    if (kind == NODE_PARAMETER)
        leaf->parameter = p->statement->parameter_count++;
    tokens_advance(p);
    *ret_node = leaf;
    return NULL;
}

static struct error *parse_name_term(struct parser *p, struct node **ret_node) {
    if (tokens_at(p, LEX_NAME) && tokens_peek(p).kind == LEX_PAREN_OPEN)
        return parse_call(p, ret_node);
    struct node *path = tree_node(p, NODE_PATH, p->token.at);
    *ret_node = path;
    return parse_steps(p, &path->path);
}

/* Signs before a number belong to it. */
static struct error *parse_signed(struct parser *p, struct node **ret_node) {
    struct position at = p->token.at;
    bool negative = tokens_take_signs(p);
    if (!tokens_at(p, LEX_NUMBER))
        return not_well_formed(p,
                               tokens_at(p, LEX_END) ? "Unexpected term" : "Unexpected operator");
    TRY(parse_leaf(p, NODE_NUMBER, ret_node));
    struct node *number = *ret_node;
    if (negative)
        number->text = arena_printf(p->arena, "-%.*s", SLICE_ARGS(number->text));
    if (number->at.line == at.line) {
        number->at.length += number->at.column - at.column;
        number->at.column = at.column;
    }
    return NULL;
}

static struct error *parse_term(struct parser *p, struct node **ret_node) {
    switch ((int)p->token.kind) {
    case LEX_STRING:
        return parse_leaf(p, NODE_STRING, ret_node);
    case LEX_NUMBER:
        return parse_leaf(p, NODE_NUMBER, ret_node);
    case LEX_PARAMETER:
        return parse_leaf(p, NODE_PARAMETER, ret_node);
    case LEX_NAME:
    case LEX_QUOTED:
        return parse_name_term(p, ret_node);
    case LEX_KEYWORD:
        return parse_keyword_term(p, ret_node);
    case LEX_PAREN_OPEN:
        return parse_parenthesis(p, ret_node);
    case LEX_BRACKET_OPEN:
        return parse_container(p, NODE_LIST, LEX_BRACKET_CLOSE, ret_node);
    case LEX_BAG_OPEN:
        return parse_container(p, NODE_BAG, LEX_BAG_CLOSE, ret_node);
    case LEX_BRACE_OPEN:
        return parse_tuple(p, ret_node);
    case LEX_OPERATOR:
        return parse_signed(p, ret_node);
    case LEX_STAR:
        return not_well_formed(p, "Unexpected operator");
    default:
        return not_well_formed(p, "Unexpected term");
    }
}

/* ---- operators ---- */

struct infix {
    enum operator_kind op;
    int precedence; /* 0: the token is no infix operator */
};

static struct infix symbol_infix(const struct parser *p) {
    static const struct {
        const char *text;
        struct infix infix;
    } symbols[] = {
        {"=", {SIGN_EQ, PRECEDENCE_EQUALITY}},   {"<>", {SIGN_NE, PRECEDENCE_EQUALITY}},
        {"!=", {SIGN_NE, PRECEDENCE_EQUALITY}},  {"<", {SIGN_LT, PRECEDENCE_ORDER}},
        {"<=", {SIGN_LE, PRECEDENCE_ORDER}},     {">", {SIGN_GT, PRECEDENCE_ORDER}},
        {">=", {SIGN_GE, PRECEDENCE_ORDER}},     {"+", {SIGN_PLUS, PRECEDENCE_SUM}},
        {"-", {SIGN_MINUS, PRECEDENCE_SUM}},     {"||", {SIGN_OTHER, PRECEDENCE_SUM}},
        {"/", {SIGN_OTHER, PRECEDENCE_PRODUCT}}, {"%", {SIGN_OTHER, PRECEDENCE_PRODUCT}},
        {"*", {SIGN_OTHER, PRECEDENCE_PRODUCT}},
    };
    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
        if (slice_is(p->token.text, symbols[i].text))
            return symbols[i].infix;
    return (struct infix){SIGN_OTHER, 0};
}

static struct infix keyword_infix(enum keyword keyword) {
    switch ((int)keyword) {
    case KEYWORD_AND:
        return (struct infix){SIGN_AND, PRECEDENCE_AND};
    case KEYWORD_OR:
        return (struct infix){SIGN_OR, PRECEDENCE_OR};
    case KEYWORD_IS:
        return (struct infix){SIGN_IS, PRECEDENCE_EQUALITY};
    case KEYWORD_IN:
        return (struct infix){SIGN_IN, PRECEDENCE_EQUALITY};
    case KEYWORD_BETWEEN:
        return (struct infix){SIGN_BETWEEN, PRECEDENCE_ORDER};
    case KEYWORD_LIKE:
        return (struct infix){SIGN_OTHER, PRECEDENCE_ORDER};
    default:
        return (struct infix){SIGN_OTHER, 0};
    }
}

/* NOT IN, NOT BETWEEN, NOT LIKE after an operand. */
static struct infix negated_infix(const struct parser *p) {
    struct lex_token after = tokens_peek(p);
    struct infix infix = keyword_infix(after.kind == LEX_KEYWORD ? after.keyword : KEYWORD_NONE);
    if (infix.op == SIGN_IN)
        infix.op = SIGN_NOT_IN;
    else if (infix.op == SIGN_BETWEEN)
        infix.op = SIGN_NOT_BETWEEN;
    else if (infix.op != SIGN_OTHER)
        infix.precedence = 0;
    return infix;
}

static struct infix next_infix(const struct parser *p) {
    if (tokens_at_keyword(p, KEYWORD_NOT))
        return negated_infix(p);
    if (tokens_at(p, LEX_KEYWORD))
        return keyword_infix(p->token.keyword);
    if (tokens_at(p, LEX_OPERATOR) || tokens_at(p, LEX_STAR))
        return symbol_infix(p);
    return (struct infix){SIGN_OTHER, 0};
}

static bool is_type_name(struct slice word) {
    static const char *const names[] = {"INT2",     "INT4",     "INT8",  "INTEGER2",
                                        "INTEGER4", "INTEGER8", "BIGINT"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (slice_equal_ignoring_case(word, slice_text(names[i])))
            return true;
    return false;
}

/* Names of types that PartiQL has and the service has no use for: they stand for none of its own.
 */
static bool take_foreign_type(struct parser *p) {
    enum keyword second = tokens_at_keyword(p, KEYWORD_DOUBLE)      ? KEYWORD_PRECISION
                          : tokens_at_keyword(p, KEYWORD_CHARACTER) ? KEYWORD_VARYING
                                                                    : KEYWORD_NONE;
    struct lex_token after = tokens_peek(p);
    if (second != KEYWORD_NONE && after.kind == LEX_KEYWORD && after.keyword == second) {
        tokens_advance(p);
    } else if (!tokens_at(p, LEX_NAME) || !is_type_name(p->token.text)) {
        return false;
    }
    tokens_advance(p);
    return true;
}

/* The names that may stand after IS. */
static struct error *parse_type(struct parser *p, struct node **ret_node) {
    static const enum keyword types[] = {
        KEYWORD_MISSING, KEYWORD_NULL,      KEYWORD_BOOL,      KEYWORD_BOOLEAN, KEYWORD_SMALLINT,
        KEYWORD_INT,     KEYWORD_INTEGER,   KEYWORD_FLOAT,     KEYWORD_REAL,    KEYWORD_DEC,
        KEYWORD_DECIMAL, KEYWORD_NUMERIC,   KEYWORD_TIMESTAMP, KEYWORD_DATE,    KEYWORD_TIME,
        KEYWORD_CHAR,    KEYWORD_CHARACTER, KEYWORD_VARCHAR,   KEYWORD_STRING,  KEYWORD_SYMBOL,
        KEYWORD_CLOB,    KEYWORD_BLOB,      KEYWORD_STRUCT,    KEYWORD_TUPLE,   KEYWORD_LIST,
        KEYWORD_SEXP,    KEYWORD_BAG,
    };
    struct position at = p->token.at;
    if (take_foreign_type(p)) {
        *ret_node = tree_node(p, NODE_TYPE, at);
        return NULL;
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (!tokens_at_keyword(p, types[i]))
            continue;
        *ret_node = tree_node(p, NODE_TYPE, at);
        (*ret_node)->type = types[i];
        tokens_advance(p);
        return NULL;
    }
    return not_well_formed(p, "Expected type name");
}

static struct error *parse_between(struct parser *p, struct node *between) {
    struct node *bound;
    TRY(parse_level(p, PRECEDENCE_SUM, &bound));
    tree_add(between, bound);
    if (!tokens_take_keyword(p, KEYWORD_AND))
        return not_well_formed(p, "Expected AND after BETWEEN");
    if (tokens_at(p, LEX_END))
        return not_well_formed(p, "Missing right-hand side expression of infix operator");
    TRY(parse_level(p, PRECEDENCE_SUM, &bound));
    tree_add(between, bound);
    return NULL;
}

/* IN ('a') encloses one operand, which makes no list by itself. */
static struct error *parse_in(struct parser *p, struct node **ret_node) {
    bool open = tokens_at(p, LEX_PAREN_OPEN);
    struct position at = p->token.at;
    struct node *right;
    TRY(parse_level(p, PRECEDENCE_EQUALITY + 1, &right));
    if (open && right->kind != NODE_LIST && right->parenthesised) {
        struct node *list = tree_node(p, NODE_LIST, at);
        tree_add(list, right);
        right = list;
    }
    *ret_node = right;
    return NULL;
}

static struct error *parse_right(struct parser *p, struct infix infix, struct node *operation) {
    struct node *right = NULL;
    if (tokens_at(p, LEX_END))
        return not_well_formed(p, "Missing right-hand side expression of infix operator");
    if (infix.op == SIGN_BETWEEN || infix.op == SIGN_NOT_BETWEEN)
        return parse_between(p, operation);
    if (infix.op == SIGN_IS || infix.op == SIGN_IS_NOT)
        TRY(parse_type(p, &right));
    else if (infix.op == SIGN_IN || infix.op == SIGN_NOT_IN)
        TRY(parse_in(p, &right));
    else
        TRY(parse_level(p, infix.precedence + 1, &right));
    tree_add(operation, right);
    return NULL;
}

/* a AND b AND c is one list. */
static bool goes_on(const struct node *left, enum operator_kind op) {
    return (op == SIGN_AND || op == SIGN_OR) && left->kind == NODE_OPERATOR && left->op == op &&
           !left->parenthesised;
}

static struct error *parse_infix(struct parser *p, struct infix infix, struct node *left,
                                 struct node **ret_node) {
    struct node *operation = left;
    if (!goes_on(left, infix.op)) {
        operation = tree_node(p, NODE_OPERATOR, p->token.at);
        operation->op = infix.op;
        operation->text = p->token.text;
        tree_add(operation, left);
    }
    if (tokens_take_keyword(p, KEYWORD_NOT)) {
        operation->text = p->token.text;
        tokens_advance(p);
    } else {
        tokens_advance(p);
        if (operation->op == SIGN_IS && tokens_take_keyword(p, KEYWORD_NOT))
            operation->op = infix.op = SIGN_IS_NOT;
    }
    TRY(parse_right(p, infix, operation));
    *ret_node = operation;
    return check_depth(p, operation);
}

static struct error *parse_not(struct parser *p, struct node **ret_node) {
    struct node *operation = tree_node(p, NODE_OPERATOR, p->token.at), *inner;
    operation->op = SIGN_NOT;
    operation->text = p->token.text;
    tokens_advance(p);
    TRY(parse_level(p, PRECEDENCE_NOT, &inner));
    tree_add(operation, inner);
    *ret_node = operation;
    return check_depth(p, operation);
}

/* An expression whose operators bind at least as tightly as `precedence`. */
static struct error *parse_level(struct parser *p, int precedence, struct node **ret_node) {
    struct node *left;
    TRY(enter(p));
    TRY(tokens_at_keyword(p, KEYWORD_NOT) ? parse_not(p, &left) : parse_term(p, &left));
    for (;;) {
        struct infix infix = next_infix(p);
        if (infix.precedence == 0 || infix.precedence < precedence)
            break;
        TRY(parse_infix(p, infix, left, &left));
    }
    leave(p);
    *ret_node = left;
    return NULL;
}

struct error *parse_expression(struct parser *p, struct node **ret_node) {
    return parse_level(p, PRECEDENCE_OR, ret_node);
}
