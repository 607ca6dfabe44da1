/* parser.c - what the halves of the parser share. */
#include "partiql/parser.h"

static struct error *at_token(struct parser *p, struct error *error) {
    error->position = arena_printf(p->arena, POSITION_FORMAT, POSITION_ARGS(p->token.at));
    return error;
}

struct error *not_well_formed(struct parser *p, const char *detail) {
    return at_token(
        p, error_request(p->arena, "Statement wasn't well formed, can't be processed: %s", detail));
}

struct error *statement_aliased(struct parser *p) {
    return at_token(p, error_request(p->arena, "Aliasing is not supported"));
}

struct error *statement_path_error(struct arena *arena, struct position at) {
    return error_new(arena, ERROR_PATH_COMPONENT, "Unexpected path component at " POSITION_FORMAT,
                     POSITION_ARGS(at));
}

struct error *statement_empty_component(struct arena *arena) {
    return error_request(arena, "Path component cannot be an empty string");
}

void tokens_advance(struct parser *p) {
    p->token = statement_lexer_next(&p->lexer);
}

struct lex_token tokens_peek(const struct parser *p) {
    struct lexer ahead = p->lexer;
    return statement_lexer_next(&ahead);
}

bool tokens_take(struct parser *p, enum lex_kind kind) {
    if (!tokens_at(p, kind))
        return false;
    tokens_advance(p);
    return true;
}

bool tokens_take_keyword(struct parser *p, enum keyword keyword) {
    if (!tokens_at_keyword(p, keyword))
        return false;
    tokens_advance(p);
    return true;
}

bool tokens_take_signs(struct parser *p) {
    bool negative = false;
    while (tokens_at_operator(p, "-") || tokens_at_operator(p, "+")) {
        negative ^= tokens_at_operator(p, "-");
        tokens_advance(p);
    }
    return negative;
}

struct node *tree_node(struct parser *p, enum node_kind kind, struct position at) {
    struct node *node = ARENA_NEW(p->arena, struct node);
    node->kind = kind;
    node->depth = 1;
    node->at = at;
    p->statement->node_count++;
    return node;
}

void tree_add(struct node *parent, struct node *child) {
    if (parent->last == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
    parent->count++;
    if (child->depth >= parent->depth)
        parent->depth = (uint16_t)(child->depth + 1);
}

/* The service cuts the whole text into tokens before it looks at any. */
static struct error *check_tokens(struct parser *p) {
    struct arena_mark mark = arena_mark(p->arena);
    struct lexer lexer = p->lexer;
    do {
        p->token = statement_lexer_next(&lexer);
        arena_rewind(p->arena, mark);
    } while (!tokens_at(p, LEX_END) && !tokens_at(p, LEX_BAD));
    return tokens_at(p, LEX_BAD) ? not_well_formed(p, "") : NULL;
}

struct error *statement_parse(struct arena *arena, struct slice text,
                              struct statement **ret_statement) {
    struct parser p = {.arena = arena, .statement = ARENA_NEW(arena, struct statement)};
    statement_lexer_init(&p.lexer, arena, text);
    TRY(check_tokens(&p));
    tokens_advance(&p);
    TRY(parse_statement(&p));
    *ret_statement = p.statement;
    return NULL;
}
