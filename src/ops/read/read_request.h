/* read_request.h - what the requests of Query and Scan have in common, and the steps that both take
 * before the page is read. */
#ifndef GRAMME_OPS_READ_READ_REQUEST_H
#define GRAMME_OPS_READ_READ_REQUEST_H

#include "ops/item/item_fields.h"
#include "ops/read/read_page.h"

struct permission;

/* Both requests begin with it. */
struct read_request {
    struct slice table_name;
    struct slice index_name;
    struct slice select;
    struct field_list attributes_to_get; /* struct slice */
    struct field_int limit;
    struct field_bool consistent_read;
    struct field_list filter; /* QueryFilter or ScanFilter: struct condition */
    struct slice conditional_operator;
    struct field_item exclusive_start_key;
    struct slice return_consumed_capacity;
    struct slice projection_expression;
    struct slice filter_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

#define SELECT_FIELD(request)                                                                     \
    {                                                                                             \
        NAMED("Select"), AT(struct request, select),                                              \
            .type = FIELD_STRING,                                                                 \
            .enum_text = "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]" \
    }

/* The page that is asked for, which becomes call->work; the caller adds its own expressions. */
struct read_page *read_request_page(struct op_call *call);

/* Which members there are. `filter`: what the request calls its filter; `key_conditions`: it has
 * both KeyConditions and the expression. */
struct error *read_request_check_members(struct op_call *call, const char *filter,
                                         bool key_conditions);
struct error *read_request_bind_filter(struct op_call *call);
/* A broken rule inside ExclusiveStartKey. */
struct error *read_request_check_start(struct op_call *call);
/* The expressions, and what Select may be combined with; `prefix` is put before those texts. */
struct error *read_request_bind(struct op_call *call, const char *prefix);

/* Adds to a permission what both have in common, and asks for it. */
struct error *read_request_ask(struct op_call *call, const struct permission_check *check,
                               struct permission *permission);

/* The checks that need the table, in the operation's own order: page->range has the table and the
 * start key. */
typedef struct error *read_request_prepare(struct op_call *call, struct read_page *page);

/* For the descriptor's run, and its release. */
struct error *read_request_run(struct op_call *call, read_request_prepare *prepare,
                               enum op_state *ret_state);
void read_request_release(struct op_call *call);

#endif
