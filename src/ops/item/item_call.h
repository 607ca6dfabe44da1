/* item_call.h - what PutItem, UpdateItem and DeleteItem have in common: one conditional write, and
 * a reply that may show the item. */
#ifndef GRAMME_OPS_ITEM_ITEM_CALL_H
#define GRAMME_OPS_ITEM_ITEM_CALL_H

#include "ops/item/write_call.h"
#include "ops/request/expressions.h"

struct item_call {
    struct expressions expressions;
    struct write_call writes;
    struct item_write write;
    struct slice table_name; /* as the request gave it */
    struct value attributes; /* the Item of a PutItem, the Key of the others */
    struct slice return_values;
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
};

/* The members that the three requests share. */
struct item_call_input {
    struct slice table_name;
    struct value attributes;
    struct slice return_values;
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
    struct slice return_values_on_condition_check_failure;
    const struct field_list *names;
    const struct field_list *values;
};

/* From a request that has the members under their customary names; `item` is its Item or Key. */
#define ITEM_CALL_INPUT(request, item)                                               \
    {                                                                                \
        .table_name = (request)->table_name, .attributes = (request)->item.value,    \
        .return_values = (request)->return_values,                                   \
        .return_consumed_capacity = (request)->return_consumed_capacity,             \
        .return_item_collection_metrics = (request)->return_item_collection_metrics, \
        .return_values_on_condition_check_failure =                                  \
            (request)->return_values_on_condition_check_failure,                     \
        .names = &(request)->expression_attribute_names,                             \
        .values = &(request)->expression_attribute_values,                           \
    }

/* Sets call->work; the caller adds its expressions. */
struct item_call *item_call_new(struct op_call *call, enum write_kind kind,
                                const struct item_call_input *input);

/* What is wrong with the Item or the Key, and "ReturnValues can only be ALL_OLD or NONE", which the
 * older layer says first. */
struct error *item_call_check(struct op_call *call, const struct field_item *attributes);

/* The descriptor's authorize. */
struct error *item_call_authorize(struct op_call *call, const struct permission_check *check);

/* Hands the write to the engine; its table and key are checked. Takes a reference on the table. */
void item_call_submit(struct op_call *call, struct table *table);

/* The descriptor's finish and release. */
struct error *item_call_finish(struct op_call *call);
void item_call_release(struct op_call *call);

#endif
