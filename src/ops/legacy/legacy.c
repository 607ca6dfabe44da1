/* legacy.c - legacy parameters to the programs of expressions.
 *
 * Names stand in the trees as they are, so nothing is a reserved word; values get placeholders of
 * their own. The tree is scratch memory and given back once it is compiled. */
#include "ops/legacy/legacy.h"

#include "base/check.h"
#include "expr/compile.h"
#include "model/limits.h"
#include "ops/legacy/legacy_comparison.h"

/* A tree that grows, and the values it refers to. */
struct translation {
    struct op_call *call;
    struct ast ast;
    struct expr_placeholder *values; /* room for all */
    size_t value_count;
    struct arena_mark scratch; /* what is allocated from here on goes when the tree does */
};

static void translation_init(struct translation *t, struct op_call *call, enum expr_kind kind,
                             size_t values_max) {
    t->call = call;
    t->value_count = 0;
    t->values = ARENA_ARRAY(call->arena, struct expr_placeholder, values_max);
    for (size_t i = 0; i < values_max; i++)
        t->values[i].key = arena_printf(call->arena, ":%zu", i);
    t->scratch = arena_mark(call->arena);
    ast_init(&t->ast, call->arena, kind);
    t->ast.distinct_values = true;
}

/* Compiles the tree and binds the program as the request's expression of its kind. */
static struct error *translation_finish(struct translation *t, struct expressions *expressions) {
    if (!ast_fits(&t->ast))
        return error_request(t->call->arena, "The request has too many conditions, updates and "
                                             "values outside of expressions");
    struct expr_program *program = ast_compile(&t->ast);
    arena_rewind(t->call->arena, t->scratch);
    struct expr_placeholders given = {.values = t->values, .value_count = t->value_count};
    return expressions_take(t->call, expressions, program, t->ast.kind, &given);
}

static struct ast_path *path_to(struct translation *t, struct slice name) {
    struct ast_path *path = ast_path(&t->ast);
    ast_path_add_name(&t->ast, path, name);
    return path;
}

static struct ast_node *operand_path(struct translation *t, struct slice name) {
    return ast_operand_path(&t->ast, path_to(t, name));
}

static struct ast_node *operand_value(struct translation *t, struct value value) {
    struct expr_placeholder *placeholder = &t->values[t->value_count++];
    placeholder->value = value;
    return ast_operand_value(&t->ast, placeholder->key);
}

/* ---- conditions ---- */

/* As deep as a balanced tree, for the compiler recurses over it. */
static struct ast_node *join(struct translation *t, enum ast_operator op, struct ast_node **nodes,
                             size_t count) {
    if (count == 1)
        return nodes[0];
    size_t half = count / 2;
    struct ast_node *left = join(t, op, nodes, half);
    return ast_binary(&t->ast, op, left, join(t, op, nodes + half, count - half));
}

/* With `count` of the comparison's operands, from `first` on. */
static struct ast_node *test(struct translation *t, const struct comparison *comparison,
                             size_t first, size_t count) {
    struct ast_list args = {0};
    ast_list_add(&args, operand_path(t, comparison->name));
    for (size_t i = first; i < first + count; i++)
        ast_list_add(&args, operand_value(t, comparison->operands[i].value));
    if (comparison->op->function != NULL)
        return ast_call(&t->ast, slice_text(comparison->op->function), args);
    return ast_operator(&t->ast, comparison->op->op, args);
}

/* The limit on IN's operands is one of expressions: a longer list becomes several tests. */
static struct ast_node *test_in_parts(struct translation *t, const struct comparison *comparison) {
    size_t parts = (comparison->count + LIMIT_IN_OPERANDS - 1) / LIMIT_IN_OPERANDS;
    struct ast_node **nodes = ARENA_ARRAY(t->ast.arena, struct ast_node *, parts);
    for (size_t i = 0; i < parts; i++) {
        size_t first = i * LIMIT_IN_OPERANDS, left = comparison->count - first;
        nodes[i] = test(t, comparison, first, left < LIMIT_IN_OPERANDS ? left : LIMIT_IN_OPERANDS);
    }
    return join(t, OPERATOR_OR, nodes, parts);
}

static struct ast_node *translate(struct translation *t, const struct comparison *comparison) {
    if (comparison->count > LIMIT_IN_OPERANDS)
        return test_in_parts(t, comparison);
    struct ast_node *node = test(t, comparison, 0, comparison->count);
    if (!comparison->op->negated)
        return node;
    struct ast_list args = {0};
    ast_list_add(&args, operand_path(t, comparison->name));
    struct ast_node *exists = ast_call(&t->ast, SLICE_LITERAL("attribute_exists"), args);
    return ast_binary(&t->ast, OPERATOR_AND, exists, ast_unary(&t->ast, OPERATOR_NOT, node));
}

/* Comparisons to be joined by a ConditionalOperator. */
struct comparisons {
    const struct comparison *list;
    size_t count;
    enum ast_operator join;
};

static struct error *bind_comparisons(struct op_call *call, struct expressions *expressions,
                                      enum expr_kind kind, const struct comparisons *comparisons) {
    if (comparisons->count == 0)
        return NULL;
    size_t values = 0;
    for (size_t i = 0; i < comparisons->count; i++)
        values += comparisons->list[i].count;
    struct translation t;
    translation_init(&t, call, kind, values);
    struct ast_node **nodes = ARENA_ARRAY(call->arena, struct ast_node *, comparisons->count);
    for (size_t i = 0; i < comparisons->count; i++)
        nodes[i] = translate(&t, &comparisons->list[i]);
    t.ast.condition = join(&t, comparisons->join, nodes, comparisons->count);
    return translation_finish(&t, expressions);
}

