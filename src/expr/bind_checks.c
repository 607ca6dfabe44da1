/* bind_checks.c - the second pass: what only the request's names and values decide.
 *
 * The instructions are checked in the order of the code, operands before what is done to them; one
 * small function per instruction, named in opcodes.def. In an update the service goes through the
 * actions from the last to the first, after it has looked at the targets. */
#include "base/check.h"
#include "expr/bind.h"
#include "expr/expr_error.h"
#include "model/limits.h"

#define FAIL(b, ...) expr_error((b)->arena, (b)->program->kind, __VA_ARGS__)

typedef struct error *check_function(struct binder *b, const struct instruction *i);

/* ---- names and values ---- */

static struct error *check_names(struct binder *b, uint16_t path) {
    const struct program_arrays *is = &b->program->is;
    if (!is->paths[path].has_slots)
        return NULL;
    for (uint16_t i = 0; i < is->paths[path].count; i++) {
        uint16_t slot = is->element_slots[is->paths[path].first + i];
        if (slot != SLOT_NONE && !slice_present(b->names[slot]))
            return FAIL(b,
                        "An expression attribute name used in the document path is not defined; "
                        "attribute name: %.*s",
                        SLICE_ARGS(is->names[slot]));
    }
    return NULL;
}

static struct error *check_path(struct binder *b, uint16_t path) {
    TRY(check_names(b, path));
    if (b->paths[path].count <= LIMIT_PATH_NESTING)
        return NULL;
    return FAIL(b, "The document path has too many nesting levels; nesting levels: %u",
                b->paths[path].count);
}

static struct error *check_value(struct binder *b, uint16_t slot) {
    if (value_present(b->values[slot]))
        return NULL;
    return FAIL(b,
                "An expression attribute value used in expression is not defined; attribute "
                "value: %.*s",
                SLICE_ARGS(b->program->is.values[slot]));
}

/* ---- types ---- */

static struct error *wrong_type(struct binder *b, const char *name, const char *type) {
    return FAIL(b,
                "Incorrect operand type for operator or function; operator or function: %s, "
                "operand type: %s",
                name, type);
}

static bool has_order(enum value_type type) {
    return type == VALUE_S || type == VALUE_N || type == VALUE_B;
}

static bool has_size(enum value_type type) {
    return type != VALUE_N && type != VALUE_BOOL && type != VALUE_NULL;
}

static bool has_prefix(enum value_type type) {
    return type == VALUE_S || type == VALUE_B;
}

/* What is known of an operand's type without an item: VALUE_NONE for a path. */
static enum value_type operand_type(const struct binder *b, const struct operand *operand) {
    if (operand->sizes > 0)
        return VALUE_N;
    return operand->kind == OPERAND_VALUE ? value_type(b->values[operand->index]) : VALUE_NONE;
}

static bool operand_is_path(const struct operand *operand) {
    return operand->kind == OPERAND_PATH && operand->sizes == 0;
}

static bool operand_is_value(const struct operand *operand) {
    return operand->kind == OPERAND_VALUE && operand->sizes == 0;
}

static const struct operand *operands_of(const struct binder *b, const struct instruction *i) {
    return &b->program->is.operands[i->a];
}

static struct error *check_operand(struct binder *b, const struct operand *operand) {
    TRY(operand->kind == OPERAND_PATH ? check_path(b, operand->index)
                                      : check_value(b, operand->index));
    if (operand->sizes == 0)
        return NULL;
    enum value_type type =
        operand->kind == OPERAND_VALUE ? value_type(b->values[operand->index]) : VALUE_NONE;
    if (!has_size(type))
        return wrong_type(b, "size", value_type_name(type));
    return operand->sizes > 1 ? wrong_type(b, "size", "N") : NULL;
}

static struct error *check_operands(struct binder *b, const struct instruction *i) {
    for (uint16_t n = 0; n < i->b; n++)
        TRY(check_operand(b, &operands_of(b, i)[n]));
    return NULL;
}

