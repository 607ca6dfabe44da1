/* pipeline.c - the one place that shows the whole path of a request:
 *
 *   find the operation - authenticate - decode - check constraints - validate - authorize - run
 *     - where a long body is decoded, checked and validated on a worker thread
 *     - answered at once (most reads)
 *     - or after the commit thread is done with it (writes)
 *     - or when items have come from a store that is far away
 *     - or on a worker thread (long reads)
 *     - or handed on to the server that has the items, where several write
 *   - where another server leads: asked whether it had changed what was known here, before a write
 *     and after a read
 *   - reply (end_call.c)
 *
 * Threads: everything here runs on the exchange's I/O thread, except run_elsewhere and
 * read_elsewhere, which run on a worker, and wake, which may run on any. Memory: the exchange's
 * arena. */
#include "pipeline/pipeline.h"

#include "base/container.h"
#include "base/leniency.h"
#include "http/reply.h"
#include "ops/item/shares.h"
#include "ops/item/write_call.h"
#include "ops/permission/permission.h"
#include "pipeline/authorize.h"
#include "pipeline/contexts.h"
#include "pipeline/end_call.h"
#include "pipeline/fault_call.h"
#include "pipeline/faults.h"
#include "pipeline/operation.h"
#include "pipeline/service_route.h"

/* A longer body is not read on an I/O thread: the worst that there are take a microsecond for ten
 * bytes. */
enum { BODY_BYTES_ELSEWHERE = 128 * 1024 };

static struct pipeline_call *of_call(struct op_call *call) {
    return call->user;
}

/* ---- waiting ---- */

static void resume_after_wait(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    struct pipeline_call *self = exchange->user;
    end_call(self, self->call.op->finish(&self->call));
}

static void resume_after_worker(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    struct pipeline_call *self = exchange->user;
    end_call(self, self->error);
}

/* Right after the commit, of whose sync the last time tells. */
static void note_commit(struct call_times *times, const struct pipeline_thread *thread) {
    times->committed = ticks_now();
    times->sync_ns = counter_read(thread->slow->last_sync_ns);
}

static void note_wake(struct call_times *times, const struct pipeline_thread *thread,
                      const struct op_call *call) {
    if (call->fetches)
        times->fetched = ticks_now();
    else
        note_commit(times, thread);
}

static void wake(struct op_call *call) {
    struct exchange *exchange = of_call(call)->exchange;
    if (__builtin_expect(of_call(call)->times != NULL, 0))
        note_wake(of_call(call)->times, exchange->thread_context, call);
    exchange->task.run = resume_after_wait;
    net_loop_post(exchange->loop, &exchange->task);
}

/* A step of the call, on a worker: with a context that is nobody else's meanwhile. */
static struct error *step_elsewhere(struct pipeline_call *self,
                                    struct error *(*step)(struct pipeline_call *self)) {
    struct pipeline_thread *thread = self->exchange->thread_context;
    self->call.context = contexts_take(thread->contexts);
    struct error *error = step(self);
    contexts_give(thread->contexts, self->call.context);
    self->call.context = &thread->ops;
    return error;
}

static struct error *run_long(struct pipeline_call *self) {
    return self->call.op->run(&self->call, &self->state);
}

static void run_elsewhere(struct worker_task *task) {
    struct pipeline_call *self = container_of(task, struct pipeline_call, task);
    struct exchange *exchange = self->exchange;
    if (self->times != NULL)
        self->times->worker = ticks_now();
    self->error = step_elsewhere(self, run_long);
    if (self->times != NULL)
        self->times->worked = ticks_now();
    exchange->crc32_known = self->error == NULL && !exchange->reply.overflow;
    if (exchange->crc32_known)
        exchange->crc32 = http_crc32(buffer_slice(&exchange->reply));
    exchange->task.run = resume_after_worker;
    net_loop_post(exchange->loop, &exchange->task);
}

/* ---- the path ---- */

/* The clock is asked once for all requests of a round of the loop: it may be a system call. One
 * that tests move is asked each time. */
static int64_t throttle_time(struct pipeline_thread *thread, const struct net_loop *loop) {
    uint64_t loop_ms = net_loop_now_ms(loop);
    if (loop_ms != thread->throttle_loop_ms || thread->test_clock != NULL) {
        thread->throttle_loop_ms = loop_ms;
        thread->throttle_ms = clock_now_ms(thread->ops.clock);
    }
    return thread->throttle_ms;
}

