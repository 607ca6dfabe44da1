/* ranges.c - from a WHERE clause to the ranges of keys in which its items are.
 *
 * When every branch that OR joins says by = or IN which partitions it means, the clause becomes one
 * range per partition, or per partition and alternative of the sort key. Ranges may hold more than
 * the clause lets through, for it is the filter as well; they never hold less, and no item is in
 * two. Recursion is bounded by the depth that the parser allows. */
#include "partiql/partiql.h"

#include "partiql/terms.h"

/* Values or conditions that may each be the one. */
struct alternatives {
    struct key_condition list[PARTIQL_RANGES_MAX];
    size_t count; /* 0: nothing is said */
    bool negated;
};

struct search {
    struct arena *arena;
    const struct key_schema *keys;
    struct partiql_ranges *out;
};

static const struct key_attribute *hash_of(const struct search *s) {
    return &s->keys->hash[0];
}

/* NULL: the key has no second attribute. */
static const struct key_attribute *sort_of(const struct search *s) {
    return s->keys->range_count > 0 ? &s->keys->range[0] : NULL;
}

static bool joins(const struct node *node, enum operator_kind op) {
    return node->kind == NODE_OPERATOR && node->op == op;
}

/* The parts that AND joins, or the node itself. */
static const struct node *first_part(const struct node *node) {
    return joins(node, SIGN_AND) ? node->first : node;
}

static const struct node *next_part(const struct node *node, const struct node *part) {
    return joins(node, SIGN_AND) ? part->next : NULL;
}

static struct error *too_many(struct arena *arena) {
    return error_validation(arena, "Too many decomposed read operations for a given query.");
}

static struct error *overlapping(struct arena *arena) {
    return error_validation(
        arena, "Overlapping conditions with range keys are not supported in where clause");
}

/* ---- alternatives ---- */

struct gathering {
    const struct search *search;
    const struct key_attribute *attribute;
    struct alternatives *to;
};

static struct error *add_condition(const struct gathering *g, const struct key_condition *one) {
    TRY(term_check_type(g->search->arena, g->attribute, one));
    if (g->to->count == PARTIQL_RANGES_MAX)
        return too_many(g->search->arena);
    g->to->list[g->to->count++] = *one;
    return NULL;
}

static struct error *add_value(void *context, struct value value) {
    const struct gathering *g = context;
    const struct key_condition equal = {
        .name = g->attribute->name, .op = KEY_EQ, .value = value, .upper = VALUE_ABSENT};
    return add_condition(g, &equal);
}

static struct error *add_term(struct gathering *g, const struct node *node) {
    struct key_condition one;
    if (term_in(node, g->attribute->name))
        return term_in_visit(node, add_value, g);
    return term_condition(node, g->attribute->name, &one) ? add_condition(g, &one) : NULL;
}

static bool is_term(const struct node *node, struct slice name) {
    struct key_condition ignored;
    return term_in(node, name) || term_condition(node, name, &ignored);
}

/* x = 1 OR x IN [2, 3], all about one attribute. */
static bool only_terms(const struct node *node, struct slice name) {
    if (!joins(node, SIGN_OR))
        return false;
    for (const struct node *child = node->first; child != NULL; child = child->next)
        if (!is_term(child, name))
            return false;
    return true;
}

/* True when some part that AND joins is about the attribute. */
static bool has_term(const struct node *node, struct slice name) {
    if (!joins(node, SIGN_AND))
        return is_term(node, name);
    for (const struct node *part = node->first; part != NULL; part = part->next)
        if (has_term(part, name))
            return true;
    return false;
}

/* x = 1 OR y = 2: some of what OR joins is about the attribute, and some says nothing of it. */
static bool half_about(const struct node *node, struct slice name) {
    size_t about = 0;
    if (!joins(node, SIGN_OR))
        return false;
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        if (term_negates(child, name))
            return false;
        about += has_term(child, name);
    }
    return about > 0 && about < node->count;
}

/* ---- conditions on the sort key ---- */

static bool is_lower(enum key_operator op) {
    return op == KEY_GT || op == KEY_GE;
}

static bool is_upper(enum key_operator op) {
    return op == KEY_LT || op == KEY_LE;
}

/* What two conditions have in common, as far as one condition can say it: a lower and an upper
 * bound are a BETWEEN, otherwise the first stands. */
