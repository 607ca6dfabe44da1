/* transact_call.h - what the operations share that write several items, all or none: submitting the
 * writes, and what is said about them afterwards. */
#ifndef GRAMME_OPS_TRANSACT_TRANSACT_CALL_H
#define GRAMME_OPS_TRANSACT_TRANSACT_CALL_H

#include "ops/item/write_call.h"

struct transact_call {
    struct write_call call;
    struct write_transaction transaction;
    size_t count;
    /* In the order of the request. A write that has a table holds a reference to it; one that is
     * `refused` is not prepared. */
    struct item_write *writes;
    struct slice *table_names; /* of the writes, as the request gives them */
    bool refusal_alone;        /* the first refused write is the only one with a reason */
};

void transact_call_init(struct transact_call *transact, struct arena *arena, size_t count);
/* Gives the tables back. */
void transact_call_release(struct transact_call *transact);

/* "Transaction request cannot include multiple operations on one item" */
struct error *transact_same_item_error(struct arena *arena);

/* Prepares the writes that are not refused, checks that they are on different items, and hands them
 * to the engine. The call wakes up when they are done. */
struct error *transact_call_submit(struct op_call *call, struct transact_call *transact);
/* Afterwards: why nothing happened, or NULL. */
struct error *transact_call_finish(struct op_call *call, const struct transact_call *transact);

#endif
