/* batch_input.h - the requests of BatchGetItem and BatchWriteItem. */
#ifndef GRAMME_OPS_ITEM_BATCH_INPUT_H
#define GRAMME_OPS_ITEM_BATCH_INPUT_H

#include "ops/request/field.h"

/* An entry of BatchGetItem's RequestItems. */
struct keys_and_attributes {
    struct slice table_name;             /* the map's key: a name or an ARN */
    struct field_list keys;              /* struct field_item */
    struct field_list attributes_to_get; /* struct slice */
    struct field_bool consistent_read;
    struct slice projection_expression;
    struct field_list expression_attribute_names; /* struct field_pair */
};

struct batch_get_item_request {
    struct field_list request_items; /* struct keys_and_attributes */
    struct slice return_consumed_capacity;
};

struct put_request {
    struct field_item item;
};

struct delete_request {
    struct field_item key;
};

struct write_request {
    struct put_request *put_request;       /* NULL: absent */
    struct delete_request *delete_request; /* NULL: absent */
};

struct batch_write_item_request {
    struct field_list request_items; /* struct field_named_list: table name or ARN, lists of struct
                                        write_request */
    struct slice return_consumed_capacity;
    struct slice return_item_collection_metrics;
};

extern const struct shape batch_get_item_shape;
/* An empty RequestItems passes: "The requestItems parameter is required for BatchWriteItem" is the
 * operation's to say. */
extern const struct shape batch_write_item_shape;

#endif
