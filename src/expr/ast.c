/* ast.c - the constructors, and the tables of operators and functions. */
#include "expr/ast.h"

#include "expr/expr_error.h"
#include "expr/limits.h"

static const char *const operator_texts[] = {
#define OPERATOR(symbol, text) text,
#include "expr/operators.def"
#undef OPERATOR
};

static const struct function {
    const char *name;
    uint32_t operands;
    enum function_place place;
} functions[] = {
#define FUNCTION(symbol, name, operands, place) {name, operands, PLACE_##place},
#include "expr/functions.def"
#undef FUNCTION
};

static const char *const section_names[SECTION_COUNT] = {"SET", "REMOVE", "ADD", "DELETE"};

const char *operator_text(enum ast_operator op) {
    return operator_texts[op];
}

enum ast_function function_find(struct slice name) {
    for (int f = 0; f < FUNCTION_UNKNOWN; f++)
        if (slice_is(name, functions[f].name))
            return (enum ast_function)f;
    return FUNCTION_UNKNOWN;
}

const char *function_name(enum ast_function function) {
    return functions[function].name;
}

uint32_t function_operands(enum ast_function function) {
    return functions[function].operands;
}

enum function_place function_place(enum ast_function function) {
    return functions[function].place;
}

const char *section_name(enum update_section section) {
    return section_names[section];
}

void ast_init(struct ast *ast, struct arena *arena, enum expr_kind kind) {
    *ast = (struct ast){.arena = arena, .kind = kind};
}

/* ---- paths ---- */

struct ast_path *ast_path(struct ast *ast) {
    ast->path_count++;
    return ARENA_NEW(ast->arena, struct ast_path);
}

static struct ast_element *add_element(struct ast *ast, struct ast_path *path,
                                       enum ast_element_kind kind, struct slice text) {
    struct ast_element *element = ARENA_NEW(ast->arena, struct ast_element);
    element->kind = kind;
    element->text = text;
    if (path->last == NULL)
        path->first = element;
    else
        path->last->next = element;
    path->last = element;
    path->count++;
    ast->element_count++;
    return element;
}

void ast_path_add_name(struct ast *ast, struct ast_path *path, struct slice name) {
    add_element(ast, path, ELEMENT_NAME, name);
}

void ast_path_add_placeholder(struct ast *ast, struct ast_path *path, struct slice placeholder) {
    add_element(ast, path, ELEMENT_PLACEHOLDER, placeholder);
}

void ast_path_add_index(struct ast *ast, struct ast_path *path, struct slice digits) {
    uint64_t index = 0;
    for (size_t i = 0; i < digits.len && index < UINT32_MAX; i++)
        index = index * 10 + (uint64_t)(digits.data[i] - '0');
    add_element(ast, path, ELEMENT_INDEX, digits)->index =
        index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
}

/* ---- nodes ---- */

static struct ast_node *new_node(struct ast *ast, enum ast_kind kind) {
    struct ast_node *node = ARENA_NEW(ast->arena, struct ast_node);
    node->kind = kind;
    ast->node_count++;
    return node;
}

void ast_list_add(struct ast_list *list, struct ast_node *node) {
    if (list->last == NULL)
        list->first = node;
    else
        list->last->next = node;
    list->last = node;
    list->count++;
}

struct ast_node *ast_operand_path(struct ast *ast, struct ast_path *path) {
    struct ast_node *node = new_node(ast, AST_PATH);
    node->path = path;
    return node;
}

struct ast_node *ast_operand_value(struct ast *ast, struct slice placeholder) {
    struct ast_node *node = new_node(ast, AST_VALUE);
    node->name = placeholder;
    return node;
}

struct ast_node *ast_call(struct ast *ast, struct slice name, struct ast_list args) {
    struct ast_node *node = new_node(ast, AST_CALL);
    node->name = name;
    node->function = function_find(name);
    node->args = args;
    ast->operator_count++;
    return node;
}

struct ast_node *ast_operator(struct ast *ast, enum ast_operator op, struct ast_list args) {
    struct ast_node *node = new_node(ast, AST_OPERATOR);
    node->op = op;
    node->args = args;
    ast->operator_count++;
    return node;
}

struct ast_node *ast_unary(struct ast *ast, enum ast_operator op, struct ast_node *a) {
    struct ast_list args = {0};
    ast_list_add(&args, a);
    return ast_operator(ast, op, args);
}

struct ast_node *ast_binary(struct ast *ast, enum ast_operator op, struct ast_node *a,
                            struct ast_node *b) {
    struct ast_list args = {0};
    ast_list_add(&args, a);
    ast_list_add(&args, b);
    return ast_operator(ast, op, args);
}

/* ---- projections and updates ---- */

void ast_project(struct ast *ast, struct ast_path *path) {
    if (ast->last_path == NULL)
        ast->paths = path;
    else
        ast->last_path->next = path;
    ast->last_path = path;
}

void ast_begin_clause(struct ast *ast) {
    ast->clause_count++;
}

void ast_act(struct ast *ast, enum update_section section, struct ast_path *target,
             struct ast_node *value) {
    struct ast_action *action = ARENA_NEW(ast->arena, struct ast_action);
    *action = (struct ast_action){section, ast->clause_count, target, value, NULL};
    if (ast->last_action == NULL)
        ast->actions = action;
    else
        ast->last_action->next = action;
    ast->last_action = action;
    ast->action_count++;
}

bool ast_fits(const struct ast *ast) {
    return ast->node_count < UINT16_MAX / 4 && ast->element_count < PROGRAM_PATHS_MAX;
}

struct error *ast_check_size(const struct ast *ast) {
    if (ast->operator_count <= LIMIT_EXPRESSION_OPERATORS)
        return NULL;
    return expr_error(ast->arena, ast->kind,
                      "The expression contains too many operators; operator count: %d",
                      LIMIT_EXPRESSION_OPERATORS + 1);
}
