/* legacy_comparison.h - one condition of the legacy API: an attribute, an operator, its operands.
 *
 * The maps of conditions (KeyConditions, QueryFilter, ScanFilter) and Expected say the same thing
 * in different forms; here they are checked as the service checks them and brought into one form.
 * Memory: the arena; operands stay in the request. */
#ifndef GRAMME_OPS_LEGACY_LEGACY_COMPARISON_H
#define GRAMME_OPS_LEGACY_LEGACY_COMPARISON_H

#include "expr/ast.h"
#include "ops/legacy/legacy_input.h"

struct comparison_operator {
    const char *name;
    const char *function; /* what it is in an expression; NULL: not a function but `op` */
    size_t operands_min;
    size_t operands_max;
    uint32_t types; /* of the operands: 1 << enum value_type */
    enum ast_operator op;
    enum key_operator key_operator; /* of what is indexable */
    bool indexable;                 /* keys can be searched by it */
    bool negated;                   /* true where the attribute exists and the function is false */
};

struct comparison {
    struct slice name;
    const struct comparison_operator *op;
    const struct field_item *operands;
    size_t count;
};

/* One comparison for each entry of the map, in its order; the first broken rule is returned. */
struct error *comparisons_of_conditions(struct arena *arena, const struct field_list *conditions,
                                        struct comparison **ret_comparisons);
struct error *comparisons_of_expected(struct arena *arena, const struct field_list *expected,
                                      struct comparison **ret_comparisons);

#endif
