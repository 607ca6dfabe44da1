/* legacy_input.h - the structures of the parameters that expressions have replaced.
 *
 * Each is the value of a map whose key is the name of a top-level attribute. Checks and meaning are
 * in legacy.h. */
#ifndef GRAMME_OPS_LEGACY_LEGACY_INPUT_H
#define GRAMME_OPS_LEGACY_LEGACY_INPUT_H

#include "ops/request/field.h"

/* KeyConditions, QueryFilter, ScanFilter. */
struct condition {
    struct slice name;
    struct slice comparison_operator;
    struct field_list values; /* AttributeValueList: struct field_item */
};

/* Expected. */
struct expected_attribute {
    struct slice name;
    struct field_item value;
    struct field_bool exists;
    struct slice comparison_operator;
    struct field_list values; /* AttributeValueList: struct field_item */
};

/* AttributeUpdates. */
struct attribute_update {
    struct slice name;
    struct field_item value;
    struct slice action; /* absent: PUT */
};

extern const struct shape condition_shape;
extern const struct shape expected_attribute_shape;
extern const struct shape attribute_update_shape;

#endif
