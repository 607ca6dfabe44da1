/* connection_memory.c - the endpoint's two budgets, and the connections that wait for them.
 *
 * Each thread has its own queues. Who gives something back has its own thread's queues looked at at
 * once, those of the others at their next tick.
 *
 * What was freed stays in the allocator, for whoever comes next. When much was, and nothing more is
 * for a moment, the endpoint's owner is told, who can give it back to the system.
 *
 * Threads: the connection's own; only the budgets and the counters are shared. */
#include "base/check.h"
#include "base/container.h"
#include "endpoint/connection_state.h"

enum {
    FREED_BYTES_MIN = 8 * 1024 * 1024, /* below, giving back is not worth the while */
    CALM_MS = 1000,
};

static void retry_queue(struct endpoint_thread *thread, const struct connection_queue *queue) {
    while (queue->first != NULL) {
        struct connection *c = queue->first;
        if (!c->retry(c))
            return;
        connection_stop_waiting(c);
        c->began_ms = net_loop_now_ms(thread->loop); /* its client was not to blame */
        connection_run(c);
    }
}

static void retry_waiting(struct endpoint_thread *thread) {
    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        for (int share = 0; share < BUDGET_SHARES; share++)
            retry_queue(thread, &thread->waiting[kind][share]);
}

static void retry_now(struct net_task *task) {
    struct endpoint_thread *thread = container_of(task, struct endpoint_thread, retry_task);
    thread->retry_posted = false;
    retry_waiting(thread);
    net_loop_unhold(thread->loop);
}

static bool has_waiting(const struct endpoint_thread *thread) {
    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        for (int share = 0; share < BUDGET_SHARES; share++)
            if (thread->waiting[kind][share].first != NULL)
                return true;
    return false;
}

/* The loop is held until the task has run: who waits may be the last one and be closed before
 * that. */
static void post_retry(struct endpoint_thread *thread) {
    if (thread->retry_posted || !has_waiting(thread))
        return;
    thread->retry_posted = true;
    thread->retry_task.run = retry_now;
    net_loop_hold(thread->loop);
    net_loop_post(thread->loop, &thread->retry_task);
}

void connection_settle(struct connection *c, enum memory_kind kind) {
    struct allowance *allowance = &c->memory[kind];
    size_t before = allowance->drawn;
    if (before == 0 || !allowance_settle(allowance))
        return;
    struct endpoint *endpoint = c->endpoint;
    atomic_fetch_add_explicit(&endpoint->freed, before - allowance->drawn, memory_order_relaxed);
    atomic_store_explicit(&endpoint->freed_ms, net_loop_now_ms(c->thread->loop),
                          memory_order_relaxed);
    post_retry(c->thread);
}

bool connection_is_tight(const struct connection *c, enum memory_kind kind) {
    const struct budget *budget = &c->endpoint->budgets[kind];
    return budget_used(budget) > budget->limit / 2;
}

/* ---- the queues ---- */

static void start_waiting(struct connection *c, enum memory_kind kind, enum budget_share share,
                          bool (*retry)(struct connection *c)) {
    struct connection_queue *queue = &c->thread->waiting[kind][share];
    c->waiting = true;
    c->waiting_for = kind;
    c->waiting_share = share;
    c->waiting_since_ms = net_loop_now_ms(c->thread->loop);
    c->waiting_next = NULL;
    c->retry = retry;
    if (queue->last == NULL)
        queue->first = c;
    else
        queue->last->waiting_next = c;
    queue->last = c;
    atomic_fetch_add_explicit(&c->endpoint->budgets[kind].waiting[share], 1, memory_order_relaxed);
}

void connection_stop_waiting(struct connection *c) {
    if (!c->waiting)
        return;
    struct connection_queue *queue = &c->thread->waiting[c->waiting_for][c->waiting_share];
    struct connection *before = NULL;
    for (struct connection *at = queue->first; at != c; at = at->waiting_next)
        before = at;
    if (before == NULL)
        queue->first = c->waiting_next;
    else
        before->waiting_next = c->waiting_next;
    if (queue->last == c)
        queue->last = before;
    c->waiting = false;
    atomic_fetch_sub_explicit(&c->endpoint->budgets[c->waiting_for].waiting[c->waiting_share], 1,
                              memory_order_relaxed);
}

/* Who comes new goes behind those already there. What is drawn and not held, for the request
 * before or for a try that failed, is given back first: it may be less than is needed now, and who
 * waits must not keep others waiting. */
bool connection_reserve(struct connection *c, enum memory_kind kind, size_t bytes,
                        bool (*retry)(struct connection *c)) {
    struct allowance *allowance = &c->memory[kind];
    size_t wanted = bytes > allowance->own ? bytes - allowance->own : 0;
    if (wanted <= allowance->drawn)
        return true;
    connection_settle(c, kind);
    enum budget_share share = budget_share_of(wanted);
    bool in_turn = c->waiting || c->thread->waiting[kind][share].first == NULL;
    if (in_turn && allowance_reserve(allowance, wanted))
        return true;
    if (!c->waiting)
        start_waiting(c, kind, share, retry);
    return false;
}

/* ---- ticks ---- */

/* Of several threads that see this one tells it. */
static bool tell_freed(struct endpoint_thread *thread) {
    struct endpoint *endpoint = thread->endpoint;
    uint64_t freed = atomic_load_explicit(&endpoint->freed, memory_order_relaxed);
    if (freed < FREED_BYTES_MIN || endpoint->config.memory_freed == NULL)
        return false;
    uint64_t last_ms = atomic_load_explicit(&endpoint->freed_ms, memory_order_relaxed);
    if (net_loop_now_ms(thread->loop) < last_ms + CALM_MS)
        return true;
    if (atomic_compare_exchange_strong_explicit(&endpoint->freed, &freed, 0, memory_order_relaxed,
                                                memory_order_relaxed))
        endpoint->config.memory_freed(endpoint->config.user);
    return false;
}

bool connection_tick_memory(struct endpoint_thread *thread) {
    retry_waiting(thread);
    return tell_freed(thread);
}
