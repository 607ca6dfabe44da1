/* loop_state.h - a loop from the inside; for net's own files. */
#ifndef GRAMME_NET_LOOP_STATE_H
#define GRAMME_NET_LOOP_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "net/loop.h"

struct net_stream;

enum { NET_SINK_BYTES = 16 * 1024 };

struct net_loop_options {
    uint32_t tick_ms;
    uint32_t write_timeout_ms;
    void *(*thread_start)(void *user, struct net_loop *loop);
    void (*thread_stop)(void *user, void *context);
    void (*ticked)(void *user, void *context);
    void *user;
};

struct net_loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t tick; /* runs only while there are streams */
    uv_prepare_t before_wait;
    uv_check_t after_wait;
    pthread_t thread;
    unsigned index;
    struct net_loop_options options;
    void *context;
    _Atomic(struct net_task *) posted; /* newest first */
    _Atomic uint32_t stream_count;     /* counted from the moment of accepting */
    struct net_stream *streams;
    struct net_stream *turns, **turns_end; /* who wants a turn, in order */
    uint32_t holds;
    bool stopping;
    uint64_t stop_at_ms; /* when stopping: the end of the grace */
    struct net_task stop_task;
    uint32_t stop_grace_ms;
    void (*stopped)(struct net_loop *loop); /* the server's, when stopping begins; may be NULL */
    uint8_t sink[NET_SINK_BYTES];           /* where unwanted input goes */
};

void net_loop_init(struct net_loop *loop, unsigned index, const struct net_loop_options *options);
/* False: no thread could be had; the loop has been released. */
bool net_loop_start(struct net_loop *loop);
/* From any thread. */
void net_loop_stop(struct net_loop *loop, uint32_t grace_ms);
void net_loop_join(struct net_loop *loop);

/* For stream.c. */
void net_loop_add(struct net_loop *loop, struct net_stream *stream);
void net_loop_remove(struct net_loop *loop, struct net_stream *stream);
/* For loop.c: one stream's part of the tick. */
void net_stream_tick(struct net_stream *stream, uint64_t now_ms, uint32_t write_timeout_ms);

#endif
