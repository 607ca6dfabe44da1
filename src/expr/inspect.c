/* inspect.c - what others need to know about an expression: its paths, whether an update makes an
 * item, and what it costs. */
#include "base/check.h"
#include "expr/bind.h"

/* ---- paths ---- */

static struct error *visit_path(const struct expr *expr, uint16_t path, expr_path_visitor *visit,
                                void *context) {
    struct expr_path_visit seen = {
        .name = expr->paths[path].elements[0].name,
        .nested = expr->paths[path].count > 1,
    };
    return visit(context, &seen);
}

/* What an action gives its target, as far as it is known without an item: the last instruction
 * makes the value, or its other operand when it is if_not_exists. */
static enum value_type assigned_type(const struct expr *expr, const struct action *action) {
    const struct instruction *code = expr->program->is.code + action->code_first;
    size_t last = action->code_count;
    while (last > 0 && code[last - 1].op == OP_END_IF_NOT_EXISTS)
        last--;
    if (last == 0)
        return VALUE_NONE;
    const struct instruction *maker = &code[last - 1];
    if (maker->op == OP_LOAD_VALUE)
        return value_type(expr->values[maker->a]);
    if (maker->op == OP_PLUS || maker->op == OP_MINUS)
        return VALUE_N;
    return maker->op == OP_LIST_APPEND ? VALUE_L : VALUE_NONE;
}

static struct error *visit_action(const struct expr *expr, const struct action *action,
                                  expr_path_visitor *visit, void *context) {
    struct expr_path_visit target = {
        .name = expr->paths[action->path].elements[0].name,
        .nested = expr->paths[action->path].count > 1,
        .target = true,
    };
    if (!target.nested)
        target.assigned_type = assigned_type(expr, action);
    TRY(visit(context, &target));
    const struct instruction *code = expr->program->is.code + action->code_first;
    for (uint16_t n = 0; n < action->code_count; n++)
        if (code[n].op == OP_LOAD_PATH || code[n].op == OP_IF_NOT_EXISTS)
            TRY(visit_path(expr, code[n].a, visit, context));
    return NULL;
}

struct error *expr_visit_paths(const struct expr *expr, expr_path_visitor *visit, void *context) {
    const struct program_arrays *is = &expr->program->is;
    if (expr->program->kind == EXPR_UPDATE) {
        for (uint16_t i = 0; i < is->action_count; i++)
            TRY(visit_action(expr, &is->actions[i], visit, context));
        return NULL;
    }
    for (uint16_t i = 0; i < is->path_count; i++)
        TRY(visit_path(expr, i, visit, context));
    return NULL;
}

bool expr_update_only_takes(const struct expr *update) {
    const struct program_arrays *is = &update->program->is;
    CHECK(update->program->kind == EXPR_UPDATE);
    for (uint16_t i = 0; i < is->action_count; i++)
        if (is->actions[i].section == SECTION_SET || is->actions[i].section == SECTION_ADD)
            return false;
    return true;
}

/* ---- the charge for an update ---- */

/* What the service counts for each part of an UpdateExpression (recorded, exact to the byte). */
enum {
    CHARGE_STATEMENT = 3,
    CHARGE_WRITE = 19, /* SET, ADD */
    CHARGE_TAKE = 1,   /* REMOVE, DELETE */
    CHARGE_TARGET_ELEMENT = 4,
    CHARGE_PATH = 1,
    CHARGE_PATH_ELEMENT = 14,
    CHARGE_PLUS = 34,
    CHARGE_MINUS = 37,
    CHARGE_IF_NOT_EXISTS = 39,
    CHARGE_LIST_APPEND = 37,
};

static size_t element_charge(const struct path_element *element) {
    if (!path_element_is_index(element))
        return element->name.len;
    size_t digits = 1;
    for (uint32_t rest = element->index / 10; rest > 0; rest /= 10)
        digits++;
    return digits;
}

static size_t target_charge(struct path target) {
    size_t charge = target.elements[0].name.len;
    for (uint32_t i = 1; i < target.count; i++)
        charge += CHARGE_TARGET_ELEMENT + element_charge(&target.elements[i]);
    return charge;
}

static size_t path_charge(struct path path) {
    size_t charge = CHARGE_PATH;
    for (uint32_t i = 0; i < path.count; i++)
        charge += CHARGE_PATH_ELEMENT + element_charge(&path.elements[i]);
    return charge;
}

/* A function or operator costs its own charge and those of its operands, so the order in which they
 * are summed up does not matter. */
static size_t instruction_charge(const struct expr *expr, const struct instruction *i) {
    if (i->op == OP_LOAD_VALUE)
        return value_size(expr->values[i->a]);
    if (i->op == OP_LOAD_PATH)
        return path_charge(expr->paths[i->a]);
    if (i->op == OP_IF_NOT_EXISTS)
        return CHARGE_IF_NOT_EXISTS + path_charge(expr->paths[i->a]);
    if (i->op == OP_LIST_APPEND)
        return CHARGE_LIST_APPEND;
    if (i->op == OP_PLUS)
        return CHARGE_PLUS;
    return i->op == OP_MINUS ? CHARGE_MINUS : 0;
}

static size_t action_charge(const struct expr *expr, const struct action *action) {
    size_t target = target_charge(expr->paths[action->path]);
    if (action->section == SECTION_REMOVE || action->section == SECTION_DELETE)
        return CHARGE_TAKE + target;
    size_t charge = CHARGE_WRITE + target;
    const struct instruction *code = expr->program->is.code + action->code_first;
    for (uint16_t n = 0; n < action->code_count; n++)
        charge += instruction_charge(expr, &code[n]);
    return charge;
}

size_t expr_update_charge(const struct expr *update) {
    const struct program_arrays *is = &update->program->is;
    CHECK(update->program->kind == EXPR_UPDATE);
    if (update->program->attribute_updates)
        return 0;
    size_t charge = CHARGE_STATEMENT;
    for (uint16_t i = 0; i < is->action_count; i++)
        charge += action_charge(update, &is->actions[i]);
    return charge;
}
