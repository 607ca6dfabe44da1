/* limits.h - gramme's own limits on expressions; the service's are in model/limits.h. */
#ifndef GRAMME_EXPR_LIMITS_H
#define GRAMME_EXPR_LIMITS_H

#include <stdint.h>

#include "model/limits.h"

enum {
    /* How deep the parser recurses. Every level is an opening parenthesis, a NOT or a call, and no
     * two parentheses may enclose the same thing, so an expression within the limit on operators
     * never gets here. */
    NESTING_MAX = 2 * LIMIT_EXPRESSION_OPERATORS + 20,

    /* Bytes that one update may write, and that its list_append()s may copy. An item that the
     * service counts as 409,600 bytes has at most twelve times as many in flat form (a set of one
     * empty string under a name of one byte), so what passes this limit is too large for an item.
     */
    UPDATE_BYTES_MAX = 16 * LIMIT_ITEM_BYTES,

    /* What ast_fits() leaves: every path is one of an operand or a target, and has an element. */
    PROGRAM_PATHS_MAX = UINT16_MAX / 4,

    /* Up to so many paths, or so many bytes of an item times paths, each path is looked up when its
     * turn comes; a test that fails then spares the rest. Beyond both, all are found in one pass
     * over the item. */
    PATHS_LOOKED_UP = 4,
    PATH_BYTES_LOOKED_UP = 16 * 1024,

    /* How many truth values a condition may put by at a time: more than a statement can nest, and
     * nothing else has any use for it. */
    EXPR_KEPT_MAX = 128,

    /* A larger program is not kept in a cache. */
    CACHED_PROGRAM_BYTES_MAX = 16 * 1024,
};

#endif
