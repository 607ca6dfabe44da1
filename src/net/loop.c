/* loop.c - a libuv loop with a mailbox and one coarse timer.
 *
 * The mailbox is a lock-free stack that the loop empties whole; only the post that finds it empty
 * wakes the loop. The timer visits all streams every tick, which costs less than arming a timer
 * for every request: a request only stores a number.
 *
 * Turns are taken when the loop has heard of all that happened, and again right before it waits:
 * timers and finished writes come between the two. Nobody is freed in between, since libuv calls
 * back about closed handles after that.
 *
 * A stopping loop ends when it has no streams and nobody holds it. */
#include "net/loop.h"

#include <signal.h>

#include "base/check.h"
#include "base/container.h"
#include "net/loop_state.h"
#include "net/peers.h"
#include "net/stream.h"

enum { TURNS_AT_ONCE = 64 };

void net_loop_post(struct net_loop *loop, struct net_task *task) {
    struct net_task *head = atomic_load_explicit(&loop->posted, memory_order_relaxed);
    do
        task->next = head;
    while (!atomic_compare_exchange_weak_explicit(&loop->posted, &head, task, memory_order_release,
                                                  memory_order_relaxed));
    if (head == NULL)
        CHECK(uv_async_send(&loop->wake) == 0);
}

static struct net_task *in_order(struct net_task *newest_first) {
    struct net_task *oldest_first = NULL;
    while (newest_first != NULL) {
        struct net_task *task = newest_first;
        newest_first = task->next;
        task->next = oldest_first;
        oldest_first = task;
    }
    return oldest_first;
}

static void on_wake(uv_async_t *wake) {
    struct net_loop *loop = wake->data;
    struct net_task *task =
        in_order(atomic_exchange_explicit(&loop->posted, NULL, memory_order_acquire));
    while (task != NULL) {
        struct net_task *next = task->next; /* the task may be gone or posted again after run */
        task->run(task);
        task = next;
    }
}

uint64_t net_loop_now_ms(const struct net_loop *loop) {
    return uv_now(&loop->uv);
}

uint64_t net_loop_round_ticks(const struct net_loop *loop) {
    return loop->round_ticks;
}

unsigned net_loop_index(const struct net_loop *loop) {
    return loop->index;
}

void *net_loop_context(const struct net_loop *loop) {
    return loop->context;
}

/* Takes the first streams off the list; NULL when nobody wants a turn. So few at once that the
 * first reply does not wait for too many others, and so many that it pays to do one thing after
 * another. */
static struct net_stream *next_turns(struct net_loop *loop) {
    struct net_stream *first = loop->turns, *last = first;
    if (first == NULL)
        return NULL;
    for (unsigned count = 1; count < TURNS_AT_ONCE && last->turn_next != NULL; count++)
        last = last->turn_next;
    loop->turns = last->turn_next;
    last->turn_next = NULL;
    if (loop->turns == NULL)
        loop->turns_end = &loop->turns;
    return first;
}

static void take_turns(struct net_loop *loop) {
    for (struct net_stream *first; (first = next_turns(loop)) != NULL;) {
        for (struct net_stream *stream = first; stream != NULL; stream = stream->turn_next)
            stream->events->turn(stream);
        for (struct net_stream *stream = first, *next; stream != NULL; stream = next) {
            next = stream->turn_next; /* from here on it may want another one */
            stream->wants_turn = false;
            stream->events->turned(stream);
        }
        if (loop->options.sent != NULL)
            loop->options.sent(loop->options.user, loop->context);
    }
}

static void on_before_wait(uv_prepare_t *handle) {
    take_turns(handle->data);
}

static void on_after_wait(uv_check_t *handle) {
    take_turns(handle->data);
}

static void close_handles(struct net_loop *loop) {
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->tick, NULL);
    uv_close((uv_handle_t *)&loop->before_wait, NULL);
    uv_close((uv_handle_t *)&loop->after_wait, NULL);
}

static void end_if_done(struct net_loop *loop) {
    if (!loop->stopping || loop->streams != NULL || loop->holds > 0 ||
        uv_is_closing((uv_handle_t *)&loop->wake))
        return;
    close_handles(loop);
}

void net_loop_hold(struct net_loop *loop) {
    loop->holds++;
}

