/* loop_state.h - a loop from the inside; for net's own files. */
#ifndef GRAMME_NET_LOOP_STATE_H
#define GRAMME_NET_LOOP_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "base/buffer.h"
#include "net/loop.h"
#include "net/stream.h"

struct net_peers;
struct tls_server;

enum { NET_SINK_BYTES = 16 * 1024, NET_ENCRYPTED_BYTES_MAX = 256 * 1024 };

struct net_loop_options {
    uint32_t tick_ms;
    uint32_t write_timeout_ms;
    struct tls_server *tls; /* as in struct net_server_options */
    uint32_t handshake_timeout_ms;
    struct slice plain_answer;
    struct net_peers *peers;
    void *(*thread_start)(void *user, struct net_loop *loop);
    void (*thread_stop)(void *user, void *context);
    bool (*ticked)(void *user, void *context);
    void (*sent)(void *user, void *context);
    void *user;
};

struct net_loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t tick; /* runs only while there are streams, or somebody wants it to */
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
    uint64_t round_ticks;                  /* when the first of them came */
    uint32_t holds;
    bool stopping;
    uint64_t stop_at_ms; /* when stopping: the end of the grace */
    struct net_task stop_task;
    uint32_t stop_grace_ms;
    void (*stopped)(struct net_loop *loop); /* the server's, when stopping begins; may be NULL */
    struct buffer encrypted;                /* output of the TLS stream that is at work */
    uint8_t sink[NET_SINK_BYTES];           /* where input goes that is unwanted, or encrypted */
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
/* For loop.c: one stream's part of the tick, and of the end. */
void net_stream_tick(struct net_stream *stream, uint64_t now_ms, uint32_t write_timeout_ms);
void net_stream_drain(struct net_stream *stream);

/* For stream_tls.c: what came, or why nothing did. */
void net_stream_read(uv_stream_t *tcp, ssize_t len, const uv_buf_t *buf);
void net_stream_ended(struct net_stream *stream);
/* The next bytes to hand to the socket: of a long reply only a piece, so that the loop's other
 * streams have their turn between two pieces. */
unsigned net_stream_next_piece(const struct net_stream *stream, uv_buf_t *ret_bufs,
                               size_t *ret_len);
/* Takes `len` bytes off the front of what is unsent. */
void net_stream_unsent_skip(struct net_stream *stream, size_t len);

/* stream_tls.c, for the others: life, */
void net_stream_tls_open(struct net_stream *stream, struct tls_server *server);
void net_stream_tls_begin(struct net_stream *stream); /* who connects has the first word */
void net_stream_tls_end(struct net_stream *stream);   /* says that nothing more comes, if it can */
void net_stream_tls_free(struct net_stream *stream);
/* output: as net_stream_write(), of what is unsent, */
enum net_write_result net_stream_tls_write(struct net_stream *stream);
/* and input. False: it is not time to read. */
bool net_stream_tls_resume(struct net_stream *stream);
void net_stream_tls_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf);
void net_stream_tls_read(uv_stream_t *tcp, ssize_t len, const uv_buf_t *buf);

#endif