static struct error *run(struct pipeline_call *self) {
    struct pipeline_thread *thread = self->exchange->thread_context;
    if (__builtin_expect(thread->ops.throttle != NULL, 0))
        self->call.throttled_at_ms = throttle_time(thread, self->exchange->loop);
    return self->call.op->run(&self->call, &self->state);
}

/* ---- where several servers write ---- */

static void submit(struct pipeline_call *self) {
    self->submitted = true;
    write_call_submit_deferred(&self->call);
}

static void submit_after_confirming(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    struct pipeline_call *self = exchange->user;
    if (self->confirmation.good) {
        submit(self);
    } else {
        release_call(self);
        exchange_try_again(exchange);
    }
}

/* Who may write, and what tables are like, was true after the request came: what is changed from
 * here on is none of its business, or is noticed by the commit. */
static void place_writes(struct pipeline_call *self) {
    struct exchange *exchange = self->exchange;
    const struct pipeline_thread *thread = exchange->thread_context;
    const struct shares *shares = thread->shares;
    uint8_t owner = shares == NULL ? 0 : shares_owner(shares, &self->call);
    if (shares != NULL && owner != shares->here) {
        release_call(self);
        shares->hand_on(exchange, owner);
    } else if (thread->confirming == NULL) {
        submit(self);
    } else {
        self->confirmation.exchange = exchange;
        exchange->task.run = submit_after_confirming;
        thread->confirming->ask(thread->confirming->user, &self->confirmation);
    }
}

/* It has run, or failed: what follows is told by its state. */
static void proceed(struct pipeline_call *self, struct error *error) {
    const struct pipeline_thread *thread = self->exchange->thread_context;
    if (__builtin_expect(self->times != NULL, 0))
        self->times->ran = ticks_now();
    if (error != NULL || self->state == OP_DONE) {
        end_call(self, error);
    } else if (self->state == OP_ELSEWHERE) {
        self->call.elsewhere = true;
        self->task.run = run_elsewhere;
        workers_submit(thread->workers, &self->task);
    } else if (__builtin_expect(self->call.deferred != NULL, 0)) {
        place_writes(self);
    }
}

static void run_after_fault(struct net_task *task) {
    struct pipeline_call *self = container_of(task, struct exchange, task)->user;
    const struct fault *fault = self->fault;
    struct error *error = NULL;
    self->dropped = fault->drop;
    if (fault->has_error)
        error = fault_error(fault, &self->call);
    else if (fault->drop)
        error = error_without_text(self->call.arena, ERROR_SERVICE_UNAVAILABLE);
    else
        error = run(self);
    proceed(self, error);
}

static struct error *check_json(struct arena *arena, struct slice body) {
    struct json_reader reader;
    json_reader_init(&reader, body, arena);
    return json_finish(&reader) ? NULL : error_without_text(arena, ERROR_SERIALIZATION);
}

/* The service reads the body before it looks at anything else, so a body that is no JSON is
 * reported before the `later` error. Only requests that fail pay for that. */
static struct error *after_json(struct exchange *exchange, struct error *later) {
    if (exchange->request.body.len > 0)
        TRY(check_json(&exchange->arena, exchange->request.body));
    return later;
}

/* A body that is no JSON is told first, but only to those who are known. */
static struct error *find_caller(struct pipeline_call *self) {
    struct exchange *exchange = self->exchange;
    const struct pipeline_thread *thread = exchange->thread_context;
    self->step = STEP_AUTHENTICATE;
    struct error *error = authenticate(thread->authenticator, exchange, SLICE_LITERAL("dynamodb"),
                                       thread->ops.account, &self->caller);
    return error == NULL || thread->authenticator != NULL ? error : after_json(exchange, error);
}

/* A caller may say in a header, too, that they mean to lock themselves out. */
struct error *pipeline_ask(struct permission *permission) {
    const struct pipeline_call *self = of_call(permission->call);
    const struct pipeline_thread *thread = self->exchange->thread_context;
    struct slice confirmed = http_request_find(
        &self->exchange->request, SLICE_LITERAL("x-amz-confirm-remove-self-resource-access"));
    if (slice_equal_ignoring_case(confirmed, SLICE_LITERAL("true")))
        return NULL;
    return authorize_permission(common_policy_now(thread->policy), self->exchange, &self->caller,
                                permission);
}

