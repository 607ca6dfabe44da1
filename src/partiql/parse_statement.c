/* parse_statement.c - the clauses of the statements. */
#include "partiql/parser.h"

static struct error *leftover(struct parser *p) {
    return not_well_formed(p, "Unexpected token after expression");
}

/* ---- tables ---- */

static struct error *check_table(struct parser *p, const struct steps *from) {
    if (from->count > 2)
        return error_request(p->arena,
                             "A path may contain at most 2 components in the FROM clause");
    for (const struct step *step = from->first; step != NULL; step = step->next) {
        if (!slice_present(step->name))
            return statement_path_error(p->arena, step->at);
        if (step->name.len == 0)
            return statement_empty_component(p->arena);
    }
    return NULL;
}

static struct error *parse_table(struct parser *p) {
    TRY(parse_steps(p, &p->statement->from));
    TRY(check_table(p, &p->statement->from));
    bool alias =
        tokens_at(p, LEX_NAME) || tokens_at(p, LEX_QUOTED) || tokens_at_keyword(p, KEYWORD_AS);
    return alias ? statement_aliased(p) : NULL;
}

static struct error *parse_where(struct parser *p) {
    if (!tokens_take_keyword(p, KEYWORD_WHERE))
        return NULL;
    return parse_expression(p, &p->statement->where);
}

/* ---- SELECT ---- */

static struct error *parse_columns(struct parser *p) {
    if (tokens_take(p, LEX_STAR))
        return NULL;
    struct node *list = tree_node(p, NODE_LIST, p->token.at);
    do {
        struct node *column;
        TRY(parse_expression(p, &column));
        if (tokens_at(p, LEX_NAME) || tokens_at_keyword(p, KEYWORD_AS))
            return statement_aliased(p);
        tree_add(list, column);
    } while (tokens_take(p, LEX_COMMA));
    p->statement->columns = list;
    return NULL;
}

static struct error *parse_order_term(struct parser *p, struct order_term **ret_term) {
    struct order_term *term = ARENA_NEW(p->arena, struct order_term);
    struct steps path;
    struct position at = p->token.at;
    TRY(parse_steps(p, &path));
    if (path.count > 1)
        return statement_path_error(p->arena, at);
    term->name = path.first->name;
    if (!tokens_take_keyword(p, KEYWORD_ASC))
        term->descending = tokens_take_keyword(p, KEYWORD_DESC);
    *ret_term = term;
    return NULL;
}

static struct error *parse_order(struct parser *p) {
    if (!tokens_take_keyword(p, KEYWORD_ORDER))
        return NULL;
    if (!tokens_take_keyword(p, KEYWORD_BY))
        return not_well_formed(p, "Expected BY after ORDER");
    struct order_term **next = &p->statement->order;
    do {
        TRY(parse_order_term(p, next));
        next = &(*next)->next;
    } while (tokens_take(p, LEX_COMMA));
    return NULL;
}

static struct error *parse_select(struct parser *p) {
    p->statement->verb = VERB_SELECT;
    TRY(parse_columns(p));
    if (!tokens_take_keyword(p, KEYWORD_FROM))
        return not_well_formed(p, "Expected FROM after SELECT list");
    if (tokens_at(p, LEX_KEYWORD))
        return not_well_formed(p, "Unexpected keyword");
    if (!tokens_at(p, LEX_NAME) && !tokens_at(p, LEX_QUOTED))
        return not_well_formed(p, "Unexpected term");
    TRY(parse_table(p));
    TRY(parse_where(p));
    return parse_order(p);
}

static struct error *parse_exists(struct parser *p) {
    if (!tokens_take(p, LEX_PAREN_OPEN) || !tokens_take_keyword(p, KEYWORD_SELECT))
        return not_well_formed(p, "Expected data manipulation");
    TRY(parse_select(p));
    p->statement->verb = VERB_EXISTS;
    return tokens_take(p, LEX_PAREN_CLOSE) ? NULL : not_well_formed(p, "Expected RIGHT_PAREN");
}

/* ---- INSERT ---- */

static struct error *parse_insert(struct parser *p) {
    struct statement *statement = p->statement;
    statement->verb = VERB_INSERT;
    if (!tokens_take_keyword(p, KEYWORD_INTO))
        return not_well_formed(p, "Expected data manipulation");
    struct position at = p->token.at;
    TRY(parse_steps(p, &statement->from));
    if (statement->from.count > 1)
        return error_request(p->arena,
                             "FROM clause may only contain a single table name in data "
                             "manipulation statements at " POSITION_FORMAT,
                             POSITION_ARGS(at));
    TRY(check_table(p, &statement->from));
    if (tokens_at(p, LEX_END))
        return not_well_formed(p, "Unexpected term");
    if (!tokens_take_keyword(p, KEYWORD_VALUE))
        return leftover(p);
    return parse_expression(p, &statement->item);
}

