/* write_call.h - the one path of writes: every operation that changes items hands them to the
 * engine here, and takes them back here when they are done. */
#ifndef GRAMME_OPS_ITEM_WRITE_CALL_H
#define GRAMME_OPS_ITEM_WRITE_CALL_H

#include "engine/write.h"
#include "ops/op.h"

struct write_call {
    struct write_job job;            /* the caller gives its writes, and what they have in common */
    const struct slice *table_names; /* of the writes, as the request gives them */
};

/* The writes are prepared. The call wakes up when they are done, unless its context defers them. */
void write_call_submit(struct op_call *call, struct write_call *writes);
/* What was deferred. */
void write_call_submit_deferred(struct op_call *call);
/* First thing afterwards: the writes go on the call's account. Why none of them happened, or NULL.
 */
struct error *write_call_finish(struct op_call *call, const struct write_call *writes);

#endif
