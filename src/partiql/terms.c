/* terms.c - recognising conditions on keys. */
#include "partiql/terms.h"

#include "base/check.h"

static bool is_name(const struct node *node, struct slice name) {
    return node->kind == NODE_PATH && node->path.count == 1 &&
           slice_equal(node->path.first->name, name);
}

static bool is_value(const struct node *node) {
    return node->kind == NODE_VALUE;
}

/* As the operator reads with its sides exchanged, or as it is. */
static bool comparing(enum operator_kind op, bool exchanged, enum key_operator *ret_op) {
    switch (op) {
    case SIGN_EQ:
        *ret_op = KEY_EQ;
        return true;
    case SIGN_LT:
        *ret_op = exchanged ? KEY_GT : KEY_LT;
        return true;
    case SIGN_LE:
        *ret_op = exchanged ? KEY_GE : KEY_LE;
        return true;
    case SIGN_GT:
        *ret_op = exchanged ? KEY_LT : KEY_GT;
        return true;
    case SIGN_GE:
        *ret_op = exchanged ? KEY_LE : KEY_GE;
        return true;
    case SIGN_NE:
    case SIGN_BETWEEN:
    case SIGN_NOT_BETWEEN:
    case SIGN_IN:
    case SIGN_NOT_IN:
    case SIGN_IS:
    case SIGN_IS_NOT:
    case SIGN_AND:
    case SIGN_OR:
    case SIGN_NOT:
    case SIGN_PLUS:
    case SIGN_MINUS:
    case SIGN_OTHER:
        break;
    }
    return false;
}

static bool comparison(const struct node *node, struct slice name, struct key_condition *ret) {
    const struct node *left = node->first, *right = node->last;
    ret->upper = VALUE_ABSENT;
    if (is_name(left, name) && is_value(right)) {
        ret->value = right->value;
        return comparing(node->op, false, &ret->op);
    }
    if (is_value(left) && is_name(right, name)) {
        ret->value = left->value;
        return comparing(node->op, true, &ret->op);
    }
    return false;
}

static bool between(const struct node *node, struct slice name, struct key_condition *ret) {
    const struct node *low = node->first->next;
    if (!is_name(node->first, name) || !is_value(low) || !is_value(low->next))
        return false;
    ret->op = KEY_BETWEEN;
    ret->value = low->value;
    ret->upper = low->next->value;
    return true;
}

static bool begins_with(const struct node *node, struct slice name, struct key_condition *ret) {
    if (!slice_is(node->text, "begins_with") || node->count != 2 || !is_name(node->first, name) ||
        !is_value(node->last))
        return false;
    ret->op = KEY_BEGINS_WITH;
    ret->value = node->last->value;
    ret->upper = VALUE_ABSENT;
    return true;
}

bool term_condition(const struct node *node, struct slice name,
                    struct key_condition *ret_condition) {
    ret_condition->name = name;
    if (node->kind == NODE_CALL)
        return begins_with(node, name, ret_condition);
    if (node->kind != NODE_OPERATOR)
        return false;
    if (node->op == SIGN_BETWEEN)
        return between(node, name, ret_condition);
    return node->count == 2 && comparison(node, name, ret_condition);
}

bool term_in(const struct node *node, struct slice name) {
    if (node->kind != NODE_OPERATOR || node->op != SIGN_IN || !is_name(node->first, name))
        return false;
    for (const struct node *member = node->last->first; member != NULL; member = member->next)
        if (!is_value(member))
            return false;
    return true;
}

struct error *term_in_visit(const struct node *node, term_value_visitor *visit, void *context) {
    const struct node *list = node->last;
    for (const struct node *member = list->first; member != NULL; member = member->next)
        TRY(visit(context, member->value));
    if (list->kind != NODE_VALUE)
        return NULL;
    struct value_iter iter;
    value_iter_init(&iter, list->value);
    while (value_iter_next(&iter))
        TRY(visit(context, iter.value));
    return NULL;
}

static struct error *take_value(void *context, struct value value) {
    *(struct value *)context = value;
    return NULL;
}

bool term_in_one(const struct node *node, struct slice name, struct key_condition *ret_condition) {
    if (!term_in(node, name))
        return false;
    const struct node *list = node->last;
    bool one = list->kind == NODE_VALUE
                   ? value_type(list->value) == VALUE_L && value_count(list->value) == 1
                   : list->count == 1;
    if (!one)
        return false;
    *ret_condition = (struct key_condition){.name = name, .op = KEY_EQ, .upper = VALUE_ABSENT};
    struct error *error = term_in_visit(node, take_value, &ret_condition->value);
    CHECK(error == NULL);
    return true;
}

bool term_negates(const struct node *node, struct slice name) {
    if (node->kind != NODE_OPERATOR)
        return false;
    if (node->op == SIGN_NE || node->op == SIGN_NOT_IN || node->op == SIGN_NOT_BETWEEN)
        return is_name(node->first, name) || is_name(node->last, name);
    if (node->op != SIGN_NOT)
        return false;
    struct key_condition ignored;
    return term_condition(node->first, name, &ignored) || term_in(node->first, name);
}

struct error *term_check_value(struct arena *arena, const struct key_attribute *attribute,
                               struct value value) {
    enum value_type type = value_type(value);
    if (type != VALUE_S && type != VALUE_N && type != VALUE_B)
        return error_validation(
            arena, "Key value must be of type S, N, or B. Key name: %.*s, Key type: %s",
            SLICE_ARGS(attribute->name), value_type_name(type));
    if (type != attribute->type)
        return error_validation(arena,
                                "Key attribute's data type should match its data type in table's "
                                "schema: Key %.*s",
                                SLICE_ARGS(attribute->name));
    return NULL;
}

struct error *term_check_type(struct arena *arena, const struct key_attribute *attribute,
                              const struct key_condition *condition) {
    TRY(term_check_value(arena, attribute, condition->value));
    return condition->op == KEY_BETWEEN ? term_check_value(arena, attribute, condition->upper)
                                        : NULL;
}