/* At the turn of `layer`: the current one looks at it before the conditions, the older one
 * afterwards. */
static struct error *check_conditional_operator(struct op_call *call, enum value_layer layer,
                                                struct slice op,
                                                const struct field_list *conditions) {
    if (!slice_present(op) || conditions->count >= 2 || call->layer != layer)
        return NULL;
    if (conditions->count == 0)
        return error_request(call->arena,
                             "ConditionalOperator cannot be used without Filter or Expected");
    return error_request(call->arena, "ConditionalOperator can only be used when Filter or "
                                      "Expected has two or more elements");
}

static enum ast_operator joining_operator(struct slice conditional_operator) {
    return slice_is(conditional_operator, "OR") ? OPERATOR_OR : OPERATOR_AND;
}

struct error *legacy_bind_expected(struct op_call *call, struct expressions *expressions,
                                   const struct field_list *expected,
                                   struct slice conditional_operator) {
    struct comparison *list;
    TRY(check_conditional_operator(call, VALUE_LAYER_CURRENT, conditional_operator, expected));
    TRY(comparisons_of_expected(call->arena, expected, &list));
    TRY(check_conditional_operator(call, VALUE_LAYER_OLDER, conditional_operator, expected));
    struct comparisons all = {list, expected->count, joining_operator(conditional_operator)};
    return bind_comparisons(call, expressions, EXPR_CONDITION, &all);
}

struct error *legacy_bind_filter(struct op_call *call, struct expressions *expressions,
                                 const struct field_list *filter,
                                 struct slice conditional_operator) {
    struct comparison *list;
    TRY(check_conditional_operator(call, VALUE_LAYER_CURRENT, conditional_operator, filter));
    TRY(comparisons_of_conditions(call->arena, filter, &list));
    TRY(check_conditional_operator(call, VALUE_LAYER_OLDER, conditional_operator, filter));
    struct comparisons all = {list, filter->count, joining_operator(conditional_operator)};
    return bind_comparisons(call, expressions, EXPR_FILTER, &all);
}

/* ---- updates ---- */

static bool adds(enum value_type type) {
    return type == VALUE_N || type == VALUE_L || value_type_is_set(type);
}

static struct error *check_update(struct arena *arena, const struct attribute_update *update) {
    enum value_type type = value_type(update->value.value);
    TRY(attribute_name_check(arena, update->name));
    if (update->value.fault != NULL)
        return update->value.fault;
    if (type == VALUE_NONE && !slice_is(update->action, "DELETE"))
        return error_request(arena, PVI
                             "Only DELETE action is allowed when no attribute value is specified");
    if (type != VALUE_NONE && slice_is(update->action, "DELETE") && !value_type_is_set(type))
        return error_request(arena, PVI "DELETE action with value is not supported for the type %s",
                             value_type_name(type));
    if (slice_is(update->action, "ADD") && !adds(type))
        return error_request(arena, PVI "ADD action is not supported for the type %s",
                             value_type_name(type));
    return NULL;
}

static enum update_section section_of(const struct attribute_update *update) {
    if (slice_is(update->action, "ADD"))
        return SECTION_ADD;
    if (slice_is(update->action, "DELETE"))
        return value_present(update->value.value) ? SECTION_DELETE : SECTION_REMOVE;
    return SECTION_SET;
}

struct error *legacy_bind_updates(struct op_call *call, struct expressions *expressions,
                                  const struct field_list *updates) {
    const struct attribute_update *list = updates->items;
    for (size_t i = 0; i < updates->count; i++)
        TRY(check_update(call->arena, &list[i]));
    if (updates->count == 0)
        return NULL;
    struct translation t;
    translation_init(&t, call, EXPR_UPDATE, updates->count);
    t.ast.attribute_updates = true;
    ast_begin_clause(&t.ast);
    for (size_t i = 0; i < updates->count; i++) {
        struct value value = list[i].value.value;
        struct ast_path *target = path_to(&t, list[i].name);
        ast_act(&t.ast, section_of(&list[i]), target,
                value_present(value) ? operand_value(&t, value) : NULL);
    }
    return translation_finish(&t, expressions);
}

/* ---- key conditions ---- */

struct error *legacy_check_key_count(struct arena *arena, size_t count, size_t max) {
    if (count < 1 || count > max)
        return error_validation(arena, "Conditions can be of length 1 or 2 only");
    return NULL;
}

struct error *legacy_check_key_conditions(struct arena *arena, const struct field_list *conditions,
                                          size_t max) {
    struct comparison *comparisons;
    if (!conditions->present)
        return NULL;
    TRY(comparisons_of_conditions(arena, conditions, &comparisons));
    return legacy_check_key_count(arena, conditions->count, max);
}

size_t legacy_key_conditions(struct arena *arena, const struct field_list *conditions,
                             const struct key_condition **ret_conditions) {
    struct comparison *comparisons = NULL;
    struct error *error = comparisons_of_conditions(arena, conditions, &comparisons);
    CHECK(error == NULL); /* they were checked */
    struct key_condition *keys = ARENA_ARRAY(arena, struct key_condition, conditions->count);
    for (size_t i = 0; i < conditions->count; i++) {
        keys[i].name = comparisons[i].name;
        if (!comparisons[i].op->indexable)
            continue;
        keys[i].op = comparisons[i].op->key_operator;
        keys[i].value = comparisons[i].operands[0].value;
        keys[i].upper = comparisons[i].count == 2 ? comparisons[i].operands[1].value : VALUE_ABSENT;
    }
    *ret_conditions = keys;
    return conditions->count;
}
