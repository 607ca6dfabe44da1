/* legacy_comparison.c - the operators, and the rules for their operands. */
#include "ops/legacy/legacy_comparison.h"

#include "base/check.h"
#include "model/value_fault.h"

#define BIT(type) (1U << VALUE_##type)
#define ANY_TYPE UINT32_MAX
#define ORDERED (BIT(S) | BIT(N) | BIT(B))
#define PREFIXED (BIT(S) | BIT(B))

/* NOT_CONTAINS is false for an attribute that does not exist, and so is CONTAINS: recorded. */
static const struct comparison_operator operators[] = {
    {"EQ", NULL, 1, 1, ANY_TYPE, OPERATOR_EQ, KEY_EQ, true, false},
    {"NE", NULL, 1, 1, ANY_TYPE, OPERATOR_NE, KEY_EQ, false, false},
    {"LT", NULL, 1, 1, ORDERED, OPERATOR_LT, KEY_LT, true, false},
    {"LE", NULL, 1, 1, ORDERED, OPERATOR_LE, KEY_LE, true, false},
    {"GT", NULL, 1, 1, ORDERED, OPERATOR_GT, KEY_GT, true, false},
    {"GE", NULL, 1, 1, ORDERED, OPERATOR_GE, KEY_GE, true, false},
    {"BETWEEN", NULL, 2, 2, ORDERED, OPERATOR_BETWEEN, KEY_BETWEEN, true, false},
    {"IN", NULL, 1, SIZE_MAX, ORDERED, OPERATOR_IN, KEY_EQ, false, false},
    {"BEGINS_WITH", "begins_with", 1, 1, PREFIXED, OPERATOR_EQ, KEY_BEGINS_WITH, true, false},
    {"CONTAINS", "contains", 1, 1, ORDERED, OPERATOR_EQ, KEY_EQ, false, false},
    {"NOT_CONTAINS", "contains", 1, 1, ORDERED, OPERATOR_EQ, KEY_EQ, false, true},
    {"NULL", "attribute_not_exists", 0, 0, ANY_TYPE, OPERATOR_EQ, KEY_EQ, false, false},
    {"NOT_NULL", "attribute_exists", 0, 0, ANY_TYPE, OPERATOR_EQ, KEY_EQ, false, false},
};

/* The name passed its constraint, so it is in the table. */
static const struct comparison_operator *find_operator(struct slice name) {
    size_t i = 0;
    while (!slice_is(name, operators[i].name)) {
        i++;
        CHECK(i < sizeof(operators) / sizeof(*operators));
    }
    return &operators[i];
}

/* ---- operands ---- */

static struct error *check_faults(const struct comparison *comparison) {
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->operands[i].fault != NULL)
            return comparison->operands[i].fault;
    return NULL;
}

static struct error *check_types(struct arena *arena, const struct comparison *comparison) {
    enum value_type type = value_type(comparison->operands[0].value);
    for (size_t i = 1; i < comparison->count; i++)
        if (value_type(comparison->operands[i].value) != type)
            return error_request(arena, PVI
                                 "AttributeValues inside AttributeValueList must be of same type");
    if (!(comparison->op->types >> type & 1))
        return error_request(arena,
                             PVI "ComparisonOperator %s is not valid for %s AttributeValue type",
                             comparison->op->name, value_type_name(type));
    return NULL;
}

static struct error *check_operands(struct arena *arena, const struct comparison *comparison) {
    const struct comparison_operator *op = comparison->op;
    const struct field_item *operands = comparison->operands;
    TRY(check_faults(comparison));
    if (comparison->count < op->operands_min || comparison->count > op->operands_max)
        return error_request(
            arena, PVI "Invalid number of argument(s) for the %s ComparisonOperator", op->name);
    if (comparison->count > 0)
        TRY(check_types(arena, comparison));
    if (op->op == OPERATOR_BETWEEN && value_compare(operands[0].value, operands[1].value) > 0)
        return error_request(arena, "The BETWEEN condition was provided a range where the lower "
                                    "bound is greater than the upper bound");
    return NULL;
}

