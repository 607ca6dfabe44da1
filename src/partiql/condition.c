/* condition.c - WHERE clauses to conditions.
 *
 * What the language of expressions lacks is said with what it has: IS MISSING with
 * attribute_not_exists(), IS NULL and the names of types with attribute_type(). */
#include "partiql/builder.h"

#include "model/limits.h"

/* ---- operands ---- */

static struct error *wrong_count(struct builder *b, const struct node *call) {
    return error_request(b->arena,
                         "Incorrect number of operands for operator or function; operator or "
                         "function: %.*s, number of operands: %u",
                         SLICE_ARGS(call->text), call->count);
}

static struct error *unknown_function(struct builder *b, const struct node *call) {
    return error_request(b->arena, "Unrecognized function: %.*s at " POSITION_FORMAT,
                         SLICE_ARGS(call->text), POSITION_ARGS(call->at));
}

/* Functions of conditions and of operands, by the name the language of expressions has too. */
static enum ast_function find_function(const struct node *call) {
    enum ast_function function = function_find(call->text);
    if (function == FUNCTION_UNKNOWN || function_place(function) == PLACE_UPDATE)
        return FUNCTION_UNKNOWN;
    return function;
}

static struct error *operand(struct builder *b, const struct node *node,
                             struct ast_node **ret_node);

static struct error *size_operand(struct builder *b, const struct node *call,
                                  struct ast_node **ret_node) {
    if (find_function(call) == FUNCTION_UNKNOWN)
        return unknown_function(b, call);
    if (find_function(call) != FUNCTION_SIZE)
        return statement_path_error(b->arena, call->at);
    if (call->count != 1)
        return wrong_count(b, call);
    struct ast_list args = {0};
    struct ast_node *inner;
    TRY(operand(b, call->first, &inner));
    ast_list_add(&args, inner);
    *ret_node = ast_call(&b->ast, call->text, args);
    return NULL;
}

static struct error *operand(struct builder *b, const struct node *node,
                             struct ast_node **ret_node) {
    if (node->kind == NODE_VALUE) {
        *ret_node = builder_value(b, node->value);
        return NULL;
    }
    if (node->kind == NODE_CALL)
        return size_operand(b, node, ret_node);
    if (node->kind != NODE_PATH)
        return statement_path_error(b->arena, node->at);
    struct ast_path *path;
    TRY(builder_path(b, &node->path, &path));
    *ret_node = ast_operand_path(&b->ast, path);
    return NULL;
}

static struct error *operands(struct builder *b, const struct node *first,
                              struct ast_list *ret_list) {
    for (const struct node *node = first; node != NULL; node = node->next) {
        struct ast_node *made;
        TRY(operand(b, node, &made));
        ast_list_add(ret_list, made);
    }
    return NULL;
}

static struct ast_node *negated(struct builder *b, struct ast_node *node, bool negate) {
    return negate ? ast_unary(&b->ast, OPERATOR_NOT, node) : node;
}

/* ---- tests ---- */

/* In statements the service lists the types in another order than in expressions. */
static struct error *check_type_name(struct builder *b, const struct node *name) {
    if (name->kind != NODE_VALUE || value_type(name->value) != VALUE_S ||
        value_type_from_name(value_scalar(name->value)) != VALUE_NONE)
        return NULL;
    return error_request(b->arena,
                         "Invalid attribute type name found; type: %.*s, valid types: "
                         "{N,BS,L,B,NULL,M,S,SS,NS,BOOL}",
                         SLICE_ARGS(value_scalar(name->value)));
}

static struct error *call_test(struct builder *b, const struct node *call,
                               struct ast_node **ret_node) {
    enum ast_function function = find_function(call);
    if (function == FUNCTION_UNKNOWN)
        return unknown_function(b, call);
    if (function_place(function) != PLACE_CONDITION)
        return statement_path_error(b->arena, call->at);
    if (call->count != function_operands(function))
        return wrong_count(b, call);
    struct ast_list args = {0};
    if (function == FUNCTION_ATTRIBUTE_TYPE)
        TRY(check_type_name(b, call->last));
    TRY(operands(b, call->first, &args));
    *ret_node = ast_call(&b->ast, call->text, args);
    return NULL;
}