void net_loop_unhold(struct net_loop *loop) {
    CHECK(loop->holds > 0);
    loop->holds--;
    end_if_done(loop);
}

static void on_tick(uv_timer_t *tick) {
    struct net_loop *loop = tick->data;
    uint64_t now_ms = uv_now(&loop->uv);
    bool over = loop->stopping && now_ms >= loop->stop_at_ms;
    /* Streams leave the list only in their close callbacks, never during this walk. */
    for (struct net_stream *stream = loop->streams; stream != NULL; stream = stream->next) {
        if (over)
            net_stream_close(stream);
        else
            net_stream_tick(stream, now_ms, loop->options.write_timeout_ms);
    }
    bool wanted =
        loop->options.ticked != NULL && loop->options.ticked(loop->options.user, loop->context);
    if (loop->streams == NULL && !wanted)
        uv_timer_stop(tick);
}

void net_loop_add(struct net_loop *loop, struct net_stream *stream) {
    if (loop->streams != NULL)
        loop->streams->previous = stream;
    else if (!uv_is_active((uv_handle_t *)&loop->tick))
        CHECK(uv_timer_start(&loop->tick, on_tick, loop->options.tick_ms, loop->options.tick_ms) ==
              0);
    stream->previous = NULL;
    stream->next = loop->streams;
    loop->streams = stream;
}

void net_loop_remove(struct net_loop *loop, struct net_stream *stream) {
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else
        loop->streams = stream->next;
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    if (stream->outgoing)
        return;
    atomic_fetch_sub_explicit(&loop->stream_count, 1, memory_order_relaxed);
    net_peers_leave(loop->options.peers, stream->peer);
}

static void *loop_main(void *arg) {
    struct net_loop *loop = arg;
    if (loop->options.thread_start != NULL)
        loop->context = loop->options.thread_start(loop->options.user, loop);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    if (loop->options.thread_stop != NULL)
        loop->options.thread_stop(loop->options.user, loop->context);
    return NULL;
}

void net_loop_init(struct net_loop *loop, unsigned index, const struct net_loop_options *options) {
    loop->index = index;
    loop->options = *options;
    buffer_init(&loop->encrypted, NET_ENCRYPTED_BYTES_MAX);
    CHECK(uv_loop_init(&loop->uv) == 0);
    CHECK(uv_async_init(&loop->uv, &loop->wake, on_wake) == 0);
    CHECK(uv_timer_init(&loop->uv, &loop->tick) == 0);
    CHECK(uv_prepare_init(&loop->uv, &loop->before_wait) == 0);
    CHECK(uv_check_init(&loop->uv, &loop->after_wait) == 0);
    CHECK(uv_prepare_start(&loop->before_wait, on_before_wait) == 0);
    CHECK(uv_check_start(&loop->after_wait, on_after_wait) == 0);
    loop->wake.data = loop;
    loop->tick.data = loop;
    loop->before_wait.data = loop;
    loop->after_wait.data = loop;
    loop->turns_end = &loop->turns;
}

/* Signals are the main thread's business; SIGPIPE, blocked here, becomes a plain write error. */
bool net_loop_start(struct net_loop *loop) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int outcome = pthread_create(&loop->thread, NULL, loop_main, loop);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (outcome == 0)
        return true;
    close_handles(loop);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    uv_loop_close(&loop->uv);
    return false;
}

static void stop_now(struct net_task *task) {
    struct net_loop *loop = container_of(task, struct net_loop, stop_task);
    loop->stopping = true;
    loop->stop_at_ms = uv_now(&loop->uv) + loop->stop_grace_ms;
    if (loop->stopped != NULL)
        loop->stopped(loop);
    for (struct net_stream *stream = loop->streams; stream != NULL; stream = stream->next)
        net_stream_drain(stream);
    end_if_done(loop);
}

void net_loop_stop(struct net_loop *loop, uint32_t grace_ms) {
    loop->stop_grace_ms = grace_ms;
    loop->stop_task.run = stop_now;
    net_loop_post(loop, &loop->stop_task);
}

void net_loop_join(struct net_loop *loop) {
    CHECK(pthread_join(loop->thread, NULL) == 0);
    CHECK(atomic_load(&loop->posted) == NULL);
    CHECK(uv_loop_close(&loop->uv) == 0);
    buffer_release(&loop->encrypted);
}