struct error *comparisons_of_conditions(struct arena *arena, const struct field_list *conditions,
                                        struct comparison **ret_comparisons) {
    struct comparison *comparisons = ARENA_ARRAY(arena, struct comparison, conditions->count);
    const struct condition *condition = conditions->items;
    for (size_t i = 0; i < conditions->count; i++, condition++) {
        comparisons[i] = (struct comparison){
            .name = condition->name,
            .op = find_operator(condition->comparison_operator),
            .operands = condition->values.items,
            .count = condition->values.count,
        };
        TRY(attribute_name_check(arena, condition->name));
        TRY(check_operands(arena, &comparisons[i]));
    }
    *ret_comparisons = comparisons;
    return NULL;
}

/* ---- Expected ---- */

/* With a ComparisonOperator: the operands are Value or AttributeValueList, and Exists has no place.
 */
static struct error *check_with_operator(struct arena *arena,
                                         const struct expected_attribute *expected) {
    struct slice op = expected->comparison_operator;
    if (expected->exists.present)
        return error_request(
            arena, PVI "Exists and ComparisonOperator cannot be used together for Attribute: %.*s",
            SLICE_ARGS(expected->name));
    bool has_operands = expected->values.present || value_present(expected->value.value);
    if (!has_operands && find_operator(op)->operands_min > 0)
        return error_request(arena,
                             PVI "Value or AttributeValueList must be used with "
                                 "ComparisonOperator: %.*s for Attribute: %.*s",
                             SLICE_ARGS(op), SLICE_ARGS(expected->name));
    return NULL;
}

/* Without: the attribute has the Value, or does not exist. */
static struct error *check_without_operator(struct arena *arena,
                                            const struct expected_attribute *expected) {
    bool exists = !expected->exists.present || expected->exists.value;
    bool has_value = value_present(expected->value.value);
    if (expected->values.present)
        return error_request(
            arena,
            PVI "AttributeValueList can only be used with a ComparisonOperator for Attribute: %.*s",
            SLICE_ARGS(expected->name));
    if (exists && !has_value)
        return error_request(
            arena, PVI "Value must be provided when Exists is %s for Attribute: %.*s",
            expected->exists.present ? "true" : "null", SLICE_ARGS(expected->name));
    if (!exists && has_value)
        return error_request(arena,
                             PVI "Value cannot be used when Exists is false for Attribute: %.*s",
                             SLICE_ARGS(expected->name));
    return NULL;
}

static struct error *check_form(struct arena *arena, const struct expected_attribute *expected) {
    TRY(attribute_name_check(arena, expected->name));
    if (expected->values.present && value_present(expected->value.value))
        return error_request(
            arena, PVI "Value and AttributeValueList cannot be used together for Attribute: %.*s",
            SLICE_ARGS(expected->name));
    return slice_present(expected->comparison_operator) ? check_with_operator(arena, expected)
                                                        : check_without_operator(arena, expected);
}

/* The form is right. */
static struct comparison comparison_of(const struct expected_attribute *expected) {
    bool has_value = value_present(expected->value.value);
    struct comparison comparison = {
        .name = expected->name,
        .operands = has_value ? &expected->value : expected->values.items,
        .count = has_value ? 1 : expected->values.count,
    };
    struct slice op = expected->comparison_operator;
    if (!slice_present(op))
        op = has_value ? SLICE_LITERAL("EQ") : SLICE_LITERAL("NULL");
    comparison.op = find_operator(op);
    return comparison;
}

struct error *comparisons_of_expected(struct arena *arena, const struct field_list *expected,
                                      struct comparison **ret_comparisons) {
    struct comparison *comparisons = ARENA_ARRAY(arena, struct comparison, expected->count);
    const struct expected_attribute *attributes = expected->items;
    for (size_t i = 0; i < expected->count; i++) {
        TRY(check_form(arena, &attributes[i]));
        comparisons[i] = comparison_of(&attributes[i]);
        TRY(check_operands(arena, &comparisons[i]));
    }
    *ret_comparisons = comparisons;
    return NULL;
}