static struct error *open_call(struct pipeline_call *self) {
    struct exchange *exchange = self->exchange;
    struct op_call *call = &self->call;
    struct arena *arena = &exchange->arena;
    if (call->op == NULL) {
        call->number = METER_NO_OPERATION;
        return after_json(exchange, operation_unknown(arena, &exchange->request));
    }
    TRY(find_caller(self));
    self->step = STEP_DECODE;
    if (self->note != NULL)
        audit_note_caller(self->note, arena, &self->caller);
    return exchange->request.body.len > 0 ? NULL : error_without_text(arena, ERROR_SERIALIZATION);
}

static struct error *read_call(struct pipeline_call *self) {
    struct op_call *call = &self->call;
    struct arena *arena = call->arena;
    const struct op *op = call->op;
    call->request = arena_zalloc(arena, op->input->size);
    call->layer = op_layer(op);
    bool lenient = call->context->leniencies & LENIENT_NUMBER_TEXT;
    TRY((lenient ? fields_decode_lenient : fields_decode)(arena, self->exchange->request.body,
                                                          op->input, &call->layer, call->request));
    TRY(fields_check(arena, op->input, call->layer != op_layer(op), call->request));
    self->step = STEP_VALIDATE;
    if (op->validate != NULL)
        TRY(op->validate(call));
    self->step = STEP_RUN;
    return NULL;
}

static struct error *run_call(struct pipeline_call *self) {
    const struct pipeline_thread *thread = self->exchange->thread_context;
    const struct op *op = self->call.op;
    if (self->note != NULL && (op->flags & OP_WRITES))
        audit_note_permissions(self->note, &self->call);
    TRY(authorize_call(common_policy_now(thread->policy), self->exchange, &self->call,
                       &self->caller));
    if (__builtin_expect(self->times != NULL, 0))
        self->times->checked = ticks_now();
    if (__builtin_expect(thread->faults != NULL, 0) && fault_call_take(self, thread->faults)) {
        self->state = OP_WAITING;
        return NULL;
    }
    return run(self);
}

/* The body has been read, or is wrong. */
static void start_call(struct pipeline_call *self, struct error *error) {
    if (error == NULL)
        error = run_call(self);
    if (__builtin_expect(self->fault != NULL && !self->fault->after, 0))
        fault_call_wait(self, run_after_fault); /* it did not run */
    else
        proceed(self, error);
}

static void resume_after_reading(struct net_task *task) {
    struct pipeline_call *self = container_of(task, struct exchange, task)->user;
    start_call(self, self->error);
}

static void read_elsewhere(struct worker_task *task) {
    struct pipeline_call *self = container_of(task, struct pipeline_call, task);
    self->error = step_elsewhere(self, read_call);
    self->exchange->task.run = resume_after_reading;
    net_loop_post(self->exchange->loop, &self->exchange->task);
}

void pipeline_handle(struct exchange *exchange) {
    struct pipeline_thread *thread = exchange->thread_context;
    unsigned number = 0;
    const struct op *op = operation_find(&exchange->request, &number);
    if (op == NULL && service_route_handle(exchange))
        return;
    struct pipeline_call *self = ARENA_NEW(&exchange->arena, struct pipeline_call);
    self->exchange = exchange;
    exchange->user = self;
    self->call.op = op;
    self->call.number = number;
    self->call.context = &thread->ops;
    self->call.arena = &exchange->arena;
    self->call.reply = &exchange->reply;
    self->call.wake = wake;
    self->call.user = self;
    if (thread->auditor != NULL)
        self->note = audit_note_new(exchange);
    if (__builtin_expect(thread->confirming != NULL, 0))
        self->confirmation.known = thread->confirming->known(thread->confirming->user);
    if (__builtin_expect(thread->slow != NULL, 0))
        self->times = ARENA_NEW(&exchange->arena, struct call_times);
    struct error *error = open_call(self);
    if (error == NULL && exchange->request.body.len > BODY_BYTES_ELSEWHERE) {
        self->task.run = read_elsewhere;
        workers_submit(thread->workers, &self->task);
        return;
    }
    start_call(self, error == NULL ? read_call(self) : error);
}
