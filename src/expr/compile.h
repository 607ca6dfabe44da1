/* compile.h - a tree to a program. */
#ifndef GRAMME_EXPR_COMPILE_H
#define GRAMME_EXPR_COMPILE_H

#include "expr/program.h"

/* The tree must be within the limits (ast_fits; for expressions ast_check_size) and its calls must
 * stand where they may (ast_check): whoever builds trees from another syntax sees to that. Scratch
 * memory is the tree's arena. The caller owns one reference. */
struct expr_program *ast_compile(struct ast *ast);

struct compiler {
    const struct ast *ast;
    struct expr_program draft;
    uint16_t stack; /* values on the stack at this point of an update's code */
};

/* For the files that compile the parts. */
uint16_t compile_path(struct compiler *c, struct ast_path *path);
uint16_t compile_value_slot(struct compiler *c, struct slice placeholder);
uint16_t compile_emit(struct compiler *c, enum opcode op, uint16_t a, uint16_t b);
void compile_update(struct compiler *c);
/* key_condition.c: what a key condition consists of, or why it is none. */
void compile_key_conditions(struct compiler *c, const struct ast_node *node);

#endif
