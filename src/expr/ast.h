/* ast.h - an expression as a tree, and how to build one.
 *
 * The tree is what every syntax has in common: the parser builds it from an expression's text, and
 * statements or older request parameters can build the same trees and hand them to the compiler.
 * Constants never stand in a tree: a value is named by its placeholder (":v"), and so is a name
 * that comes from the request ("#n"); binding finds them.
 *
 * Invariants: the counters of struct ast bound what the compiler produces, so nodes are made by the
 * constructors only. Depth is bounded by the builder: at most LIMIT_EXPRESSION_OPERATORS operators
 * and calls, which ast_check_size() enforces. Memory: the arena given to ast_init(); slices are
 * borrowed until the tree is compiled. Threads: one. */
#ifndef GRAMME_EXPR_AST_H
#define GRAMME_EXPR_AST_H

#include "expr/expr.h"

enum ast_operator {
#define OPERATOR(symbol, text) OPERATOR_##symbol,
#include "expr/operators.def"
#undef OPERATOR
};

enum ast_function {
#define FUNCTION(symbol, name, operands, place) FUNCTION_##symbol,
#include "expr/functions.def"
#undef FUNCTION
    FUNCTION_UNKNOWN,
};

enum function_place { PLACE_CONDITION, PLACE_OPERAND, PLACE_UPDATE };

const char *operator_text(enum ast_operator op);

enum ast_function function_find(struct slice name);
const char *function_name(enum ast_function function);
uint32_t function_operands(enum ast_function function);
enum function_place function_place(enum ast_function function);

/* ---- document paths ---- */

enum ast_element_kind {
    ELEMENT_NAME,        /* an attribute's name as written */
    ELEMENT_PLACEHOLDER, /* #name */
    ELEMENT_INDEX,       /* [index] */
};

struct ast_element {
    enum ast_element_kind kind;
    struct slice text; /* the name, the placeholder, or the digits */
    uint32_t index;    /* UINT32_MAX when the digits say more */
    struct ast_element *next;
};

struct ast_path {
    struct ast_element *first;
    struct ast_element *last;
    uint32_t count;
    uint16_t compiled; /* its number in the program, once it has one */
    struct ast_path *next;
};

/* ---- conditions and values ---- */

enum ast_kind { AST_PATH, AST_VALUE, AST_CALL, AST_OPERATOR };

struct ast_node;

struct ast_list {
    struct ast_node *first;
    struct ast_node *last;
    uint32_t count;
};

struct ast_node {
    enum ast_kind kind;
    enum ast_operator op;
    enum ast_function function;
    bool parenthesised;
    struct slice name; /* a value's placeholder, a function's name as written */
    struct ast_path *path;
    struct ast_list args; /* of a call or an operator, in written order */
    struct ast_node *next;
};

/* ---- updates ---- */

enum update_section { SECTION_SET, SECTION_REMOVE, SECTION_ADD, SECTION_DELETE };
enum { SECTION_COUNT = 4 };

const char *section_name(enum update_section section);

struct ast_action {
    enum update_section section;
    /* Which clause it stands in, counted from 1: "SET a = :a SET b = :b" has two. */
    uint32_t clause;
    struct ast_path *target;
    struct ast_node *value; /* NULL for REMOVE */
    struct ast_action *next;
};

/* ---- the whole ---- */

struct ast {
    struct arena *arena;
    enum expr_kind kind;
    struct ast_node *condition; /* condition, filter, key condition */
    struct ast_path *paths;     /* projection, in written order */
    struct ast_path *last_path;
    struct ast_action *actions; /* update, in written order */
    struct ast_action *last_action;
    uint32_t node_count;
    uint32_t path_count;
    uint32_t element_count;
    uint32_t action_count;
    uint32_t clause_count;
    uint32_t operator_count; /* operators and calls */
    /* For front ends other than the parser. */
    bool distinct_values;   /* no two operands share a placeholder: the compiler need not look */
    bool attribute_updates; /* an update of the older API: ADD also appends to a list, a wrong type
                               has a text of its own, and nothing is charged for the statement */
};

void ast_init(struct ast *ast, struct arena *arena, enum expr_kind kind);

struct ast_path *ast_path(struct ast *ast);
void ast_path_add_name(struct ast *ast, struct ast_path *path, struct slice name);
void ast_path_add_placeholder(struct ast *ast, struct ast_path *path, struct slice placeholder);
/* The digits as written. */
void ast_path_add_index(struct ast *ast, struct ast_path *path, struct slice digits);

void ast_list_add(struct ast_list *list, struct ast_node *node);

struct ast_node *ast_operand_path(struct ast *ast, struct ast_path *path);
struct ast_node *ast_operand_value(struct ast *ast, struct slice placeholder);
struct ast_node *ast_call(struct ast *ast, struct slice name, struct ast_list args);
struct ast_node *ast_operator(struct ast *ast, enum ast_operator op, struct ast_list args);
struct ast_node *ast_unary(struct ast *ast, enum ast_operator op, struct ast_node *a);
struct ast_node *ast_binary(struct ast *ast, enum ast_operator op, struct ast_node *a,
                            struct ast_node *b);

void ast_project(struct ast *ast, struct ast_path *path);
/* The actions that follow belong to a new clause. */
void ast_begin_clause(struct ast *ast);
void ast_act(struct ast *ast, enum update_section section, struct ast_path *target,
             struct ast_node *value);

/* Whether the compiler has numbers enough for the tree. What passes ast_check_size() and came from
 * a text within its limit always fits. */
bool ast_fits(const struct ast *ast);

/* "The expression contains too many operators; ..." */
struct error *ast_check_size(const struct ast *ast);

#endif
