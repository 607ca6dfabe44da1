/* condition.c - evaluating one condition.
 *
 * An absent key fails a condition, satisfies a negated one, and satisfies any that ends in
 * IfExists; ForAllValues holds for it, having nothing to object to, and ForAnyValue does not, with
 * IfExists neither. */
#include "base/check.h"
#include "base/date.h"
#include "policy/state.h"

static const struct condition_operator operators[] = {
#define OPERATOR(name, kind, negated, accepts) {name, kind, negated, accepts},
#include "policy/operators.def"
#undef OPERATOR
};

const struct condition_operator *condition_operator_find(struct slice name) {
    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
        if (slice_is(name, operators[i].name))
            return &operators[i];
    return NULL;
}

/* ---- numbers and dates ---- */

struct decimal {
    bool negative;
    struct slice whole;    /* digits without zeroes in front */
    struct slice fraction; /* digits without zeroes at the end */
};

static size_t digit_count(struct slice text) {
    size_t count = 0;
    while (count < text.len && text.data[count] >= '0' && text.data[count] <= '9')
        count++;
    return count;
}

static bool decimal_read(struct slice text, struct decimal *ret_decimal) {
    struct decimal decimal = {.negative = text.len > 0 && text.data[0] == '-'};
    if (text.len > 0 && (text.data[0] == '-' || text.data[0] == '+'))
        text = slice_skip(text, 1);
    decimal.whole = slice_first(text, digit_count(text));
    struct slice rest = slice_skip(text, decimal.whole.len);
    if (decimal.whole.len == 0)
        return false;
    if (rest.len > 0) {
        decimal.fraction = slice_skip(rest, 1);
        if (rest.data[0] != '.' || decimal.fraction.len == 0 ||
            digit_count(decimal.fraction) != decimal.fraction.len)
            return false;
    }
    while (decimal.whole.len > 0 && decimal.whole.data[0] == '0')
        decimal.whole = slice_skip(decimal.whole, 1);
    while (decimal.fraction.len > 0 && decimal.fraction.data[decimal.fraction.len - 1] == '0')
        decimal.fraction.len--;
    if (decimal.whole.len == 0 && decimal.fraction.len == 0)
        decimal.negative = false;
    *ret_decimal = decimal;
    return true;
}

bool decimal_compare(struct slice a, struct slice b, int *ret_order) {
    struct decimal x, y;
    if (!decimal_read(a, &x) || !decimal_read(b, &y))
        return false;
    int order;
    if (x.negative != y.negative) {
        *ret_order = x.negative ? -1 : 1;
        return true;
    }
    if (x.whole.len != y.whole.len)
        order = x.whole.len < y.whole.len ? -1 : 1;
    else
        order = slice_compare(x.whole, y.whole);
    if (order == 0)
        order = slice_compare(x.fraction, y.fraction);
    *ret_order = x.negative ? -order : order;
    return true;
}

static bool date_compare(struct slice given, int64_t wanted, int *ret_order) {
    int64_t seconds;
    if (!date_read(given, &seconds))
        return false;
    *ret_order = (seconds > wanted) - (seconds < wanted);
    return true;
}

static bool accepts(const struct condition_operator *op, int order) {
    unsigned bit = order < 0 ? LESS : order > 0 ? GREATER : EQUAL;
    return (op->accepts & bit) != 0;
}

/* ---- one value ---- */

static bool operand_matches(const struct condition_operator *op, const struct operand *operand,
                            const struct policy_values *values, struct slice given) {
    int order;
    switch (op->kind) {
    case OPERAND_TEXT:
    case OPERAND_TEXT_ANY_CASE:
    case OPERAND_PATTERN:
        return pattern_matches(&operand->pattern, values, given);
    case OPERAND_ARN:
        return arn_pattern_matches(operand->arn, values, given);
    case OPERAND_BOOL:
        return slice_is(given, operand->truth ? "true" : "false");
    case OPERAND_NUMBER:
        return decimal_compare(given, operand->text, &order) && accepts(op, order);
    case OPERAND_DATE:
        return date_compare(given, operand->seconds, &order) && accepts(op, order);
    case OPERAND_ADDRESS:
        return address_range_contains(operand->range, given);
    case OPERAND_BINARY: /* bytes have one text */
        return slice_equal(given, operand->text);
    case OPERAND_NULL:
        break;
    }
    CHECK(false); /* Null looks at no value */
}

static bool value_holds(const struct condition *condition, const struct policy_values *values,
                        struct slice given) {
    for (size_t i = 0; i < condition->operand_count; i++)
        if (operand_matches(condition->op, &condition->operands[i], values, given))
            return !condition->op->negated;
    return condition->op->negated;
}

/* ---- all of them ---- */

/* "true": the key shall be absent. */
static bool null_holds(const struct condition *condition, bool absent) {
    for (size_t i = 0; i < condition->operand_count; i++)
        if (condition->operands[i].truth == absent)
            return true;
    return false;
}

static bool absent_holds(const struct condition *condition) {
    if (condition->scope != SCOPE_SINGLE)
        return condition->scope == SCOPE_ALL;
    return condition->if_exists || condition->op->negated;
}

bool condition_holds(const struct condition *condition, const struct policy_values *values) {
    const struct policy_values given = policy_values_of(values, &condition->use);
    if (condition->op->kind == OPERAND_NULL)
        return null_holds(condition, given.count == 0);
    if (given.count == 0)
        return absent_holds(condition);
    bool any = condition->scope == SCOPE_ANY;
    for (size_t i = 0; i < given.count; i++)
        if (value_holds(condition, values, given.list[i]) == any)
            return any;
    return !any;
}
