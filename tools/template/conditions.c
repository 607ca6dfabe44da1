/* conditions.c - conditions and their functions. Each is worked out once, when something asks for
 * it; one that depends on itself is an error. */
#include "template/resolve.h"

enum { CONDITION_OPERANDS_MAX = 10 };

static struct error *is_equal(struct template *t, const struct function_call *call,
                              bool *ret_truth) {
    const struct node *const *items;
    const struct node *sides[2] = {NULL, NULL};
    TRY(call_items(t, call, 2, 2, &items));
    for (size_t i = 0; i < 2; i++) {
        TRY(resolve_text(t, items[i], &sides[i]));
        if (sides[i]->kind == NODE_UNKNOWN)
            return template_error(t, sides[i]->mark, "%.*s", SLICE_ARGS(sides[i]->text));
    }
    *ret_truth = slice_equal(sides[0]->text, sides[1]->text);
    return NULL;
}

/* All operands are worked out, so that a mistake in one shows whatever the others say. */
static struct error *is_all_or_any(struct template *t, const struct function_call *call, bool all,
                                   bool *ret_truth) {
    const struct node *const *items;
    TRY(call_items(t, call, 2, CONDITION_OPERANDS_MAX, &items));
    bool truth = all;
    for (size_t i = 0; i < call->argument->count; i++) {
        bool operand = false;
        TRY(condition_evaluate(t, items[i], &operand));
        truth = all ? truth && operand : truth || operand;
    }
    *ret_truth = truth;
    return NULL;
}

static struct error *is_not(struct template *t, const struct function_call *call, bool *ret_truth) {
    const struct node *const *items;
    bool operand = false;
    TRY(call_items(t, call, 1, 1, &items));
    TRY(condition_evaluate(t, items[0], &operand));
    *ret_truth = !operand;
    return NULL;
}

static struct error *evaluate(struct template *t, const struct node *node, bool *ret_truth) {
    if (node->kind != NODE_MAPPING || node->count != 1)
        return template_error(t, node->mark,
                              "a condition is one of Fn::Equals, Fn::And, Fn::Or, "
                              "Fn::Not and Condition");
    struct function_call call = {node->members[0].name, node->members[0].mark,
                                 node->members[0].value};
    if (slice_is(call.name, "Fn::Equals"))
        return is_equal(t, &call, ret_truth);
    if (slice_is(call.name, "Fn::And") || slice_is(call.name, "Fn::Or"))
        return is_all_or_any(t, &call, slice_is(call.name, "Fn::And"), ret_truth);
    if (slice_is(call.name, "Fn::Not"))
        return is_not(t, &call, ret_truth);
    if (slice_is(call.name, "Condition") && call.argument->kind == NODE_SCALAR)
        return template_condition(t, call.argument->text, call.mark, ret_truth);
    return template_error(t, call.mark, "%.*s cannot be a condition", SLICE_ARGS(call.name));
}

struct error *condition_evaluate(struct template *t, const struct node *node, bool *ret_truth) {
    TRY(resolve_charge(t, sizeof(struct function_call), node->mark));
    if (t->depth == RESOLVE_DEPTH_MAX)
        return template_error(t, node->mark, "conditions are nested too deep");
    t->depth++;
    struct error *error = evaluate(t, node, ret_truth);
    t->depth--;
    return error;
}

struct error *template_condition(struct template *t, struct slice name, struct mark mark,
                                 bool *ret_truth) {
    const struct node_member *member = node_find_named(t->conditions, name);
    if (member == NULL)
        return template_error(t, mark, "there is no condition '%.*s'", SLICE_ARGS(name));
    struct template_condition *state = &t->condition_states[member - t->conditions->members];
    if (state->progress == UNDER_WAY)
        return template_error(t, member->mark, "condition %.*s depends on itself",
                              SLICE_ARGS(name));
    if (state->progress == NOT_BEGUN) {
        state->progress = UNDER_WAY;
        TRY(condition_evaluate(t, member->value, &state->truth));
        state->progress = DONE;
    }
    *ret_truth = state->truth;
    return NULL;
}
