/* transact_reads.h - what the operations share that read several items as they were at one moment.
 *
 * The items are read in rounds, so that what is held is bounded whatever the keys name. */
#ifndef GRAMME_OPS_TRANSACT_TRANSACT_READS_H
#define GRAMME_OPS_TRANSACT_TRANSACT_READS_H

#include "engine/read.h"
#include "ops/op.h"
#include "ops/read/call_fetch.h"

struct transact_reads {
    size_t count;
    /* In the order of the request. The caller holds references to the tables. */
    struct read_key *keys;
    struct error **refused;    /* why a key is not one of its table; NULL: it is */
    struct slice *table_names; /* as the request gives them */
    struct stored_item *items; /* what was found; lives as long as its reader */
    struct call_fetch *fetch;  /* NULL: they were not fetched */
};

void transact_reads_init(struct transact_reads *reads, struct arena *arena, size_t count);

/* What is known before anything is read: an item that is named twice, then keys that are refused.
 */
struct error *transact_reads_check(struct arena *arena, const struct transact_reads *reads);
/* The second half of it: what was refused cancels the transaction. Statements look at this first.
 */
struct error *transact_reads_refusal(struct arena *arena, const struct transact_reads *reads);
/* False: too much for the I/O thread. */
bool transact_reads_few(const struct transact_reads *reads);
struct error *transact_reads_get(struct op_call *call, struct reader *reader,
                                 struct transact_reads *reads);
/* The same for few reads of a call that waits for them (read/call_fetch.h): the first half, and the
 * second when they are there. */
struct error *transact_reads_start(struct op_call *call, struct transact_reads *reads);
struct error *transact_reads_finish(struct op_call *call, struct transact_reads *reads);
void transact_reads_release(struct transact_reads *reads);

#endif
