/* compile.c - conditions, paths and slots; updates are in compile_update.c.
 *
 * The draft's arrays are as long as the tree's counters allow, so nothing grows while compiling. */
#include "expr/compile.h"

#include "base/check.h"

/* ---- slots and paths ---- */

static uint16_t find_slot(struct slice *slots, uint16_t *count, struct slice placeholder) {
    for (uint16_t i = 0; i < *count; i++)
        if (slice_equal(slots[i], placeholder))
            return i;
    slots[*count] = placeholder;
    return (*count)++;
}

uint16_t compile_value_slot(struct compiler *c, struct slice placeholder) {
    struct program_arrays *to = &c->draft.is;
    if (!c->ast->distinct_values)
        return find_slot(to->values, &to->value_count, placeholder);
    to->values[to->value_count] = placeholder;
    return to->value_count++;
}

static void compile_element(struct compiler *c, const struct ast_element *element) {
    struct program_arrays *to = &c->draft.is;
    uint16_t at = to->element_count++;
    to->element_slots[at] = SLOT_NONE;
    to->elements[at] = (struct path_element){SLICE_NONE, 0};
    if (element->kind == ELEMENT_INDEX)
        to->elements[at].index = element->index;
    else if (element->kind == ELEMENT_NAME)
        to->elements[at].name = element->text;
    else
        to->element_slots[at] = find_slot(to->names, &to->name_count, element->text);
}

uint16_t compile_path(struct compiler *c, struct ast_path *path) {
    struct program_arrays *to = &c->draft.is;
    struct program_path *compiled = &to->paths[to->path_count];
    *compiled = (struct program_path){to->element_count, (uint16_t)path->count, false};
    for (const struct ast_element *e = path->first; e != NULL; e = e->next) {
        compile_element(c, e);
        compiled->has_slots = compiled->has_slots || e->kind == ELEMENT_PLACEHOLDER;
    }
    path->compiled = to->path_count;
    return to->path_count++;
}

uint16_t compile_emit(struct compiler *c, enum opcode op, uint16_t a, uint16_t b) {
    struct program_arrays *to = &c->draft.is;
    to->code[to->code_count] = (struct instruction){(uint16_t)op, a, b, 0};
    return to->code_count++;
}

/* ---- conditions ---- */

static void compile_operand(struct compiler *c, const struct ast_node *node) {
    struct operand operand = {0};
    for (; node->kind == AST_CALL; node = node->args.first)
        operand.sizes = operand.sizes < UINT8_MAX ? (uint8_t)(operand.sizes + 1) : UINT8_MAX;
    CHECK(node->kind == AST_PATH || node->kind == AST_VALUE);
    operand.kind = node->kind == AST_PATH ? OPERAND_PATH : OPERAND_VALUE;
    operand.index =
        node->kind == AST_PATH ? compile_path(c, node->path) : compile_value_slot(c, node->name);
    c->draft.is.operands[c->draft.is.operand_count++] = operand;
}

static void compile_test(struct compiler *c, enum opcode op, const struct ast_list *args) {
    uint16_t first = c->draft.is.operand_count;
    for (const struct ast_node *arg = args->first; arg != NULL; arg = arg->next)
        compile_operand(c, arg);
    compile_emit(c, op, first, (uint16_t)args->count);
}

static void compile_condition(struct compiler *c, const struct ast_node *node);

/* The right side runs only when the left has not decided. */
static void compile_join(struct compiler *c, enum opcode jump, const struct ast_list *args) {
    compile_condition(c, args->first);
    uint16_t at = compile_emit(c, jump, 0, 0);
    compile_condition(c, args->last);
    c->draft.is.code[at].target = c->draft.is.code_count;
}

static enum opcode test_opcode(const struct ast_node *node) {
    static const enum opcode operators[] = {
        [OPERATOR_EQ] = OP_EQ,           [OPERATOR_NE] = OP_NE, [OPERATOR_LT] = OP_LT,
        [OPERATOR_LE] = OP_LE,           [OPERATOR_GT] = OP_GT, [OPERATOR_GE] = OP_GE,
        [OPERATOR_BETWEEN] = OP_BETWEEN, [OPERATOR_IN] = OP_IN,
    };
    static const enum opcode functions[] = {
        [FUNCTION_ATTRIBUTE_EXISTS] = OP_ATTRIBUTE_EXISTS,
        [FUNCTION_ATTRIBUTE_NOT_EXISTS] = OP_ATTRIBUTE_NOT_EXISTS,
        [FUNCTION_ATTRIBUTE_TYPE] = OP_ATTRIBUTE_TYPE,
        [FUNCTION_BEGINS_WITH] = OP_BEGINS_WITH,
        [FUNCTION_CONTAINS] = OP_CONTAINS,
    };
    return node->kind == AST_CALL ? functions[node->function] : operators[node->op];
}

static void compile_condition(struct compiler *c, const struct ast_node *node) {
    bool is_operator = node->kind == AST_OPERATOR;
    if (is_operator && node->op == OPERATOR_AND) {
        compile_join(c, OP_JUMP_IF_FALSE, &node->args);
    } else if (is_operator && node->op == OPERATOR_OR) {
        compile_join(c, OP_JUMP_IF_TRUE, &node->args);
    } else if (is_operator && node->op == OPERATOR_NOT) {
        compile_condition(c, node->args.first);
        compile_emit(c, OP_NOT, 0, 0);
    } else if (is_operator && node->op == OPERATOR_SAME) {
        compile_condition(c, node->args.first);
        compile_emit(c, OP_KEEP, 0, 0);
        compile_condition(c, node->args.last);
        compile_emit(c, OP_SAME, 0, 0);
    } else {
        compile_test(c, test_opcode(node), &node->args);
    }
}

/* ---- the whole ---- */

/* No node needs more than two instructions. */
static void make_room(struct compiler *c) {
    const struct ast *ast = c->ast;
    struct program_arrays *to = &c->draft.is;
    CHECK(ast_fits(ast));
    to->names = ARENA_ARRAY(ast->arena, struct slice, ast->element_count);
    to->values = ARENA_ARRAY(ast->arena, struct slice, ast->node_count);
    to->elements = ARENA_ARRAY(ast->arena, struct path_element, ast->element_count);
    to->element_slots = ARENA_ARRAY(ast->arena, uint16_t, ast->element_count);
    to->paths = ARENA_ARRAY(ast->arena, struct program_path, ast->path_count);
    to->operands = ARENA_ARRAY(ast->arena, struct operand, ast->node_count);
    to->code = ARENA_ARRAY(ast->arena, struct instruction, 2 * ast->node_count);
    to->actions = ARENA_ARRAY(ast->arena, struct action, ast->action_count);
    to->key_conditions = ARENA_ARRAY(ast->arena, struct program_key_condition, ast->node_count);
}

struct expr_program *ast_compile(struct ast *ast) {
    struct compiler c = {.ast = ast,
                         .draft = {.kind = ast->kind, .attribute_updates = ast->attribute_updates}};
    make_room(&c);
    if (ast->kind == EXPR_UPDATE) {
        compile_update(&c);
    } else if (ast->kind == EXPR_PROJECTION) {
        for (struct ast_path *path = ast->paths; path != NULL; path = path->next)
            compile_path(&c, path);
    } else {
        compile_condition(&c, ast->condition);
        if (ast->kind == EXPR_KEY_CONDITION)
            compile_key_conditions(&c, ast->condition);
    }
    return program_pack(&c.draft);
}
