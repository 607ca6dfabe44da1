/* write_call.c - to the engine and back. Threads: the call's I/O thread, except done, which runs on
 * the commit thread. */
#include "ops/item/write_call.h"

static void done(struct write_job *job) {
    struct op_call *call = job->context;
    call->wake(call);
}

void write_call_submit(struct op_call *call, struct write_call *writes) {
    writes->job.arena = call->arena;
    writes->job.context = call;
    writes->job.done = done;
    if (__builtin_expect(call->context->defers, 0))
        call->deferred = &writes->job;
    else
        engine_submit_writes(call->context->engine, &writes->job);
}

void write_call_submit_deferred(struct op_call *call) {
    engine_submit_writes(call->context->engine, call->deferred);
}

struct error *write_call_finish(struct op_call *call, const struct write_call *writes) {
    account_writes(call, &writes->job, writes->table_names);
    return writes->job.error;
}
