/* connection_state.h - connections and their endpoint from the inside; for connection*.c, front.c
 * and endpoint.c only. */
#ifndef GRAMME_ENDPOINT_CONNECTION_STATE_H
#define GRAMME_ENDPOINT_CONNECTION_STATE_H

#include <stdatomic.h>

#include "endpoint/endpoint.h"
#include "http/coding.h"
#include "http/date.h"
#include "http/reader.h"
#include "http/request_id.h"
#include "net/server.h"
#include "net/stream.h"

struct connection;

/* Small ones do not wait behind large ones: part of the budget is kept for them. */
enum body_size { BODY_SMALL, BODY_LARGE, BODY_SIZES };

/* Connections whose next body does not fit in the budget, longest first. */
struct connection_queue {
    struct connection *first, *last;
};

/* What one I/O thread shares among its connections. */
struct endpoint_thread {
    struct endpoint *endpoint;
    struct net_loop *loop;
    void *context; /* the pipeline's */
    struct http_date date;
    int64_t date_ms;       /* what the clock said; 0: nothing yet */
    uint64_t date_loop_ms; /* at this time of the loop's */
    struct http_request_ids ids;
    struct guard_seen guard_seen;
    struct http_coder *coder;
    struct buffer packed;                        /* the reply that is being packed */
    struct connection_queue waiting[BODY_SIZES]; /* for memory */
    struct net_task retry_task;
    bool retry_posted;
    _Atomic uint64_t requests; /* written by this thread only */
};

struct endpoint {
    struct endpoint_config config;
    struct arena arena; /* of the config's slices */
    struct guard guard;
    struct net_server *net;
    _Atomic uint64_t memory_used;
    _Atomic uint32_t waiting[BODY_SIZES]; /* connections that wait for memory */
    struct endpoint_thread threads[];     /* config.threads of them */
};

struct connection {
    struct net_stream stream;
    struct exchange exchange;
    struct endpoint *endpoint;
    struct endpoint_thread *thread; /* NULL until opened */
    struct http_reader reader;
    /* [start, len) are bytes of the request being read or handled, and of those behind it. */
    struct buffer input;
    size_t start;
    struct buffer body;   /* unpacked, of a request that was sent packed */
    size_t body_room;     /* what it needs, while it is being unpacked; else 0 */
    struct buffer output; /* replies on their way; large bodies go from exchange.reply instead */
    struct exchange_reply_options answer; /* when replied */
    struct connection *waiting_next;
    enum body_size waiting_size;         /* whose queue it is in, while waiting */
    uint64_t input_charge, reply_charge; /* drawn from the endpoint's memory; input: and body */
    uint64_t began_ms;                   /* when the request's first byte was seen; 0: none yet */
    uint64_t idle_since_ms;
    char request_id[HTTP_REQUEST_ID_BYTES];
    bool handling;  /* the handler has the exchange */
    bool replied;   /* and has given it back */
    bool running;   /* its turn is on the stack */
    bool last;      /* nothing is read after what is being answered */
    bool gentle;    /* the client may still be sending when we close */
    bool draining;  /* the endpoint stops */
    bool waiting;   /* for memory */
    bool continued; /* 100 Continue has been sent for this request */
    bool closed;    /* the stream is gone; freed as soon as the handler has replied */
};

/* Buffers up to this size stay with their connection and do not count for the budget. */
enum { CONNECTION_BUFFER_BYTES = 64 * 1024 };

/* The memory for a connection that was just accepted. */
struct net_stream *connection_accept(void *endpoint, struct net_loop *loop);
/* Something happened: it wants a turn. */
void connection_run(struct connection *connection);
/* Tries again for the connections that wait for memory. */
void connection_retry_waiting(struct endpoint_thread *thread);

/* connection_input.c: room for what comes, within the budget. */
struct net_space connection_space(struct connection *connection);
/* True when the rest of the request can be read now; false: the connection is in the queue. */
bool connection_make_room(struct connection *connection);
/* The same for the body that is being unpacked. */
bool connection_make_body_room(struct connection *connection);
/* Forgets the request that was answered; what came behind it stays. */
void connection_consume(struct connection *connection);
void connection_stop_waiting(struct connection *connection);
void connection_charge_reply(struct connection *connection);
void connection_discharge_reply(struct connection *connection);
void connection_release_input(struct connection *connection);

/* connection_body.c: bodies that were sent packed. */
enum connection_body { BODY_READY, BODY_WAITS, BODY_TOO_LARGE, BODY_BROKEN };
/* Of a complete request. After BODY_WAITS it is called again when the connection has its turn. */
enum connection_body connection_unpack(struct connection *connection);

/* connection_reply.c: exchange and answer to bytes. */
void connection_write_reply(struct connection *connection);
void connection_write_error(struct connection *connection, int status);
/* Sends the output; does nothing while a write is pending or the stream closes. */
void connection_flush(struct connection *connection);

/* front.c: answers what is no API request, hands the rest to the handler. */
void front_handle(struct endpoint_thread *thread, struct exchange *exchange);
/* Answers a request whose body cannot be unpacked. */
void front_refuse_body(struct exchange *exchange);

#endif