static struct error *check_types(struct binder *b, const struct instruction *i,
                                 bool (*allowed)(enum value_type type)) {
    for (uint16_t n = 0; n < i->b; n++) {
        enum value_type type = operand_type(b, &operands_of(b, i)[n]);
        if (type != VALUE_NONE && !allowed(type))
            return wrong_type(b, opcode_name((enum opcode)i->op), value_type_name(type));
    }
    return NULL;
}

static struct error *same_operand(struct binder *b, const struct instruction *i,
                                  struct path first) {
    return FAIL(b,
                "The first operand must be distinct from the remaining operands for this operator "
                "or function; operator: %s, first operand: %.*s",
                opcode_name((enum opcode)i->op), SLICE_ARGS(path_text(b->arena, first)));
}

static struct error *check_distinct(struct binder *b, const struct instruction *i) {
    const struct operand *operands = operands_of(b, i);
    if (!operand_is_path(&operands[0]))
        return NULL;
    struct path first = b->paths[operands[0].index];
    for (uint16_t n = 1; n < i->b; n++)
        if (operand_is_path(&operands[n]) && path_compare(first, b->paths[operands[n].index]) == 0)
            return same_operand(b, i, first);
    return NULL;
}

static struct error *requires_path(struct binder *b, const char *name) {
    return FAIL(b, "Operator or function requires a document path; operator or function: %s", name);
}

/* ---- conditions ---- */

static struct error *check_nothing(struct binder *b, const struct instruction *i) {
    (void)b;
    (void)i;
    return NULL;
}

static struct error *check_equality(struct binder *b, const struct instruction *i) {
    TRY(check_operands(b, i));
    return check_distinct(b, i);
}

static struct error *check_order(struct binder *b, const struct instruction *i) {
    TRY(check_equality(b, i));
    return check_types(b, i, has_order);
}

/* A bound of BETWEEN as the service prints it, which shows what it is written in. */
static struct slice bound_text(struct arena *arena, struct value bound) {
    struct slice scalar = value_scalar(bound);
    if (value_type(bound) == VALUE_B)
        return arena_printf(arena,
                            "AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=%zu cap=%zu]}",
                            scalar.len, scalar.len);
    char number[NUMBER_TEXT_MAX];
    if (value_type(bound) == VALUE_N)
        scalar = slice_of(number, number_format(scalar, number));
    return arena_printf(arena, "AttributeValue: {%s:%.*s}", value_type_name(value_type(bound)),
                        SLICE_ARGS(scalar));
}

static struct error *check_bounds(struct binder *b, struct value low, struct value high) {
    const char *rule;
    if (value_type(low) != value_type(high))
        rule = "same data type for lower and upper bounds";
    else if (value_compare(low, high) > 0)
        rule = "upper bound to be greater than or equal to lower bound";
    else
        return NULL;
    return FAIL(b,
                "The BETWEEN operator requires %s; lower bound operand: %.*s, upper bound "
                "operand: %.*s",
                rule, SLICE_ARGS(bound_text(b->arena, low)),
                SLICE_ARGS(bound_text(b->arena, high)));
}

static struct error *check_between(struct binder *b, const struct instruction *i) {
    TRY(check_order(b, i));
    const struct operand *operands = operands_of(b, i);
    if (!operand_is_value(&operands[1]) || !operand_is_value(&operands[2]))
        return NULL;
    return check_bounds(b, b->values[operands[1].index], b->values[operands[2].index]);
}

static struct error *check_in(struct binder *b, const struct instruction *i) {
    TRY(check_operands(b, i));
    if (i->b - 1 > LIMIT_IN_OPERANDS)
        return FAIL(b, "The IN operator is provided with too many operands; number of operands: %d",
                    i->b - 1);
    return check_distinct(b, i);
}

static struct error *check_exists(struct binder *b, const struct instruction *i) {
    TRY(check_operands(b, i));
    if (!operand_is_path(&operands_of(b, i)[0]))
        return requires_path(b, opcode_name((enum opcode)i->op));
    return NULL;
}