static void narrow(struct key_condition *to, const struct key_condition *more) {
    struct value low, high;
    if (more->op == KEY_EQ) {
        *to = *more;
    } else if (is_lower(to->op) && is_upper(more->op)) {
        low = to->value;
        high = more->value;
    } else if (is_upper(to->op) && is_lower(more->op)) {
        low = more->value;
        high = to->value;
    } else {
        return;
    }
    if (more->op != KEY_EQ && value_compare(low, high) <= 0)
        *to = (struct key_condition){to->name, KEY_BETWEEN, low, high};
}

/* One condition out of all that AND joins. */
static struct error *gather_bounds(struct gathering *g, const struct node *node) {
    for (const struct node *part = first_part(node); part != NULL; part = next_part(node, part)) {
        struct key_condition one;
        if (!term_condition(part, g->attribute->name, &one))
            continue;
        TRY(term_check_type(g->search->arena, g->attribute, &one));
        if (g->to->count == 0)
            g->to->list[g->to->count++] = one;
        else
            narrow(&g->to->list[0], &one);
    }
    return NULL;
}

static struct error *gather_lists(struct gathering *g, const struct node *node) {
    for (const struct node *part = first_part(node); part != NULL; part = next_part(node, part)) {
        if (half_about(part, g->attribute->name))
            return overlapping(g->search->arena);
        if (term_in(part, g->attribute->name))
            return add_term(g, part);
        if (!only_terms(part, g->attribute->name))
            continue;
        for (const struct node *child = part->first; child != NULL; child = child->next)
            TRY(add_term(g, child));
        return NULL;
    }
    return NULL;
}

static struct error *gather_sorts(const struct search *s, const struct node *node,
                                  struct alternatives *ret_sorts) {
    ret_sorts->count = 0;
    ret_sorts->negated = false;
    const struct key_attribute *sort = sort_of(s);
    if (sort == NULL)
        return NULL;
    struct gathering g = {s, sort, ret_sorts};
    for (const struct node *part = first_part(node); part != NULL; part = next_part(node, part))
        ret_sorts->negated = ret_sorts->negated || term_negates(part, sort->name);
    TRY(gather_bounds(&g, node));
    if (ret_sorts->count == 1 && ret_sorts->list[0].op == KEY_EQ)
        return NULL;
    struct alternatives *lists = ARENA_NEW(s->arena, struct alternatives);
    g.to = lists;
    TRY(gather_lists(&g, node));
    lists->negated = ret_sorts->negated;
    if (lists->count > 0)
        *ret_sorts = *lists;
    return NULL;
}

/* ---- partitions ---- */

static bool is_equality(const struct node *node, struct slice name) {
    struct key_condition one;
    return term_in(node, name) || (term_condition(node, name, &one) && one.op == KEY_EQ);
}

/* True when the node says which partitions it means. */
static bool is_keyed(const struct search *s, const struct node *node) {
    if (joins(node, SIGN_OR)) {
        for (const struct node *child = node->first; child != NULL; child = child->next)
            if (!is_keyed(s, child))
                return false;
        return true;
    }
    if (!joins(node, SIGN_AND))
        return is_equality(node, hash_of(s)->name);
    for (const struct node *part = node->first; part != NULL; part = part->next)
        if (is_keyed(s, part))
            return true;
    return false;
}

static struct error *add_range(struct search *s, const struct key_condition *hash,
                               const struct key_condition *sort, bool negated) {
    if (s->out->count == PARTIQL_RANGES_MAX)
        return too_many(s->arena);
    struct partiql_range *range = &s->out->list[s->out->count++];
    *range = (struct partiql_range){.hash = *hash, .has_sort = sort != NULL, .negated = negated};
    if (sort != NULL)
        range->sort = *sort;
    return NULL;
}

static struct error *decompose(struct search *s, const struct node *node);

/* The part that says the partitions, and what all parts say of the sort key. */
static struct error *decompose_and(struct search *s, const struct node *node) {
    const struct node *part = first_part(node);
    while (!is_keyed(s, part))
        part = next_part(node, part);
    struct alternatives *sorts = ARENA_NEW(s->arena, struct alternatives);
    struct alternatives *hashes = ARENA_NEW(s->arena, struct alternatives);
    TRY(gather_sorts(s, node, sorts));
    if (!is_equality(part, hash_of(s)->name)) {
        size_t first = s->out->count;
        TRY(decompose(s, part));
        for (size_t i = first; i < s->out->count && sorts->count == 1; i++) {
            if (s->out->list[i].has_sort)
                continue;
            s->out->list[i].has_sort = true;
            s->out->list[i].sort = sorts->list[0];
        }
        return NULL;
    }
    struct gathering g = {s, hash_of(s), hashes};
    TRY(add_term(&g, part));
    for (size_t h = 0; h < hashes->count; h++) {
        if (sorts->count == 0)
            TRY(add_range(s, &hashes->list[h], NULL, sorts->negated));
        for (size_t i = 0; i < sorts->count; i++)
            TRY(add_range(s, &hashes->list[h], &sorts->list[i], sorts->negated));
    }
    return NULL;
}

