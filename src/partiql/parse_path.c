/* parse_path.c - a name and the steps that follow it: .name, [index], ['name']. */
#include "partiql/parser.h"

static void add_step(struct parser *p, struct steps *path, struct slice name) {
    struct step *step = ARENA_NEW(p->arena, struct step);
    step->name = name;
    step->at = p->token.at;
    if (path->last == NULL)
        path->first = step;
    else
        path->last->next = step;
    path->last = step;
    path->count++;
    p->statement->node_count++;
}

static struct error *parse_bracket(struct parser *p, struct steps *path) {
    bool name = tokens_at(p, LEX_STRING);
    bool negative = tokens_take_signs(p);
    if (name) {
        add_step(p, path, p->token.text);
    } else if (tokens_at(p, LEX_NUMBER)) {
        for (size_t i = 0; i < p->token.text.len; i++)
            if (p->token.text.data[i] < '0' || p->token.text.data[i] > '9')
                return statement_path_error(p->arena, p->token.at);
        add_step(p, path, SLICE_NONE);
        path->last->digits = p->token.text;
        path->last->negative = negative;
    } else if (tokens_at(p, LEX_END)) {
        return not_well_formed(p, "Unexpected term");
    } else {
        return statement_path_error(p->arena, p->token.at);
    }
    tokens_advance(p);
    return tokens_take(p, LEX_BRACKET_CLOSE) ? NULL : not_well_formed(p, "Expected RIGHT_BRACKET");
}

struct error *parse_steps(struct parser *p, struct steps *ret_steps) {
    struct steps path = {0};
    if (!tokens_at(p, LEX_NAME) && !tokens_at(p, LEX_QUOTED))
        return not_well_formed(p, "Expected identifier for simple path");
    add_step(p, &path, p->token.text);
    tokens_advance(p);
    for (;;) {
        if (tokens_take(p, LEX_DOT)) {
            if (!tokens_at(p, LEX_NAME) && !tokens_at(p, LEX_QUOTED))
                return not_well_formed(p, "Invalid path dot component");
            add_step(p, &path, p->token.text);
            tokens_advance(p);
        } else if (tokens_take(p, LEX_BRACKET_OPEN)) {
            TRY(parse_bracket(p, &path));
        } else {
            *ret_steps = path;
            return NULL;
        }
    }
}
