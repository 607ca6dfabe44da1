/* item_fields.h - rows of field tables that several data-plane operations share. Each macro is one
 * row for the request struct `request`, whose member has the customary name. The tables themselves
 * are in the operations' files, in the order in which the service reports constraint errors. */
#ifndef GRAMME_OPS_ITEM_ITEM_FIELDS_H
#define GRAMME_OPS_ITEM_ITEM_FIELDS_H

#include "ops/legacy/legacy_input.h"

/* The data plane; TABLE_NAME_FIELD_OLDER is for what still runs on its older layer. */
#define TABLE_NAME_FIELD(request)                                                              \
    {                                                                                          \
        NAMED("TableName"), AT(struct request, table_name),                                    \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED | FIELD_TABLE_NAME | FIELD_NEW_FORM, \
            .resource = RESOURCE_TABLE, LENGTH(1, 1024)                                        \
    }
#define TABLE_NAME_FIELD_OLDER(request)                                       \
    {                                                                         \
        NAMED("TableName"), AT(struct request, table_name),                   \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED | FIELD_TABLE_NAME, \
            .resource = RESOURCE_TABLE, LENGTH(1, 1024)                       \
    }

#define RETURN_CONSUMED_CAPACITY_FIELD(request)                                        \
    {                                                                                  \
        NAMED("ReturnConsumedCapacity"), AT(struct request, return_consumed_capacity), \
            .type = FIELD_STRING, .enum_text = "[INDEXES, TOTAL, NONE]"                \
    }

#define RETURN_ITEM_COLLECTION_METRICS_FIELD(request)                                             \
    {                                                                                             \
        NAMED("ReturnItemCollectionMetrics"), AT(struct request, return_item_collection_metrics), \
            .type = FIELD_STRING, .enum_text = "[SIZE, NONE]"                                     \
    }

/* The current layer misspells UPDATED_NEW; what it accepts is the older layer's list. */
#define RETURN_VALUES_FIELD(request, more_flags)                                               \
    {                                                                                          \
        NAMED("ReturnValues"), AT(struct request, return_values),                              \
            .type = FIELD_STRING, .flags = (more_flags),                                       \
            .enum_text = "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",                 \
            .enum_error = "Failed to satisfy constraint: Member must satisfy enum value set: " \
                          "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"                  \
    }

/* Likewise: the current layer prints ALL for AND. */
#define CONDITIONAL_OPERATOR_FIELD(request, more_flags)                                       \
    {                                                                                         \
        NAMED("ConditionalOperator"), AT(struct request, conditional_operator),               \
            .type = FIELD_STRING, .flags = (more_flags), .enum_text = "[OR, AND]",            \
            .enum_error =                                                                     \
                "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]" \
    }

#define RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(request)           \
    {                                                                     \
        NAMED("ReturnValuesOnConditionCheckFailure"),                     \
            AT(struct request, return_values_on_condition_check_failure), \
            .type = FIELD_STRING, .enum_text = "[ALL_OLD, NONE]"          \
    }

#define EXPRESSION_FIELD(request, member, text) \
    { NAMED(text), AT(struct request, member), .type = FIELD_STRING }

#define EXPRESSION_ATTRIBUTE_NAMES_FIELD(request)                                          \
    {                                                                                      \
        NAMED("ExpressionAttributeNames"), AT(struct request, expression_attribute_names), \
            .type = FIELD_STRING_MAP                                                       \
    }
#define EXPRESSION_ATTRIBUTE_VALUES_FIELD(request)                                           \
    {                                                                                        \
        NAMED("ExpressionAttributeValues"), AT(struct request, expression_attribute_values), \
            .type = FIELD_VALUE_MAP                                                          \
    }

#define ATTRIBUTES_TO_GET_FIELD(request)                                  \
    {                                                                     \
        NAMED("AttributesToGet"), AT(struct request, attributes_to_get),  \
            .type = FIELD_STRING_LIST, .flags = FIELD_SORTED, AT_LEAST(1) \
    }

#define CONSISTENT_READ_FIELD(request) \
    { NAMED("ConsistentRead"), AT(struct request, consistent_read), .type = FIELD_BOOLEAN }

#define KEY_FIELD(request) \
    { NAMED("Key"), AT(struct request, key), .type = FIELD_ITEM, .flags = FIELD_REQUIRED }

/* A map of the legacy API; `of` is the shape of its values (legacy_input.h). */
#define LEGACY_FIELD(request, member, text, of) \
    { NAMED(text), AT(struct request, member), .type = FIELD_STRUCT_MAP, .shape = &(of) }

#endif