static bool is_condition(const struct node *node) {
    if (node->kind == NODE_CALL)
        return find_function(node) != FUNCTION_UNKNOWN && find_function(node) != FUNCTION_SIZE;
    return node->kind == NODE_OPERATOR && node->op != SIGN_PLUS && node->op != SIGN_MINUS &&
           node->op != SIGN_OTHER;
}

static struct value type_name(struct arena *arena, enum value_type type) {
    struct slice name = slice_text(value_type_name(type));
    uint8_t *bytes = arena_alloc(arena, 2 + name.len);
    bytes[0] = VALUE_S;
    bytes[1] = (uint8_t)name.len;
    memcpy(bytes + 2, name.data, name.len);
    return (struct value){bytes, 2 + name.len};
}

/* attribute_exists(path) or attribute_type(path, type) */
static struct error *path_test(struct builder *b, const struct node *path, const char *function,
                               enum value_type type, struct ast_node **ret_node) {
    struct ast_list args = {0};
    struct ast_node *first;
    TRY(operand(b, path, &first));
    ast_list_add(&args, first);
    if (type != VALUE_NONE)
        ast_list_add(&args, builder_value(b, type_name(b->arena, type)));
    *ret_node = ast_call(&b->ast, slice_text(function), args);
    return NULL;
}

/* ---- conditions as values ---- */

static const struct value truths[] = {{(const uint8_t[]){VALUE_BOOL, 0}, 2},
                                      {(const uint8_t[]){VALUE_BOOL, 1}, 2}};

static struct ast_node *never(struct builder *b) {
    struct ast_node *left = builder_value(b, truths[0]);
    return ast_binary(&b->ast, OPERATOR_EQ, left, builder_value(b, truths[1]));
}

/* A value that is no truth value equals no condition; what is wrong with it is told even so. */
static struct error *equals_value(struct builder *b, struct ast_node *condition,
                                  const struct node *other, struct ast_node **ret_node) {
    struct ast_node *ignored;
    TRY(operand(b, other, &ignored));
    *ret_node = other->kind == NODE_VALUE && value_type(other->value) == VALUE_BOOL
                    ? negated(b, condition, !value_bool(other->value))
                    : never(b);
    return NULL;
}

/* attribute_exists(a) = b: b is a truth value, and the same. */
static struct error *equals_path(struct builder *b, struct ast_node *condition,
                                 const struct node *path, struct ast_node **ret_node) {
    struct ast_node *is_truth, *value;
    TRY(path_test(b, path, "attribute_type", VALUE_BOOL, &is_truth));
    TRY(operand(b, path, &value));
    value = ast_binary(&b->ast, OPERATOR_EQ, value, builder_value(b, truths[1]));
    value = ast_binary(&b->ast, OPERATOR_SAME, condition, value);
    *ret_node = ast_binary(&b->ast, OPERATOR_AND, is_truth, value);
    return NULL;
}

/* Whether two operands are equal, of which either may be a condition. */
static struct error *equality(struct builder *b, const struct node *left, const struct node *right,
                              struct ast_node **ret_node) {
    const struct node *first = is_condition(left) ? left : right;
    const struct node *other = first == left ? right : left;
    struct ast_node *condition, *second;
    if (!is_condition(first)) {
        TRY(operand(b, left, &condition));
        TRY(operand(b, right, &second));
        *ret_node = ast_binary(&b->ast, OPERATOR_EQ, condition, second);
        return NULL;
    }
    TRY(builder_condition(b, first, &condition));
    if (other->kind == NODE_PATH)
        return equals_path(b, condition, other, ret_node);
    if (!is_condition(other))
        return equals_value(b, condition, other, ret_node);
    TRY(builder_condition(b, other, &second));
    *ret_node = ast_binary(&b->ast, OPERATOR_SAME, condition, second);
    return NULL;
}

static bool any_condition(const struct node *first) {
    for (const struct node *node = first; node != NULL; node = node->next)
        if (is_condition(node))
            return true;
    return false;
}

/* ---- comparisons ---- */

static struct error *comparison(struct builder *b, const struct node *node, enum ast_operator op,
                                struct ast_node **ret_node) {
    struct ast_list args = {0};
    if (!any_condition(node->first)) {
        TRY(operands(b, node->first, &args));
        *ret_node = ast_operator(&b->ast, op, args);
        return NULL;
    }
    if (op != OPERATOR_EQ && op != OPERATOR_NE)
        return error_request(b->arena,
                             "Incorrect operand type for operator or function; operator or "
                             "function: %s, operand type: BOOL",
                             operator_text(op));
    TRY(equality(b, node->first, node->last, ret_node));
    *ret_node = negated(b, *ret_node, op == OPERATOR_NE);
    return NULL;
}