static struct error *check_begins_with(struct binder *b, const struct instruction *i) {
    TRY(check_equality(b, i));
    return check_types(b, i, has_prefix);
}

static struct error *check_attribute_type(struct binder *b, const struct instruction *i) {
    TRY(check_equality(b, i));
    const struct operand *wanted = &operands_of(b, i)[1];
    enum value_type type = operand_type(b, wanted);
    if (type == VALUE_NONE)
        return wrong_type(b, "attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
    if (type != VALUE_S)
        return wrong_type(b, "attribute_type", value_type_name(type));
    struct slice name = value_scalar(b->values[wanted->index]);
    if (value_type_from_name(name) != VALUE_NONE)
        return NULL;
    return FAIL(b,
                "Invalid attribute type name found; type: %.*s, valid types: "
                "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
                SLICE_ARGS(name));
}

/* ---- the values of an update ---- */

static void push(struct binder *b, enum value_type type) {
    CHECK(b->stack_count < b->program->stack_max);
    b->stack[b->stack_count++] = type;
}

static struct error *check_load_path(struct binder *b, const struct instruction *i) {
    push(b, VALUE_NONE);
    return check_path(b, i->a);
}

static struct error *check_load_value(struct binder *b, const struct instruction *i) {
    TRY(check_value(b, i->a));
    push(b, value_type(b->values[i->a]));
    return NULL;
}

/* Two operands that must be of one type, where it is known; what comes of them is not known. */
static struct error *check_pair(struct binder *b, const struct instruction *i,
                                enum value_type wanted) {
    CHECK(b->stack_count >= 2);
    const enum value_type *pair = &b->stack[b->stack_count - 2];
    for (int n = 0; n < 2; n++)
        if (pair[n] != VALUE_NONE && pair[n] != wanted)
            return wrong_type(b, opcode_name((enum opcode)i->op), value_type_name(pair[n]));
    b->stack_count -= 2;
    push(b, VALUE_NONE);
    return NULL;
}

static struct error *check_arithmetic(struct binder *b, const struct instruction *i) {
    return check_pair(b, i, VALUE_N);
}

static struct error *check_list_append(struct binder *b, const struct instruction *i) {
    return check_pair(b, i, VALUE_L);
}

static struct error *check_if_not_exists(struct binder *b, const struct instruction *i) {
    return check_path(b, i->a);
}

static struct error *check_end_if_not_exists(struct binder *b, const struct instruction *i) {
    CHECK(b->stack_count >= 1);
    b->stack[b->stack_count - 1] = VALUE_NONE;
    struct path first = b->paths[i->a];
    if (i->b != PATH_NONE && path_compare(first, b->paths[i->b]) == 0)
        return same_operand(b, i, first);
    return NULL;
}

static struct error *check_wrong_arity(struct binder *b, const struct instruction *i) {
    return FAIL(b,
                "Incorrect number of operands for operator or function; operator or function: %s, "
                "number of operands: %u",
                function_name((enum ast_function)i->a), i->b);
}

static struct error *check_requires_path(struct binder *b, const struct instruction *i) {
    return requires_path(b, function_name((enum ast_function)i->a));
}

/* ---- programs ---- */

static check_function *const checks[OPCODE_COUNT] = {
#define CONDITION_OPCODE(symbol, name, check, run) check,
#define UPDATE_OPCODE(symbol, name, check, run) check,
#include "expr/opcodes.def"
};

static struct error *check_code(struct binder *b, uint16_t first, uint16_t count) {
    const struct instruction *code = b->program->is.code + first;
    for (uint16_t n = 0; n < count; n++)
        TRY(checks[code[n].op](b, &code[n]));
    return NULL;
}

/* Sorts the paths on the way. */
static struct error *check_clash(struct binder *b, const struct path *paths, uint16_t count) {
    b->targets = path_set_sort(b->arena, paths, count);
    struct path_clash clash = path_set_clash(&b->targets);
    if (clash.relation == PATHS_APART)
        return NULL;
    return FAIL(b,
                "Two document paths %s with each other; must remove or rewrite one of these paths; "
                "path one: %.*s, path two: %.*s",
                clash.relation == PATHS_OVERLAP ? "overlap" : "conflict",
                SLICE_ARGS(path_text(b->arena, paths[clash.one])),
                SLICE_ARGS(path_text(b->arena, paths[clash.two])));
}

static struct error *check_projection(struct binder *b) {
    uint16_t count = b->program->is.path_count;
    for (uint16_t i = 0; i < count; i++)
        TRY(check_path(b, i));
    return check_clash(b, b->paths, count);
}

static struct error *check_targets(struct binder *b) {
    const struct program_arrays *is = &b->program->is;
    struct path *targets = arena_alloc(b->arena, is->action_count * sizeof(*targets));
    for (uint16_t i = 0; i < is->action_count; i++) {
        TRY(check_names(b, is->actions[i].path));
        targets[i] = b->paths[is->actions[i].path];
    }
    return check_clash(b, targets, is->action_count);
}

/* The #names that an action reads. */
static struct error *check_value_names(struct binder *b, const struct action *action) {
    const struct instruction *code = b->program->is.code + action->code_first;
    for (uint16_t n = 0; n < action->code_count; n++)
        if (code[n].op == OP_LOAD_PATH || code[n].op == OP_IF_NOT_EXISTS)
            TRY(check_names(b, code[n].a));
    return NULL;
}

static const char *long_type_name(enum value_type type) {
    static const char *const names[VALUE_TYPE_COUNT] = {
        [VALUE_NONE] = "",         [VALUE_S] = "STRING",      [VALUE_N] = "NUMBER",
        [VALUE_B] = "BINARY",      [VALUE_BOOL] = "BOOLEAN",  [VALUE_NULL] = "NULL",
        [VALUE_SS] = "STRING_SET", [VALUE_NS] = "NUMBER_SET", [VALUE_BS] = "BINARY_SET",
        [VALUE_L] = "LIST",        [VALUE_M] = "MAP",
    };
    return names[type];
}

/* ADD takes numbers and sets, in the older API also lists; DELETE takes sets. */
static struct error *check_add_or_delete(struct binder *b, const struct action *action) {
    const struct instruction *load = b->program->is.code + action->code_first;
    enum value_type type = value_type(b->values[load->a]);
    bool adds = action->section == SECTION_ADD;
    if (value_type_is_set(type) || (adds && type == VALUE_N) ||
        (adds && type == VALUE_L && b->program->attribute_updates))
        return NULL;
    const char *name = section_name((enum update_section)action->section);
    return FAIL(b,
                "Incorrect operand type for operator or function; operator: %s, operand type: %s, "
                "typeSet: ALLOWED_FOR_%s_OPERAND",
                name, long_type_name(type), name);
}

static struct error *check_action(struct binder *b, const struct action *action) {
    b->stack_count = 0;
    TRY(check_path(b, action->path));
    TRY(check_code(b, action->code_first, action->code_count));
    if (action->section == SECTION_ADD || action->section == SECTION_DELETE)
        return check_add_or_delete(b, action);
    return NULL;
}

static struct error *check_update(struct binder *b) {
    const struct program_arrays *is = &b->program->is;
    TRY(check_targets(b));
    for (uint16_t i = is->action_count; i-- > 0;)
        TRY(check_value_names(b, &is->actions[i]));
    for (uint16_t i = is->action_count; i-- > 0;)
        TRY(check_action(b, &is->actions[i]));
    return NULL;
}

struct error *bind_check(struct binder *b) {
    if (b->program->kind == EXPR_UPDATE)
        return check_update(b);
    if (b->program->kind == EXPR_PROJECTION)
        return check_projection(b);
    return check_code(b, 0, b->program->is.code_count);
}
