/* key_condition.c - what a KeyConditionExpression says about which key.
 *
 * The text alone decides whether a condition has the shape of a key condition, so that is found out
 * once, when it is compiled; but the service complains about the shape late, after the checks of
 * all expressions, so the fault waits in the program until it is asked for. */
#include "expr/bind.h"
#include "expr/compile.h"
#include "expr/expr_error.h"

/* ---- compiling ---- */

static bool fail(struct compiler *c, enum key_fault fault, const char *name) {
    c->draft.key_fault = fault;
    c->draft.key_fault_name = name;
    return false;
}

static bool refuses_operator(const struct ast_node *node) {
    if (node->kind == AST_CALL)
        return node->function != FUNCTION_BEGINS_WITH;
    return node->op == OPERATOR_OR || node->op == OPERATOR_NOT || node->op == OPERATOR_IN ||
           node->op == OPERATOR_NE;
}

static const char *name_of(const struct ast_node *node) {
    return node->kind == AST_CALL ? function_name(node->function) : operator_text(node->op);
}

/* The one path among the operands. */
static bool find_path(struct compiler *c, const struct ast_node *node,
                      const struct ast_node **ret_path) {
    const struct ast_node *path = NULL;
    for (const struct ast_node *arg = node->args.first; arg != NULL; arg = arg->next) {
        if (arg->kind == AST_CALL)
            return fail(c, KEY_FAULT_NESTED_CALL, "");
        if (arg->kind != AST_PATH)
            continue;
        if (path != NULL)
            return fail(c, KEY_FAULT_MULTIPLE_NAMES, "");
        if (arg->path->count > 1)
            return fail(c, KEY_FAULT_NESTED_PATH, "");
        path = arg;
    }
    if (path == NULL)
        return fail(c, KEY_FAULT_NO_NAME, "");
    *ret_path = path;
    return true;
}

/* `:v < key` says `key > :v`. */
static enum key_operator key_operator(const struct ast_node *node, bool flipped) {
    static const enum key_operator straight[] = {
        [OPERATOR_EQ] = KEY_EQ, [OPERATOR_LT] = KEY_LT, [OPERATOR_LE] = KEY_LE,
        [OPERATOR_GT] = KEY_GT, [OPERATOR_GE] = KEY_GE, [OPERATOR_BETWEEN] = KEY_BETWEEN,
    };
    static const enum key_operator turned[] = {
        [OPERATOR_EQ] = KEY_EQ, [OPERATOR_LT] = KEY_GT, [OPERATOR_LE] = KEY_GE,
        [OPERATOR_GT] = KEY_LT, [OPERATOR_GE] = KEY_LE,
    };
    if (node->kind == AST_CALL)
        return KEY_BEGINS_WITH;
    return flipped ? turned[node->op] : straight[node->op];
}

static bool compile_one(struct compiler *c, const struct ast_node *node) {
    if (refuses_operator(node))
        return fail(c, KEY_FAULT_OPERATOR, name_of(node));
    const struct ast_node *first = node->args.first, *path;
    bool path_first = node->kind == AST_CALL || node->op == OPERATOR_BETWEEN;
    if (path_first && first->kind != AST_PATH)
        return fail(c, KEY_FAULT_FIRST_OPERAND, name_of(node));
    if (!find_path(c, node, &path))
        return false;
    const struct ast_node *value = path == first ? first->next : first;
    struct program_arrays *to = &c->draft.is;
    to->key_conditions[to->key_condition_count++] = (struct program_key_condition){
        .op = (uint8_t)key_operator(node, path != first),
        .path = path->path->compiled,
        .value = compile_value_slot(c, value->name),
        .upper = node->args.count == 3 ? compile_value_slot(c, node->args.last->name) : SLOT_NONE,
    };
    return true;
}

static bool compile_all(struct compiler *c, const struct ast_node *node) {
    if (node->kind != AST_OPERATOR || node->op != OPERATOR_AND)
        return compile_one(c, node);
    return compile_all(c, node->args.first) && compile_all(c, node->args.last);
}

void compile_key_conditions(struct compiler *c, const struct ast_node *node) {
    compile_all(c, node);
}

/* ---- binding ---- */

const struct key_condition *bind_key_conditions(const struct binder *b) {
    const struct program_arrays *from = &b->program->is;
    struct key_condition *conditions =
        ARENA_ARRAY(b->arena, struct key_condition, from->key_condition_count);
    for (uint16_t i = 0; i < from->key_condition_count; i++) {
        const struct program_key_condition *condition = &from->key_conditions[i];
        conditions[i] = (struct key_condition){
            .name = b->paths[condition->path].elements[0].name,
            .op = (enum key_operator)condition->op,
            .value = b->values[condition->value],
            .upper = condition->upper == SLOT_NONE ? VALUE_ABSENT : b->values[condition->upper],
        };
    }
    return conditions;
}

/* ---- asking ---- */

struct error *expr_check_key_conditions(struct arena *arena, const struct expr *expr) {
    const struct expr_program *program = expr->program;
    switch (program->key_fault) {
    case KEY_FAULT_NONE:
        return NULL;
    case KEY_FAULT_OPERATOR:
        return error_request(arena, "Invalid operator used in KeyConditionExpression: %s",
                             program->key_fault_name);
    case KEY_FAULT_NESTED_CALL:
        return expr_error(arena, program->kind,
                          "KeyConditionExpressions cannot contain nested operations");
    case KEY_FAULT_FIRST_OPERAND:
        return error_request(arena,
                             "Invalid condition in KeyConditionExpression: %s operator must have "
                             "the key attribute as its first operand",
                             program->key_fault_name);
    case KEY_FAULT_MULTIPLE_NAMES:
        return error_request(arena, "Invalid condition in KeyConditionExpression: Multiple "
                                    "attribute names used in one condition");
    case KEY_FAULT_NESTED_PATH:
        return expr_error(arena, program->kind,
                          "KeyConditionExpressions cannot have conditions on nested attributes");
    case KEY_FAULT_NO_NAME:
        break;
    }
    return error_request(arena,
                         "Invalid condition in KeyConditionExpression: No key attribute specified");
}

struct error *expr_check_key_conditions_once(struct arena *arena, const struct expr *expr) {
    const struct key_condition *conditions;
    size_t count = expr_key_conditions(expr, &conditions);
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (slice_equal(conditions[i].name, conditions[j].name))
                return expr_error(
                    arena, expr->program->kind,
                    "KeyConditionExpressions must only contain one condition per key");
    return NULL;
}

size_t expr_key_conditions(const struct expr *expr, const struct key_condition **ret_conditions) {
    *ret_conditions = expr->key_conditions;
    return expr->program->is.key_condition_count;
}

bool key_condition_holds(const struct key_condition *condition, struct value value) {
    int order = value_compare(value, condition->value);
    switch (condition->op) {
    case KEY_EQ:
        return order == 0;
    case KEY_LT:
        return order < 0;
    case KEY_LE:
        return order <= 0;
    case KEY_GT:
        return order > 0;
    case KEY_GE:
        return order >= 0;
    case KEY_BETWEEN:
        return order >= 0 && value_compare(value, condition->upper) <= 0;
    case KEY_BEGINS_WITH:
        return slice_starts_with(value_scalar(value), value_scalar(condition->value));
    }
    return false;
}