static struct error *too_many(struct builder *b, uint32_t count) {
    return error_request(b->arena,
                         "The IN operator is provided with too many operands; number of "
                         "operands: %u",
                         count);
}

/* The list may be a parameter. */
static struct error *in_list(struct builder *b, const struct node *list, struct ast_list *args) {
    bool value = list->kind == NODE_VALUE && value_type(list->value) == VALUE_L;
    if (!value && list->kind != NODE_LIST)
        return statement_path_error(b->arena, list->at);
    uint32_t count = value ? value_count(list->value) : list->count;
    if (count > LIMIT_IN_OPERANDS)
        return too_many(b, count);
    if (!value)
        return operands(b, list->first, args);
    struct value_iter iter;
    value_iter_init(&iter, list->value);
    while (value_iter_next(&iter))
        ast_list_add(args, builder_value(b, iter.value));
    return NULL;
}

/* As deep as a balanced tree, for the compiler recurses over it. */
static struct ast_node *join(struct builder *b, enum ast_operator op, struct ast_node **nodes,
                             size_t count) {
    if (count == 1)
        return nodes[0];
    size_t half = count / 2;
    struct ast_node *left = join(b, op, nodes, half);
    return ast_binary(&b->ast, op, left, join(b, op, nodes + half, count - half));
}

/* IN among conditions: equal to one of them. The first operand is built once for each, so the size
 * is looked at on the way: what nests would else grow without a bound. */
static struct error *in_conditions(struct builder *b, const struct node *node,
                                   struct ast_node **ret_node) {
    const struct node *list = node->last;
    struct ast_node **tests = ARENA_ARRAY(b->arena, struct ast_node *, list->count + 1);
    size_t count = 0;
    if (list->kind != NODE_LIST)
        return statement_path_error(b->arena, list->at);
    if (list->count > LIMIT_IN_OPERANDS)
        return too_many(b, list->count);
    tests[count++] = never(b);
    for (const struct node *member = list->first; member != NULL; member = member->next) {
        TRY(equality(b, node->first, member, &tests[count++]));
        TRY(builder_check_size(b));
    }
    *ret_node = negated(b, join(b, OPERATOR_OR, tests, count), node->op == SIGN_NOT_IN);
    return NULL;
}

static struct error *in_test(struct builder *b, const struct node *node,
                             struct ast_node **ret_node) {
    struct ast_list args = {0};
    struct ast_node *first;
    if (is_condition(node->first) || any_condition(node->last->first))
        return in_conditions(b, node, ret_node);
    TRY(operand(b, node->first, &first));
    ast_list_add(&args, first);
    TRY(in_list(b, node->last, &args));
    *ret_node = negated(b, ast_operator(&b->ast, OPERATOR_IN, args), node->op == SIGN_NOT_IN);
    return NULL;
}

/* The service's types that a name of PartiQL's stands for; a bag is a set of any kind. */
static const enum value_type *types_of(enum keyword name) {
    static const enum value_type string[] = {VALUE_S, VALUE_NONE};
    static const enum value_type number[] = {VALUE_N, VALUE_NONE};
    static const enum value_type truth[] = {VALUE_BOOL, VALUE_NONE};
    static const enum value_type null[] = {VALUE_NULL, VALUE_NONE};
    static const enum value_type binary[] = {VALUE_B, VALUE_NONE};
    static const enum value_type list[] = {VALUE_L, VALUE_NONE};
    static const enum value_type map[] = {VALUE_M, VALUE_NONE};
    static const enum value_type set[] = {VALUE_SS, VALUE_NS, VALUE_BS, VALUE_NONE};
    switch ((int)name) {
    case KEYWORD_STRING:
    case KEYWORD_CHAR:
    case KEYWORD_CHARACTER:
    case KEYWORD_VARCHAR:
        return string;
    case KEYWORD_INT:
    case KEYWORD_INTEGER:
    case KEYWORD_SMALLINT:
    case KEYWORD_FLOAT:
    case KEYWORD_REAL:
    case KEYWORD_DEC:
    case KEYWORD_DECIMAL:
    case KEYWORD_NUMERIC:
        return number;
    case KEYWORD_BOOL:
    case KEYWORD_BOOLEAN:
        return truth;
    case KEYWORD_NULL:
        return null;
    case KEYWORD_BLOB:
        return binary;
    case KEYWORD_LIST:
        return list;
    case KEYWORD_STRUCT:
    case KEYWORD_TUPLE:
        return map;
    case KEYWORD_BAG:
        return set;
    default:
        return NULL;
    }
}