/* Of a keyed node. */
static struct error *decompose(struct search *s, const struct node *node) {
    if (!joins(node, SIGN_OR))
        return decompose_and(s, node);
    for (const struct node *child = node->first; child != NULL; child = child->next)
        TRY(decompose(s, child));
    return NULL;
}

/* ---- branches ---- */

/* The first value that an equality gives the partition key, and whether nothing else is said. */
static void describe_branch(const struct search *s, const struct node *node,
                            struct partiql_branch *branch) {
    struct key_condition one;
    if (joins(node, SIGN_AND)) {
        for (const struct node *part = node->first; part != NULL; part = part->next)
            describe_branch(s, part, branch);
        return;
    }
    bool hash = term_in_one(node, hash_of(s)->name, &one) ||
                (term_condition(node, hash_of(s)->name, &one) && one.op == KEY_EQ);
    bool sort = sort_of(s) != NULL && is_term(node, sort_of(s)->name);
    if (hash && !value_present(branch->hash))
        branch->hash = one.value;
    branch->more = branch->more || (!hash && !sort);
}

size_t partiql_branches(const struct partiql *partiql, const struct key_schema *keys,
                        struct partiql_branch ret_branches[PARTIQL_RANGES_MAX]) {
    const struct node *where = partiql->statement->where;
    const struct search s = {.keys = keys};
    size_t count = 0;
    for (const struct node *part = first_part(where); part != NULL; part = next_part(where, part))
        if (half_about(part, keys->hash[0].name))
            return 0;
    bool list = joins(where, SIGN_OR);
    for (const struct node *node = list ? where->first : where;
         node != NULL && count < PARTIQL_RANGES_MAX; node = list ? node->next : NULL) {
        struct partiql_branch *branch = &ret_branches[count++];
        *branch = (struct partiql_branch){.node = node, .hash = VALUE_ABSENT};
        describe_branch(&s, node, branch);
    }
    return count;
}

/* ---- overlaps ---- */

/* Sort keys from `low` to `high`; an absent end is open. */
struct interval {
    struct slice low;
    struct slice high;
    bool low_out; /* the end itself does not belong to it */
    bool high_out;
    bool prefix; /* everything that starts with `high` belongs to it */
};

static struct interval interval_of(const struct partiql_range *range) {
    if (!range->has_sort)
        return (struct interval){.low = SLICE_NONE, .high = SLICE_NONE};
    struct slice value = value_scalar(range->sort.value);
    struct interval interval = {.low = value, .high = value};
    switch (range->sort.op) {
    case KEY_EQ:
        break;
    case KEY_LT:
    case KEY_LE:
        interval.low = SLICE_NONE;
        interval.high_out = range->sort.op == KEY_LT;
        break;
    case KEY_GT:
    case KEY_GE:
        interval.high = SLICE_NONE;
        interval.low_out = range->sort.op == KEY_GT;
        break;
    case KEY_BETWEEN:
        interval.high = value_scalar(range->sort.upper);
        break;
    case KEY_BEGINS_WITH:
        interval.prefix = true;
        break;
    }
    return interval;
}

/* True when a ends before b begins. */
static bool before(const struct interval *a, const struct interval *b) {
    struct slice low = b->low;
    if (!slice_present(a->high) || !slice_present(low))
        return false;
    if (a->prefix && low.len > a->high.len)
        low.len = a->high.len;
    int order = slice_compare(a->high, low);
    return order < 0 || (order == 0 && !a->prefix && (a->high_out || b->low_out));
}

static bool overlap(const struct partiql_range *a, const struct partiql_range *b) {
    if (!value_equal(a->hash.value, b->hash.value))
        return false;
    struct interval x = interval_of(a), y = interval_of(b);
    return !before(&x, &y) && !before(&y, &x);
}

static void remove_range(struct partiql_ranges *ranges, size_t at) {
    ranges->count--;
    memmove(&ranges->list[at], &ranges->list[at + 1],
            (ranges->count - at) * sizeof(ranges->list[0]));
}

