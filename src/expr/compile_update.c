/* compile_update.c - the actions of an update, each with the code that computes its value.
 *
 * Calls that no binding accepts are compiled to instructions that refuse: the service reports them
 * only after undefined names, so they have their place in the order of checks. */
#include "base/check.h"
#include "expr/compile.h"

static void push(struct compiler *c) {
    if (++c->stack > c->draft.stack_max)
        c->draft.stack_max = c->stack;
}

static void compile_value(struct compiler *c, const struct ast_node *node);

static void compile_args(struct compiler *c, const struct ast_list *args) {
    for (const struct ast_node *arg = args->first; arg != NULL; arg = arg->next)
        compile_value(c, arg);
}

/* Two values become one. */
static void compile_pair(struct compiler *c, enum opcode op, const struct ast_list *args) {
    compile_args(c, args);
    compile_emit(c, op, 0, 0);
    c->stack--;
}

static void compile_if_not_exists(struct compiler *c, const struct ast_list *args) {
    const struct ast_node *other = args->last;
    uint16_t path = compile_path(c, args->first->path);
    uint16_t at = compile_emit(c, OP_IF_NOT_EXISTS, path, 0);
    compile_value(c, other);
    uint16_t other_path = other->kind == AST_PATH ? other->path->compiled : PATH_NONE;
    compile_emit(c, OP_END_IF_NOT_EXISTS, path, other_path);
    c->draft.is.code[at].target = c->draft.is.code_count;
}

static void compile_call(struct compiler *c, const struct ast_node *call) {
    uint16_t function = (uint16_t)call->function, count = (uint16_t)call->args.count;
    uint16_t stack = c->stack;
    if (count != function_operands(call->function)) {
        compile_emit(c, OP_WRONG_ARITY, function, count);
        compile_args(c, &call->args);
        c->stack = stack;
        push(c);
    } else if (call->function == FUNCTION_LIST_APPEND) {
        compile_pair(c, OP_LIST_APPEND, &call->args);
    } else if (call->args.first->kind == AST_PATH) {
        compile_if_not_exists(c, &call->args);
    } else {
        compile_pair(c, OP_REQUIRES_PATH, &call->args);
        c->draft.is.code[c->draft.is.code_count - 1].a = function;
    }
}

static void compile_value(struct compiler *c, const struct ast_node *node) {
    if (node->kind == AST_PATH) {
        compile_emit(c, OP_LOAD_PATH, compile_path(c, node->path), 0);
        push(c);
    } else if (node->kind == AST_VALUE) {
        compile_emit(c, OP_LOAD_VALUE, compile_value_slot(c, node->name), 0);
        push(c);
    } else if (node->kind == AST_CALL) {
        compile_call(c, node);
    } else {
        CHECK(node->op == OPERATOR_PLUS || node->op == OPERATOR_MINUS);
        compile_pair(c, node->op == OPERATOR_PLUS ? OP_PLUS : OP_MINUS, &node->args);
    }
}

void compile_update(struct compiler *c) {
    struct program_arrays *to = &c->draft.is;
    for (const struct ast_action *a = c->ast->actions; a != NULL; a = a->next) {
        struct action *action = &to->actions[to->action_count++];
        action->section = (uint8_t)a->section;
        action->clause = (uint16_t)a->clause;
        action->path = compile_path(c, a->target);
        action->code_first = to->code_count;
        c->stack = 0;
        if (a->value != NULL)
            compile_value(c, a->value);
        action->code_count = (uint16_t)(to->code_count - action->code_first);
    }
}
