/* ast_check.c - the checks that need the tree and nothing else.
 *
 * Recursion is bounded by the number of operators, which was checked before. */
#include "expr/ast_check.h"

#include "expr/expr_error.h"
#include "expr/reserved_words.h"
#include "model/limits.h"

static struct error *check_path(const struct ast *ast, const struct ast_path *path) {
    for (const struct ast_element *e = path->first; e != NULL; e = e->next) {
        if (e->kind == ELEMENT_INDEX && e->index > LIMIT_LIST_INDEX)
            return expr_error(ast->arena, ast->kind,
                              "List index is not within the allowable range; index: [%.*s]",
                              SLICE_ARGS(e->text));
        if (e->kind == ELEMENT_NAME && word_is_reserved(e->text))
            return expr_error(ast->arena, ast->kind,
                              "Attribute name is a reserved keyword; reserved keyword: %.*s",
                              SLICE_ARGS(e->text));
    }
    return NULL;
}

static struct error *misplaced(const struct ast *ast, const struct ast_node *call) {
    return expr_error(ast->arena, ast->kind,
                      "The function is not allowed to be used this way in an expression; "
                      "function: %.*s",
                      SLICE_ARGS(call->name));
}

static struct error *forbidden(const struct ast *ast, const struct ast_node *call) {
    const char *where = ast->kind == EXPR_UPDATE ? "an update" : "a condition";
    return expr_error(ast->arena, ast->kind,
                      "The function is not allowed in %s expression; function: %.*s", where,
                      SLICE_ARGS(call->name));
}

static struct error *check_arity(const struct ast *ast, const struct ast_node *call) {
    if (call->args.count == function_operands(call->function))
        return NULL;
    return expr_error(ast->arena, ast->kind,
                      "Incorrect number of operands for operator or function; operator or "
                      "function: %.*s, number of operands: %u",
                      SLICE_ARGS(call->name), call->args.count);
}

static struct error *check_known(const struct ast *ast, const struct ast_node *call) {
    if (call->function != FUNCTION_UNKNOWN)
        return NULL;
    return expr_error(ast->arena, ast->kind, "Invalid function name; function: %.*s",
                      SLICE_ARGS(call->name));
}

/* ---- conditions ---- */

static struct error *check_call(const struct ast *ast, const struct ast_node *call,
                                enum function_place place) {
    TRY(check_known(ast, call));
    if (function_place(call->function) == PLACE_UPDATE)
        return forbidden(ast, call);
    if (function_place(call->function) != place)
        return misplaced(ast, call);
    return check_arity(ast, call);
}

static struct error *check_node(const struct ast *ast, const struct ast_node *node,
                                enum function_place place) {
    if (node->kind == AST_PATH)
        return check_path(ast, node->path);
    if (node->kind == AST_CALL)
        TRY(check_call(ast, node, place));
    bool joins = node->kind == AST_OPERATOR &&
                 (node->op == OPERATOR_AND || node->op == OPERATOR_OR || node->op == OPERATOR_NOT);
    for (const struct ast_node *arg = node->args.first; arg != NULL; arg = arg->next)
        TRY(check_node(ast, arg, joins ? PLACE_CONDITION : PLACE_OPERAND));
    return NULL;
}

/* ---- updates ---- */

static struct error *check_update_call(const struct ast *ast, const struct ast_node *call,
                                       const struct ast_node *outer) {
    TRY(check_known(ast, call));
    if (function_place(call->function) != PLACE_UPDATE)
        return forbidden(ast, call);
    bool in_itself = outer != NULL && outer->kind == AST_CALL &&
                     outer->function == FUNCTION_LIST_APPEND &&
                     call->function == FUNCTION_LIST_APPEND;
    return in_itself ? misplaced(ast, call) : NULL;
}

/* The number of operands is checked when the update is bound: so late, the service looks at them.
 */
static struct error *check_value(const struct ast *ast, const struct ast_node *node,
                                 const struct ast_node *outer) {
    if (node->kind == AST_PATH)
        return check_path(ast, node->path);
    if (node->kind == AST_CALL)
        TRY(check_update_call(ast, node, outer));
    for (const struct ast_node *arg = node->args.first; arg != NULL; arg = arg->next)
        TRY(check_value(ast, arg, node));
    return NULL;
}

/* All actions of one section, wherever its clauses stand. */
static struct error *check_section(const struct ast *ast, enum update_section section) {
    uint32_t first_clause = 0;
    bool repeated = false;
    for (const struct ast_action *a = ast->actions; a != NULL; a = a->next) {
        if (a->section != section)
            continue;
        TRY(check_path(ast, a->target));
        if (a->value != NULL)
            TRY(check_value(ast, a->value, NULL));
        first_clause = first_clause == 0 ? a->clause : first_clause;
        repeated = repeated || a->clause != first_clause;
    }
    if (!repeated)
        return NULL;
    return expr_error(ast->arena, ast->kind,
                      "The \"%s\" section can only be used once in an update expression;",
                      section_name(section));
}

/* Sections in the order in which they first appear. */
static struct error *check_update(const struct ast *ast) {
    bool seen[SECTION_COUNT] = {false};
    for (const struct ast_action *a = ast->actions; a != NULL; a = a->next) {
        if (seen[a->section])
            continue;
        seen[a->section] = true;
        TRY(check_section(ast, a->section));
    }
    return NULL;
}

struct error *ast_check(const struct ast *ast) {
    if (ast->kind == EXPR_UPDATE)
        return check_update(ast);
    if (ast->kind != EXPR_PROJECTION)
        return check_node(ast, ast->condition, PLACE_CONDITION);
    for (const struct ast_path *path = ast->paths; path != NULL; path = path->next)
        TRY(check_path(ast, path));
    return NULL;
}
