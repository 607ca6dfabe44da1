/* math_node.h - a compiled expression (metric_math.h). Private to this folder. */
#ifndef GRAMME_CLOUDWATCH_MATH_NODE_H
#define GRAMME_CLOUDWATCH_MATH_NODE_H

#include "cloudwatch/metric_math.h"

enum math_operator {
    MATH_ADD,
    MATH_SUBTRACT,
    MATH_MULTIPLY,
    MATH_DIVIDE,
    MATH_POWER,
    MATH_EQUAL,
    MATH_NOT_EQUAL,
    MATH_LESS,
    MATH_LESS_OR_EQUAL,
    MATH_GREATER,
    MATH_GREATER_OR_EQUAL,
    MATH_AND,
    MATH_OR,
};

enum math_function {
#define FUNCTION(name, least, most) MATH_##name,
#include "cloudwatch/math_functions.def"
#undef FUNCTION
    MATH_FUNCTION_COUNT
};

enum math_node_kind {
    MATH_NODE_NUMBER,
    MATH_NODE_TEXT,
    MATH_NODE_NAME,
    MATH_NODE_LIST,   /* of its arguments */
    MATH_NODE_MINUS,  /* of the first */
    MATH_NODE_NOT,    /* likewise */
    MATH_NODE_BINARY, /* of two */
    MATH_NODE_CALL,
};

struct math_node {
    enum math_node_kind kind;
    double number;
    struct slice text; /* of a text or a name */
    enum math_operator op;
    enum math_function function;
    size_t count; /* of arguments */
    const struct math_node *first;
    const struct math_node *next; /* argument of the same node */
};

#endif
