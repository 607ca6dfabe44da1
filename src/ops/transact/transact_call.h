/* transact_call.h - what the operations share that write several items, all or none: submitting the
 * writes, and what is said about them afterwards. */
#ifndef GRAMME_OPS_TRANSACT_TRANSACT_CALL_H
#define GRAMME_OPS_TRANSACT_TRANSACT_CALL_H

#include "engine/write.h"
#include "ops/op.h"

struct transact_call {
    struct write_job job;
    struct write_transaction transaction;
    size_t count;
    /* In the order of the request. A write that has a table holds a reference to it; one that is
     * `refused` is not prepared. */
    struct item_write *writes;
    struct slice *table_names; /* of the writes, as the request gives them */
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
struct error *transact_call_error(struct arena *arena, const struct transact_call *transact);
/* ConsumedCapacity as a member, when it was asked for. */
void transact_call_write_consumed(struct arena *arena, struct json_writer *json,
                                  struct slice return_consumed_capacity,
                                  const struct transact_call *transact);

#endif
