/* loop.c - a libuv loop with a mailbox and one coarse timer.
 *
 * The mailbox is a lock-free stack that the loop empties whole; only the post that finds it empty
 * wakes the loop. The timer visits all streams every tick, which costs less than arming a timer
 * for every request: a request only stores a number.
 *
 * A stopping loop ends when it has no streams and nobody holds it. */
#include "net/loop.h"

#include <signal.h>

#include "base/check.h"
#include "net/loop_state.h"
#include "net/stream.h"

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

unsigned net_loop_index(const struct net_loop *loop) {
    return loop->index;
}

void *net_loop_context(const struct net_loop *loop) {
    return loop->context;
}

static void end_if_done(struct net_loop *loop) {
    if (!loop->stopping || loop->streams != NULL || loop->holds > 0 ||
        uv_is_closing((uv_handle_t *)&loop->wake))
        return;
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->tick, NULL);
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
    if (loop->options.ticked != NULL)
        loop->options.ticked(loop->options.user, loop->context);
}

void net_loop_add(struct net_loop *loop, struct net_stream *stream) {
    if (loop->streams == NULL)
        CHECK(uv_timer_start(&loop->tick, on_tick, loop->options.tick_ms, loop->options.tick_ms) ==
              0);
    else
        loop->streams->previous = stream;
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
    if (loop->streams == NULL)
        uv_timer_stop(&loop->tick);
    atomic_fetch_sub_explicit(&loop->stream_count, 1, memory_order_relaxed);
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
    CHECK(uv_loop_init(&loop->uv) == 0);
    CHECK(uv_async_init(&loop->uv, &loop->wake, on_wake) == 0);
    CHECK(uv_timer_init(&loop->uv, &loop->tick) == 0);
    loop->wake.data = loop;
    loop->tick.data = loop;
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
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->tick, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    uv_loop_close(&loop->uv);
    return false;
}

static void stop_now(struct net_task *task) {
    struct net_loop *loop =
        (struct net_loop *)((char *)task - offsetof(struct net_loop, stop_task));
    loop->stopping = true;
    loop->stop_at_ms = uv_now(&loop->uv) + loop->stop_grace_ms;
    if (loop->stopped != NULL)
        loop->stopped(loop);
    for (struct net_stream *stream = loop->streams; stream != NULL; stream = stream->next)
        if (!stream->closing && !stream->lingering)
            stream->events->drain(stream);
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
}
