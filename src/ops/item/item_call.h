/* item_call.h - what PutItem, UpdateItem and DeleteItem have in common: one conditional write, and
 * a reply that may show the item. */
#ifndef GRAMME_OPS_ITEM_ITEM_CALL_H
#define GRAMME_OPS_ITEM_ITEM_CALL_H

#include "ops/item/item_fields.h"
#include "ops/item/write_call.h"
#include "ops/request/expressions.h"

/* What the three requests have in common; that of UpdateItem begins with it. */
struct item_request {
    struct slice table_name;
    struct field_item attributes; /* the Item of a PutItem, the Key of the others */
    struct field_list expected;   /* struct expected_attribute */
    struct slice conditional_operator;
    struct slice return_values;
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
    struct slice return_values_on_condition_check_failure;
    struct slice condition_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

/* The row of the Item or the Key. */
#define ITEM_ATTRIBUTES_FIELD(text)                                                \
    {                                                                              \
        NAMED(text), AT(struct item_request, attributes), .type = FIELD_ITEM,      \
                                                          .flags = FIELD_REQUIRED, \
    }

/* The field table of PutItem and DeleteItem. */
#define ITEM_REQUEST_FIELDS(text)                                                        \
    {                                                                                    \
        RETURN_CONSUMED_CAPACITY_FIELD(item_request), TABLE_NAME_FIELD(item_request),    \
            ITEM_ATTRIBUTES_FIELD(text), RETURN_VALUES_FIELD(item_request, 0),           \
            RETURN_ITEM_COLLECTION_METRICS_FIELD(item_request),                          \
            CONDITIONAL_OPERATOR_FIELD(item_request, 0),                                 \
            RETURN_VALUES_ON_CONDITION_CHECK_FAILURE_FIELD(item_request),                \
            EXPRESSION_FIELD(item_request, condition_expression, "ConditionExpression"), \
            EXPRESSION_ATTRIBUTE_NAMES_FIELD(item_request),                              \
            EXPRESSION_ATTRIBUTE_VALUES_FIELD(item_request),                             \
            LEGACY_FIELD(item_request, expected, "Expected", expected_attribute_shape),  \
            FIELDS_END,                                                                  \
    }

struct item_call {
    const struct item_request *request;
    struct expressions expressions;
    struct write_call writes;
    struct item_write write;
};

/* The update of an UpdateItem; the others have none. */
struct item_call_update {
    struct slice expression;
    bool attribute_updates; /* there are some */
};

/* Sets call->work, and checks which members there are. */
struct error *item_call_new(struct op_call *call, enum write_kind kind,
                            const struct item_call_update *update);

/* What is wrong with the Item or the Key, and "ReturnValues can only be ALL_OLD or NONE", which the
 * older layer says first. */
struct error *item_call_check(struct op_call *call);
/* Expected, or the expressions. */
struct error *item_call_bind(struct op_call *call);

/* The descriptor's authorize. */
struct error *item_call_authorize(struct op_call *call, const struct permission_check *check);

/* Hands the write to the engine; its key is checked. Takes a reference on the table. */
struct error *item_call_submit(struct op_call *call, struct table *table, enum op_state *ret_state);

/* The descriptor's finish and release. */
struct error *item_call_finish(struct op_call *call);
void item_call_release(struct op_call *call);

#endif
