/* legacy_input.c - the field tables of Condition, ExpectedAttributeValue and AttributeValueUpdate.
 */
#include "ops/legacy/legacy_input.h"

#define COMPARISON_OPERATORS \
    "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"

static const struct field condition_fields[] = {
    {NAMED("AttributeValueList"), AT(struct condition, values), .type = FIELD_VALUE_LIST},
    {NAMED("ComparisonOperator"), AT(struct condition, comparison_operator), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED, .enum_text = COMPARISON_OPERATORS},
    FIELDS_END,
};
const struct shape condition_shape = {"Condition", sizeof(struct condition), condition_fields};

static const struct field expected_attribute_fields[] = {
    {NAMED("Value"), AT(struct expected_attribute, value), .type = FIELD_VALUE},
    {NAMED("Exists"), AT(struct expected_attribute, exists), .type = FIELD_BOOLEAN},
    {NAMED("ComparisonOperator"), AT(struct expected_attribute, comparison_operator),
     .type = FIELD_STRING, .enum_text = COMPARISON_OPERATORS},
    {NAMED("AttributeValueList"), AT(struct expected_attribute, values), .type = FIELD_VALUE_LIST},
    FIELDS_END,
};
const struct shape expected_attribute_shape = {
    "ExpectedAttributeValue", sizeof(struct expected_attribute), expected_attribute_fields};

static const struct field attribute_update_fields[] = {
    {NAMED("Value"), AT(struct attribute_update, value), .type = FIELD_VALUE},
    {NAMED("Action"), AT(struct attribute_update, action), .type = FIELD_STRING,
     .enum_text = "[ADD, PUT, DELETE]"},
    FIELDS_END,
};
const struct shape attribute_update_shape = {
    "AttributeValueUpdate", sizeof(struct attribute_update), attribute_update_fields};