/* ---- UPDATE and DELETE ---- */

static void add_change(struct parser *p, struct change_clause *change) {
    struct statement *statement = p->statement;
    change->clause = statement->clause_count;
    if (statement->last_change == NULL)
        statement->changes = change;
    else
        statement->last_change->next = change;
    statement->last_change = change;
    statement->node_count++;
}

static struct error *parse_assignment(struct parser *p, struct change_clause *change) {
    if (!tokens_at_operator(p, "="))
        return not_well_formed(p, "Expected '=' in assignment");
    tokens_advance(p);
    if (tokens_at(p, LEX_END))
        return not_well_formed(p, "Unexpected term");
    return parse_expression(p, &change->value);
}

static struct error *parse_clause(struct parser *p, bool set) {
    p->statement->clause_count++;
    do {
        struct change_clause *change = ARENA_NEW(p->arena, struct change_clause);
        TRY(parse_steps(p, &change->target));
        if (set)
            TRY(parse_assignment(p, change));
        add_change(p, change);
    } while (tokens_take(p, LEX_COMMA));
    return NULL;
}

static struct error *parse_changes(struct parser *p) {
    for (;;) {
        if (tokens_take_keyword(p, KEYWORD_SET))
            TRY(parse_clause(p, true));
        else if (tokens_take_keyword(p, KEYWORD_REMOVE))
            TRY(parse_clause(p, false));
        else
            break;
    }
    return p->statement->changes == NULL ? not_well_formed(p, "Expected data manipulation") : NULL;
}

static struct error *parse_returning(struct parser *p) {
    if (!tokens_take_keyword(p, KEYWORD_RETURNING))
        return NULL;
    bool all = tokens_at_keyword(p, KEYWORD_ALL);
    if (!all && !tokens_at_keyword(p, KEYWORD_MODIFIED))
        return not_well_formed(p, "Expected ALL or MODIFIED in RETURNING clause");
    tokens_advance(p);
    bool old = tokens_at_keyword(p, KEYWORD_OLD);
    if (!old && !tokens_at_keyword(p, KEYWORD_NEW))
        return not_well_formed(p, "Expected OLD or NEW in RETURNING clause");
    tokens_advance(p);
    if (!tokens_take(p, LEX_STAR))
        return not_well_formed(p, "Expected * in RETURNING clause");
    p->statement->returning = all ? (old ? RETURNING_ALL_OLD : RETURNING_ALL_NEW)
                                  : (old ? RETURNING_MODIFIED_OLD : RETURNING_MODIFIED_NEW);
    return NULL;
}

static struct error *parse_update(struct parser *p) {
    p->statement->verb = VERB_UPDATE;
    TRY(parse_table(p));
    TRY(parse_changes(p));
    TRY(parse_where(p));
    return parse_returning(p);
}

/* FROM t WHERE .. SET ..: the same with its clauses in another order. */
static struct error *parse_from(struct parser *p) {
    p->statement->verb = VERB_UPDATE;
    TRY(parse_table(p));
    TRY(parse_where(p));
    TRY(parse_changes(p));
    return parse_returning(p);
}

static struct error *parse_delete(struct parser *p) {
    p->statement->verb = VERB_DELETE;
    if (!tokens_take_keyword(p, KEYWORD_FROM))
        return not_well_formed(p, "Expected FROM after DELETE");
    TRY(parse_table(p));
    TRY(parse_where(p));
    return parse_returning(p);
}

/* ---- the whole ---- */

static struct error *parse_verb(struct parser *p) {
    if (tokens_take_keyword(p, KEYWORD_SELECT))
        return parse_select(p);
    if (tokens_take_keyword(p, KEYWORD_INSERT))
        return parse_insert(p);
    if (tokens_take_keyword(p, KEYWORD_UPDATE))
        return parse_update(p);
    if (tokens_take_keyword(p, KEYWORD_DELETE))
        return parse_delete(p);
    if (tokens_take_keyword(p, KEYWORD_FROM))
        return parse_from(p);
    if (tokens_take_keyword(p, KEYWORD_EXISTS))
        return parse_exists(p);
    return not_well_formed(p, "Expected data manipulation");
}

struct error *parse_statement(struct parser *p) {
    TRY(parse_verb(p));
    tokens_take(p, LEX_SEMICOLON);
    return tokens_at(p, LEX_END) ? NULL : leftover(p);
}