/* Two of which one says what the sort key is not become one. */
static struct error *merge(struct arena *arena, struct partiql_range *a,
                           const struct partiql_range *b) {
    if (!a->negated && !b->negated)
        return overlapping(arena);
    a->has_sort = false;
    a->negated = a->negated || b->negated;
    return NULL;
}

/* A merged range is wider, so it is compared with all others again. */
static struct error *resolve_overlaps(struct arena *arena, struct partiql_ranges *ranges) {
    for (size_t i = 0; i < ranges->count; i++) {
        for (size_t k = 0; k < ranges->count; k++) {
            if (k == i || !overlap(&ranges->list[i], &ranges->list[k]))
                continue;
            TRY(merge(arena, &ranges->list[i], &ranges->list[k]));
            remove_range(ranges, k);
            i -= k < i;
            k = SIZE_MAX;
        }
    }
    return NULL;
}

/* ---- ORDER BY ---- */

static int compare_ranges(const struct partiql_range *a, const struct partiql_range *b,
                          bool reverse_hash, bool reverse_sort) {
    int order = value_compare(a->hash.value, b->hash.value);
    if (order != 0)
        return reverse_hash ? -order : order;
    bool a_open = !a->has_sort || is_upper(a->sort.op),
         b_open = !b->has_sort || is_upper(b->sort.op);
    if (a_open || b_open)
        order = b_open - a_open;
    else
        order = value_compare(a->sort.value, b->sort.value);
    return reverse_sort ? -order : order;
}

static void sort_ranges(struct partiql_ranges *ranges, bool reverse_hash, bool reverse_sort) {
    for (size_t i = 1; i < ranges->count; i++) {
        struct partiql_range moved = ranges->list[i];
        size_t at = i;
        for (; at > 0 &&
               compare_ranges(&ranges->list[at - 1], &moved, reverse_hash, reverse_sort) > 0;
             at--)
            ranges->list[at] = ranges->list[at - 1];
        ranges->list[at] = moved;
    }
}

static const struct order_term *find_term(const struct statement *statement,
                                          const struct key_attribute *attribute) {
    for (const struct order_term *term = statement->order; term != NULL; term = term->next)
        if (attribute != NULL && slice_equal(term->name, attribute->name))
            return term;
    return NULL;
}

static bool many_partitions(const struct partiql_ranges *ranges) {
    for (size_t i = 1; i < ranges->count; i++)
        if (!value_equal(ranges->list[0].hash.value, ranges->list[i].hash.value))
            return true;
    return false;
}

static struct error *check_order(const struct search *s, const struct statement *statement) {
    if (statement->where == NULL)
        return error_validation(
            s->arena, "Must have WHERE clause in the statement when using ORDER BY clause.");
    if (!s->out->keyed)
        return error_validation(s->arena, "Must have at least one non-optional hash key condition "
                                          "in WHERE clause when using ORDER BY clause.");
    for (const struct order_term *term = statement->order; term != NULL; term = term->next)
        if (!slice_equal(term->name, hash_of(s)->name) &&
            (sort_of(s) == NULL || !slice_equal(term->name, sort_of(s)->name)))
            return error_validation(s->arena,
                                    "Attribute %.*s in ORDER BY clause must be part of the "
                                    "primary key",
                                    SLICE_ARGS(term->name));
    if (many_partitions(s->out) && find_term(statement, hash_of(s)) == NULL)
        return error_validation(s->arena, "Must have hash key in ORDER BY clause when more than "
                                          "one hash key condition specified in WHERE clause.");
    return NULL;
}

static struct error *apply_order(const struct search *s, const struct statement *statement) {
    if (statement->order == NULL)
        return NULL;
    TRY(check_order(s, statement));
    const struct order_term *hash = find_term(statement, hash_of(s));
    const struct order_term *sort = find_term(statement, sort_of(s));
    /* Recorded: the partition key alone turns the sort key around. */
    s->out->reverse = sort == NULL || sort->descending;
    sort_ranges(s->out, hash != NULL && hash->descending, s->out->reverse);
    return NULL;
}

struct error *partiql_ranges(struct arena *arena, const struct partiql *partiql,
                             const struct key_schema *keys, struct partiql_ranges *ret_ranges) {
    const struct node *where = partiql->statement->where;
    struct search s = {arena, keys, ret_ranges};
    ret_ranges->reverse = false;
    ret_ranges->count = 0;
    ret_ranges->keyed = where != NULL && is_keyed(&s, where);
    if (ret_ranges->keyed) {
        TRY(decompose(&s, where));
        TRY(resolve_overlaps(arena, ret_ranges));
    }
    return apply_order(&s, partiql->statement);
}
