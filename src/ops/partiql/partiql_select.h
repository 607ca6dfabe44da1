/* partiql_select.h - SELECT: pages of one or several ranges, or of a whole table or index. */
#ifndef GRAMME_OPS_PARTIQL_PARTIQL_SELECT_H
#define GRAMME_OPS_PARTIQL_PARTIQL_SELECT_H

#include "ops/partiql/partiql_call.h"
#include "ops/partiql/partiql_token.h"
#include "ops/read/read_page.h"

struct partiql_select {
    struct partiql_call *statement;
    struct read_page page;
    struct read_range *ranges;
    size_t range_count;
    size_t range_at;
    struct partiql_token token;
};

struct partiql_select_input {
    bool consistent;
    int64_t limit; /* 0: none */
    struct slice next_token;
    struct slice return_consumed_capacity;
};

/* Checks the statement against its table and finds the ranges. */
struct error *partiql_select_prepare(struct op_call *call, struct partiql_call *statement,
                                     const struct partiql_select_input *input,
                                     struct partiql_select *select);
/* Reads and writes the reply, as read_page_run(). */
struct error *partiql_select_run(struct op_call *call, struct partiql_select *select,
                                 enum op_state *ret_state);
void partiql_select_release(struct partiql_select *select);

#endif
