/* constants.h - literals and parameters to values. */
#ifndef GRAMME_PARTIQL_CONSTANTS_H
#define GRAMME_PARTIQL_CONSTANTS_H

#include "base/error.h"
#include "partiql/statement.h"

struct constants {
    struct arena *arena;
    const struct value *parameters; /* as many as the statement has */
};

/* Makes a NODE_VALUE of the node, which must be a constant all through. */
struct error *constant_resolve(const struct constants *constants, struct node *node);
/* The same for an item, whose attributes are told apart in errors. */
struct error *constant_resolve_item(const struct constants *constants, struct node *node);
/* The same for all constants of an expression. What stands right of IN stays a list. */
struct error *constants_resolve(const struct constants *constants, struct node *node);

#endif