static struct error *is_test(struct builder *b, const struct node *node,
                             struct ast_node **ret_node) {
    const struct node *path = node->first;
    bool negate = node->op == SIGN_IS_NOT;
    enum keyword name = node->last->type;
    if (path->kind != NODE_PATH)
        return statement_path_error(b->arena, path->at);
    if (name == KEYWORD_MISSING)
        return path_test(b, path, negate ? "attribute_exists" : "attribute_not_exists", VALUE_NONE,
                         ret_node);
    const enum value_type *types = types_of(name);
    if (types == NULL)
        return error_request(b->arena, "Unsupported operation: IsType");
    struct ast_node *all = NULL;
    for (; *types != VALUE_NONE; types++) {
        struct ast_node *one;
        TRY(path_test(b, path, "attribute_type", *types, &one));
        all = all == NULL ? one : ast_binary(&b->ast, OPERATOR_OR, all, one);
    }
    *ret_node = negated(b, all, negate);
    return NULL;
}

/* ---- conditions ---- */

static struct error *joined(struct builder *b, const struct node *node, enum ast_operator op,
                            struct ast_node **ret_node) {
    struct ast_node **nodes = ARENA_ARRAY(b->arena, struct ast_node *, node->count);
    size_t count = 0;
    for (const struct node *child = node->first; child != NULL; child = child->next)
        TRY(builder_condition(b, child, &nodes[count++]));
    *ret_node = join(b, op, nodes, count);
    return NULL;
}

static struct error *negation(struct builder *b, const struct node *node,
                              struct ast_node **ret_node) {
    struct ast_node *inner;
    TRY(builder_condition(b, node->first, &inner));
    *ret_node = negated(b, inner, true);
    return NULL;
}

static struct error *between(struct builder *b, const struct node *node,
                             struct ast_node **ret_node) {
    TRY(comparison(b, node, OPERATOR_BETWEEN, ret_node));
    *ret_node = negated(b, *ret_node, node->op == SIGN_NOT_BETWEEN);
    return NULL;
}

static struct error *operation(struct builder *b, const struct node *node,
                               struct ast_node **ret_node) {
    switch (node->op) {
    case SIGN_EQ:
        return comparison(b, node, OPERATOR_EQ, ret_node);
    case SIGN_NE:
        return comparison(b, node, OPERATOR_NE, ret_node);
    case SIGN_LT:
        return comparison(b, node, OPERATOR_LT, ret_node);
    case SIGN_LE:
        return comparison(b, node, OPERATOR_LE, ret_node);
    case SIGN_GT:
        return comparison(b, node, OPERATOR_GT, ret_node);
    case SIGN_GE:
        return comparison(b, node, OPERATOR_GE, ret_node);
    case SIGN_BETWEEN:
    case SIGN_NOT_BETWEEN:
        return between(b, node, ret_node);
    case SIGN_IN:
    case SIGN_NOT_IN:
        return in_test(b, node, ret_node);
    case SIGN_IS:
    case SIGN_IS_NOT:
        return is_test(b, node, ret_node);
    case SIGN_AND:
        return joined(b, node, OPERATOR_AND, ret_node);
    case SIGN_OR:
        return joined(b, node, OPERATOR_OR, ret_node);
    case SIGN_NOT:
        return negation(b, node, ret_node);
    case SIGN_PLUS:
    case SIGN_MINUS:
    case SIGN_OTHER:
        break;
    }
    return statement_path_error(b->arena, node->at);
}

struct error *builder_condition(struct builder *b, const struct node *node,
                                struct ast_node **ret_node) {
    if (node->kind == NODE_CALL)
        return call_test(b, node, ret_node);
    if (node->kind == NODE_OPERATOR)
        return operation(b, node, ret_node);
    return statement_path_error(b->arena, node->at);
}
