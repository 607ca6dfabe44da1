/* end_call.c - see end_call.h. */
#include "pipeline/end_call.h"

#include "base/container.h"
#include "ops/read/call_fetch.h"
#include "pipeline/audit_call.h"
#include "pipeline/error_reply.h"
#include "pipeline/fault_call.h"
#include "pipeline/faults.h"

static void reply_now(struct pipeline_call *self, struct error *error) {
    if (__builtin_expect(self->dropped, 0))
        exchange_reply_with(self->exchange, &(struct exchange_reply_options){.drop = true});
    else if (error != NULL)
        error_reply(self->exchange, &self->call, error);
    else
        exchange_reply(self->exchange, 200);
}

/* ---- what is to be confirmed ---- */

/* Nobody hears of it, and nobody counts it, before it is known that it was true. */
static bool is_unconfirmed(const struct pipeline_call *self) {
    const struct pipeline_thread *thread = self->exchange->thread_context;
    return __builtin_expect(thread->confirming != NULL, 0) && !self->submitted;
}

/* Of what was not true any more nothing happened: it only read. */
static void start_anew(struct pipeline_call *self) {
    account_let_go(&self->call.account);
    exchange_try_again(self->exchange);
}

static void resume_after_confirming(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    struct pipeline_thread *thread = exchange->thread_context;
    struct pipeline_call *self = exchange->user;
    if (!self->confirmation.good) {
        start_anew(self);
        return;
    }
    meter_call(&thread->meter, &self->call, self->error, exchange->began);
    account_let_go(&self->call.account);
    reply_now(self, self->error);
}

/* At the store for reads that may be a moment old. */
static bool failed_there(const struct pipeline_call *self, const struct error *error) {
    return error != NULL && self->call.eventual &&
           (error->code == ERROR_LOCAL || error->code == ERROR_INTERNAL_SERVER_ERROR);
}

static void confirm(struct pipeline_call *self, struct error *error) {
    const struct pipeline_thread *thread = self->exchange->thread_context;
    if (failed_there(self, error)) { /* then it is read once more, elsewhere */
        call_eventual_failed(&self->call);
        start_anew(self);
        return;
    }
    self->error = error;
    self->confirmation.exchange = self->exchange;
    self->exchange->task.run = resume_after_confirming;
    thread->confirming->ask(thread->confirming->user, &self->confirmation);
}

static void reply(struct pipeline_call *self, struct error *error) {
    if (is_unconfirmed(self))
        confirm(self, error);
    else
        reply_now(self, error);
}

/* ---- what goes wrong on purpose ---- */

static void reply_after_fault(struct net_task *task) {
    struct pipeline_call *self = container_of(task, struct exchange, task)->user;
    reply(self, self->error);
}

/* The call is done and released; what the client hears of it is another matter. */
static void fault_after(struct pipeline_call *self, struct error *error) {
    self->dropped = self->fault->drop;
    self->error = self->fault->has_error ? fault_error(self->fault, &self->call) : error;
    fault_call_wait(self, reply_after_fault);
}

/* ---- the end ---- */

static void look_at_times(const struct pipeline_call *self, const struct error *error) {
    struct exchange *exchange = self->exchange;
    const struct pipeline_thread *thread = exchange->thread_context;
    if (slow_log_wants(thread->slow, exchange->began))
        slow_log_write(thread->slow, &(struct slow_call){&self->call, self->times, error,
                                                         exchange->request_id, exchange->began});
}

void release_call(struct pipeline_call *self) {
    const struct op *op = self->call.op;
    if (self->step >= STEP_VALIDATE && op->release != NULL)
        op->release(&self->call);
}

/* A read whose reply found no memory is forgotten, and done once more when there is some. What a
 * write did cannot be forgotten. */
static bool try_again(struct pipeline_call *self) {
    struct exchange *exchange = self->exchange;
    if (!exchange_lacks_memory(exchange) || (self->call.op->flags & OP_WRITES))
        return false;
    release_call(self);
    exchange_try_again(exchange);
    return true;
}

/* A request for nothing that there is was nobody's, and denied to nobody. */
static enum audit_reach audit_reach(const struct pipeline_call *self) {
    if (self->step == STEP_AUTHENTICATE)
        return AUDIT_UNPROVED;
    return self->step == STEP_RUN ? AUDIT_VALID : AUDIT_READ;
}

/* The account can be read until the call is released. */
void end_call(struct pipeline_call *self, struct error *error) {
    struct exchange *exchange = self->exchange;
    struct pipeline_thread *thread = exchange->thread_context;
    if (error == NULL && exchange->reply.overflow) {
        if (try_again(self))
            return;
        error = error_reply_overflow(exchange);
    }
    if (self->note != NULL)
        audit_call(exchange, self->note, &self->call, audit_reach(self), error);
    if (is_unconfirmed(self))
        account_keep(&self->call.account);
    else
        meter_call(&thread->meter, &self->call, error, exchange->began);
    if (__builtin_expect(self->times != NULL, 0))
        look_at_times(self, error);
    release_call(self);
    if (__builtin_expect(self->fault != NULL && self->fault->after, 0))
        fault_after(self, error);
    else
        reply(self, error);
}
