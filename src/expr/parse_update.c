/* parse_update.c - updates.
 *
 *   update := (SET set (',' set)* | REMOVE path (',' path)* | ADD path value (',' path value)*
 *             | DELETE path value (',' path value)*)+
 *   set    := path '=' sum
 *   sum    := operand | operand '+' operand | operand '-' operand | '(' sum ')'
 *
 * A sum stands alone or in parentheses of its own: it is no operand, so functions do not take it.
 */
#include "expr/parser.h"

static struct error *parse_sum(struct parser *p, struct ast_node **ret_node);

static struct error *parse_sum_group(struct parser *p, struct ast_node **ret_node) {
    struct ast_node *inner;
    TRY(parser_open_group(p));
    TRY(parse_sum(p, &inner));
    TRY(parser_close_group(p, inner));
    *ret_node = inner;
    return NULL;
}

static struct error *parse_sum(struct parser *p, struct ast_node **ret_node) {
    struct ast_node *node;
    TRY(parser_peek(p) == TOKEN_LEFT_PAREN ? parse_sum_group(p, &node) : parse_operand(p, &node));
    enum token_kind kind = parser_peek(p);
    bool joins = kind == TOKEN_PLUS || kind == TOKEN_MINUS;
    if (joins && node->kind != AST_OPERATOR) {
        struct ast_node *right;
        p->next++;
        TRY(parse_operand(p, &right));
        node = ast_binary(p->ast, kind == TOKEN_PLUS ? OPERATOR_PLUS : OPERATOR_MINUS, node, right);
    }
    *ret_node = node;
    return NULL;
}

static struct error *parse_action(struct parser *p, enum update_section section) {
    struct ast_path *target;
    struct ast_node *value = NULL;
    TRY(parse_path(p, &target));
    if (section == SECTION_SET) {
        TRY(parser_expect(p, TOKEN_EQ));
        TRY(parse_sum(p, &value));
    } else if (section != SECTION_REMOVE) {
        if (parser_peek(p) != TOKEN_VALUE)
            return parser_syntax_error(p);
        value = ast_operand_value(p->ast, parser_take(p));
    }
    ast_act(p->ast, section, target, value);
    return NULL;
}

static bool section_of(enum token_kind kind, enum update_section *ret_section) {
    if (kind == TOKEN_SET)
        *ret_section = SECTION_SET;
    else if (kind == TOKEN_REMOVE)
        *ret_section = SECTION_REMOVE;
    else if (kind == TOKEN_ADD)
        *ret_section = SECTION_ADD;
    else if (kind == TOKEN_DELETE)
        *ret_section = SECTION_DELETE;
    else
        return false;
    return true;
}

struct error *parse_update(struct parser *p) {
    do {
        enum update_section section;
        if (!section_of(parser_peek(p), &section))
            return parser_syntax_error(p);
        ast_begin_clause(p->ast);
        do {
            p->next++; /* the keyword, then each comma */
            TRY(parse_action(p, section));
        } while (parser_peek(p) == TOKEN_COMMA);
    } while (parser_peek(p) != TOKEN_END);
    return NULL;
}
