/* fault_call.c - see fault_call.h. */
#include "pipeline/fault_call.h"

#include "pipeline/faults.h"

bool fault_call_take(struct pipeline_call *self, struct faults *faults) {
    self->fault = faults_take(faults, &self->call);
    if (self->fault == NULL)
        return false;
    self->call.unprocessed = (size_t)self->fault->unprocessed;
    return !self->fault->after;
}

void fault_call_wait(struct pipeline_call *self, void (*then)(struct net_task *task)) {
    struct exchange *exchange = self->exchange;
    const struct pipeline_thread *thread = exchange->thread_context;
    exchange->task.run = then;
    if (self->fault->delay_ms == 0) {
        then(&exchange->task);
        return;
    }
    self->delay = (struct delay){.loop = exchange->loop, .task = &exchange->task};
    delays_put(thread->delays, &self->delay, (uint32_t)self->fault->delay_ms);
}
