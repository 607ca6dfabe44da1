/* parse_condition.c - conditions, filters and key conditions.
 *
 *   condition  := comparison | call | '(' condition ')' | NOT condition
 *               | condition AND condition | condition OR condition
 *   comparison := operand comparator operand | operand BETWEEN operand AND operand
 *               | operand IN '(' operand (',' operand)* ')'
 *
 * A parenthesis may open a condition or an operand. Both are read as a condition here, and every
 * function may come back with a bare operand (a path or a value); whoever needs a condition says so
 * at the token that follows it. */
#include "expr/parser.h"

enum strength { STRENGTH_NONE, STRENGTH_OR, STRENGTH_AND };

/* A call is both: an operand before a comparator, a condition elsewhere. */
static bool is_condition(const struct ast_node *node) {
    return node->kind == AST_OPERATOR || node->kind == AST_CALL;
}

static bool is_operand(const struct ast_node *node) {
    return node->kind != AST_OPERATOR;
}

static struct error *require_condition(const struct parser *p, const struct ast_node *node) {
    return is_condition(node) ? NULL : parser_syntax_error(p);
}

static bool comparator_of(enum token_kind kind, enum ast_operator *ret_op) {
    if (kind < TOKEN_EQ || kind > TOKEN_GE)
        return false;
    *ret_op = (enum ast_operator)(OPERATOR_EQ + (kind - TOKEN_EQ));
    return true;
}

static struct error *parse_between(struct parser *p, struct ast_node *a,
                                   struct ast_node **ret_node) {
    struct ast_list args = {0};
    struct ast_node *low, *high;
    p->next++;
    TRY(parse_operand(p, &low));
    TRY(parser_expect(p, TOKEN_AND));
    TRY(parse_operand(p, &high));
    ast_list_add(&args, a);
    ast_list_add(&args, low);
    ast_list_add(&args, high);
    *ret_node = ast_operator(p->ast, OPERATOR_BETWEEN, args);
    return NULL;
}

static struct error *parse_in(struct parser *p, struct ast_node *a, struct ast_node **ret_node) {
    struct ast_list args = {0};
    ast_list_add(&args, a);
    p->next++;
    TRY(parser_expect(p, TOKEN_LEFT_PAREN));
    TRY(parse_operands(p, &args));
    TRY(parser_expect(p, TOKEN_RIGHT_PAREN));
    *ret_node = ast_operator(p->ast, OPERATOR_IN, args);
    return NULL;
}

/* What may follow an operand; without it, the operand comes back as it is. */
static struct error *parse_comparison(struct parser *p, struct ast_node *a,
                                      struct ast_node **ret_node) {
    enum token_kind kind = parser_peek(p);
    enum ast_operator op;
    if (kind == TOKEN_BETWEEN)
        return parse_between(p, a, ret_node);
    if (kind == TOKEN_IN)
        return parse_in(p, a, ret_node);
    if (comparator_of(kind, &op)) {
        struct ast_node *b;
        p->next++;
        TRY(parse_operand(p, &b));
        a = ast_binary(p->ast, op, a, b);
    }
    *ret_node = a;
    return NULL;
}

static struct error *parse_binary(struct parser *p, enum strength least,
                                  struct ast_node **ret_node);

static struct error *parse_primary(struct parser *p, struct ast_node **ret_node) {
    struct ast_node *node;
    if (parser_peek(p) == TOKEN_LEFT_PAREN) {
        TRY(parser_open_group(p));
        TRY(parse_binary(p, STRENGTH_OR, &node));
        TRY(parser_close_group(p, node));
    } else {
        TRY(parse_operand(p, &node));
    }
    if (is_operand(node))
        return parse_comparison(p, node, ret_node);
    *ret_node = node;
    return NULL;
}

static struct error *parse_not(struct parser *p, struct ast_node **ret_node) {
    if (parser_peek(p) != TOKEN_NOT)
        return parse_primary(p, ret_node);
    struct ast_node *inner;
    p->next++;
    TRY(parser_enter(p));
    TRY(parse_not(p, &inner));
    TRY(require_condition(p, inner));
    parser_leave(p);
    *ret_node = ast_unary(p->ast, OPERATOR_NOT, inner);
    return NULL;
}

static enum strength strength_of(enum token_kind kind) {
    return kind == TOKEN_AND ? STRENGTH_AND : kind == TOKEN_OR ? STRENGTH_OR : STRENGTH_NONE;
}

/* Conditions joined by operators that bind at least as strongly as `least`. */
static struct error *parse_binary(struct parser *p, enum strength least,
                                  struct ast_node **ret_node) {
    struct ast_node *left;
    TRY(parse_not(p, &left));
    while (is_condition(left)) {
        enum strength strength = strength_of(parser_peek(p));
        if (strength == STRENGTH_NONE || strength < least)
            break;
        struct ast_node *right;
        p->next++;
        TRY(strength == STRENGTH_AND ? parse_not(p, &right)
                                     : parse_binary(p, STRENGTH_AND, &right));
        TRY(require_condition(p, right));
        enum ast_operator op = strength == STRENGTH_AND ? OPERATOR_AND : OPERATOR_OR;
        left = ast_binary(p->ast, op, left, right);
    }
    *ret_node = left;
    return NULL;
}

struct error *parse_condition(struct parser *p) {
    TRY(parse_binary(p, STRENGTH_OR, &p->ast->condition));
    return require_condition(p, p->ast->condition);
}
