/* updates.c - SET and REMOVE clauses to updates. set_add() and set_delete() are the ADD and DELETE
 * of the language of expressions. */
#include "partiql/builder.h"

static struct error *value_of(struct builder *b, const struct node *node,
                              struct ast_node **ret_node);

static struct error *values_of(struct builder *b, const struct node *parent,
                               struct ast_list *ret_args) {
    for (const struct node *child = parent->first; child != NULL; child = child->next) {
        struct ast_node *made;
        TRY(value_of(b, child, &made));
        ast_list_add(ret_args, made);
    }
    return NULL;
}

static struct error *call_of(struct builder *b, const struct node *call,
                             struct ast_node **ret_node) {
    enum ast_function function = function_find(call->text);
    if (function == FUNCTION_UNKNOWN || function_place(function) != PLACE_UPDATE)
        return error_request(b->arena, "Unrecognized function: %.*s at " POSITION_FORMAT,
                             SLICE_ARGS(call->text), POSITION_ARGS(call->at));
    struct ast_list args = {0};
    TRY(values_of(b, call, &args));
    *ret_node = ast_call(&b->ast, call->text, args);
    return NULL;
}

static struct error *value_of(struct builder *b, const struct node *node,
                              struct ast_node **ret_node) {
    if (node->kind == NODE_VALUE) {
        *ret_node = builder_value(b, node->value);
        return NULL;
    }
    if (node->kind == NODE_PATH) {
        struct ast_path *path;
        TRY(builder_path(b, &node->path, &path));
        *ret_node = ast_operand_path(&b->ast, path);
        return NULL;
    }
    if (node->kind == NODE_CALL)
        return call_of(b, node, ret_node);
    if (node->kind != NODE_OPERATOR || (node->op != SIGN_PLUS && node->op != SIGN_MINUS))
        return statement_path_error(b->arena, node->at);
    struct ast_list args = {0};
    TRY(values_of(b, node, &args));
    *ret_node = ast_operator(&b->ast, node->op == SIGN_PLUS ? OPERATOR_PLUS : OPERATOR_MINUS, args);
    return NULL;
}

/* ---- sets ---- */

static bool same_path(const struct steps *a, const struct steps *b) {
    if (a->count != b->count)
        return false;
    const struct step *x = a->first, *y = b->first;
    for (; x != NULL; x = x->next, y = y->next)
        if (slice_present(x->name) != slice_present(y->name) || !slice_equal(x->name, y->name) ||
            !slice_equal(x->digits, y->digits))
            return false;
    return true;
}

/* The name is SET_ADD or SET_DELETE. */
static struct error *check_set_call(struct builder *b, const struct change_clause *change,
                                    const char *name) {
    const struct node *call = change->value;
    if (call->count != 2)
        return error_request(b->arena, "%s must have exactly two arguments at " POSITION_FORMAT,
                             name, POSITION_ARGS(call->at));
    if (call->first->kind != NODE_PATH || !same_path(&call->first->path, &change->target))
        return error_request(
            b->arena,
            "The first argument to %s must equal the assignment value at " POSITION_FORMAT, name,
            POSITION_ARGS(call->at));
    if (call->last->kind != NODE_VALUE || !value_type_is_set(value_type(call->last->value)))
        return error_request(
            b->arena, "The second argument to %s must be a value with type SET at " POSITION_FORMAT,
            name, POSITION_ARGS(call->first->at));
    return NULL;
}

static bool is_call(const struct node *node, const char *name) {
    return node->kind == NODE_CALL && slice_is(node->text, name);
}

/* ---- clauses ---- */

static struct error *change_of(struct builder *b, const struct change_clause *change) {
    enum update_section section = SECTION_SET;
    struct ast_node *value = NULL;
    struct ast_path *target;
    TRY(builder_path(b, &change->target, &target));
    if (change->value == NULL) {
        section = SECTION_REMOVE;
    } else if (is_call(change->value, "set_add") || is_call(change->value, "set_delete")) {
        bool add = is_call(change->value, "set_add");
        TRY(check_set_call(b, change, add ? "SET_ADD" : "SET_DELETE"));
        section = add ? SECTION_ADD : SECTION_DELETE;
        value = builder_value(b, change->value->last->value);
    } else {
        TRY(value_of(b, change->value, &value));
    }
    ast_act(&b->ast, section, target, value);
    return NULL;
}

struct error *builder_updates(struct builder *b, const struct statement *statement) {
    uint32_t clause = 0;
    for (const struct change_clause *change = statement->changes; change != NULL;
         change = change->next) {
        if (change->clause != clause)
            ast_begin_clause(&b->ast);
        clause = change->clause;
        TRY(change_of(b, change));
    }
    return NULL;
}
