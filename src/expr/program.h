/* program.h - a compiled expression: flat arrays that refer to each other by number.
 *
 * A program knows nothing of a request: names and values that the request supplies are slots.
 * Binding (bind.c) fills the slots and makes the checks that need them by going through the code in
 * order, which is the order in which the service reports errors.
 *
 * Memory: one block, which the last reference frees. Threads: immutable, so any. */
#ifndef GRAMME_EXPR_PROGRAM_H
#define GRAMME_EXPR_PROGRAM_H

#include <stdatomic.h>

#include "expr/ast.h"
#include "expr/path.h"

enum opcode {
#define CONDITION_OPCODE(symbol, name, check, run) OP_##symbol,
#define UPDATE_OPCODE(symbol, name, check, run) OP_##symbol,
#include "expr/opcodes.def"
    OPCODE_COUNT,
};

struct instruction {
    uint16_t op;
    uint16_t a;
    uint16_t b;
    uint16_t target; /* of a jump: the instruction to go on with */
};

enum { SLOT_NONE = UINT16_MAX, PATH_NONE = UINT16_MAX };

enum operand_kind { OPERAND_PATH, OPERAND_VALUE };

/* An operand of a condition: a path or a value, or the size() of it. */
struct operand {
    uint8_t kind;
    uint8_t sizes; /* how many size() stand around it; more than one is refused when bound */
    uint16_t index;
};

struct program_path {
    uint16_t first; /* element */
    uint16_t count;
    bool has_slots;
};

/* One action of an update: its target, and the code that computes its value. */
struct action {
    uint8_t section;
    uint16_t clause;
    uint16_t path;
    uint16_t code_first;
    uint16_t code_count;
};

enum key_fault {
    KEY_FAULT_NONE,
    KEY_FAULT_OPERATOR,       /* OR, IN, contains() ... */
    KEY_FAULT_NESTED_CALL,    /* size() */
    KEY_FAULT_FIRST_OPERAND,  /* BETWEEN and begins_with() without the key first */
    KEY_FAULT_MULTIPLE_NAMES, /* a path on both sides */
    KEY_FAULT_NESTED_PATH,
    KEY_FAULT_NO_NAME,
};

struct program_key_condition {
    uint8_t op; /* enum key_operator */
    uint16_t path;
    uint16_t value; /* slots */
    uint16_t upper; /* SLOT_NONE without BETWEEN */
};

/* The arrays of a program, while it is compiled and after. */
struct program_arrays {
    struct slice *names; /* slots: the placeholders as written */
    struct slice *values;
    struct path_element *elements;
    uint16_t *element_slots; /* the name an element takes from the request, or SLOT_NONE */
    struct program_path *paths;
    struct operand *operands;
    struct instruction *code;
    struct action *actions;
    struct program_key_condition *key_conditions;
    uint16_t name_count;
    uint16_t value_count;
    uint16_t element_count;
    uint16_t path_count;
    uint16_t operand_count;
    uint16_t code_count;
    uint16_t action_count;
    uint16_t key_condition_count;
};

struct expr_program {
    atomic_uint references;
    enum expr_kind kind;
    bool attribute_updates; /* as in struct ast */
    size_t bytes;           /* of the block */
    uint16_t stack_max;     /* values on the stack of an update */
    enum key_fault key_fault;
    const char *key_fault_name; /* the operator or function at fault; static text */
    struct program_arrays is;
};

/* Copies the arrays and all text they refer to into one block. One reference, the caller's. */
struct expr_program *program_pack(const struct expr_program *draft);
struct expr_program *program_ref(struct expr_program *program);

const char *opcode_name(enum opcode op);

#endif
