/* connection_state.h - connections and their endpoint from the inside; for connection*.c, front.c
 * and endpoint.c only. */
#ifndef GRAMME_ENDPOINT_CONNECTION_STATE_H
#define GRAMME_ENDPOINT_CONNECTION_STATE_H

#include <stdatomic.h>

#include "endpoint/endpoint.h"
#include "endpoint/relayed.h"
#include "http/coding.h"
#include "http/date.h"
#include "http/reader.h"
#include "http/request_id.h"
#include "net/server.h"
#include "net/stream.h"

struct connection;

/* The endpoint's budgets: for requests as they come, and for what is made of them. */
enum memory_kind { MEMORY_INPUT, MEMORY_WORK, MEMORY_KINDS };

/* Connections for which a budget has no room, longest first. */
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
    struct buffer packed; /* the reply that is being packed */
    struct connection_queue waiting[MEMORY_KINDS][BUDGET_SHARES];
    struct net_task retry_task;
    bool retry_posted;
    _Atomic uint64_t requests; /* written by this thread only */
};

struct endpoint {
    struct endpoint_config config;
    struct arena arena; /* of the config's slices */
    struct guard guard;
    struct net_server *net;
    struct net_sockets sockets; /* which are net's: for their addresses */
    struct budget budgets[MEMORY_KINDS];
    _Atomic uint64_t freed;           /* bytes that were given back lately */
    _Atomic uint64_t freed_ms;        /* when the last of them were, by some loop's time */
    struct endpoint_thread threads[]; /* config.threads of them */
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
    struct relayed *relayed; /* who really asks; NULL: whoever is at the other end */
    bool relayed_read;       /* of this request */
    struct buffer body;      /* unpacked, of a request that was sent packed */
    size_t body_room;        /* what it needs, while it is being unpacked; else 0 */
    /* MEMORY_INPUT: of input. MEMORY_WORK: of body, exchange.arena and exchange.reply; it belongs
     * to the thread that has the exchange. */
    struct allowance memory[MEMORY_KINDS];
    struct buffer output; /* replies on their way; large bodies go from exchange.reply instead */
    struct exchange_reply_options answer; /* when replied */
    struct connection *waiting_next;
    enum memory_kind waiting_for;        /* while waiting */
    enum budget_share waiting_share;     /* likewise */
    bool (*retry)(struct connection *c); /* likewise: true when it need not wait any more */
    uint64_t waiting_since_ms;           /* likewise */
    size_t reply_room;                   /* what the handler needs to try again */
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
    bool parked;    /* the handler gave the exchange back, to try again when there is memory */
    bool tls_owed;  /* what TLS holds of a reply that is stuck is counted */
    bool continued; /* 100 Continue has been sent for this request */
    bool closed;    /* the stream is gone; freed as soon as the handler has replied */
};

enum {
    /* Buffers up to this size stay with their connection until it rests, or others need them. */
    CONNECTION_BUFFER_BYTES = 64 * 1024,
    /* What a connection has before it draws on a budget: a head, and a small request with its arena
     * and reply. */
    CONNECTION_INPUT_BYTES = 20 * 1024,
    CONNECTION_WORK_BYTES = 32 * 1024,
};

/* The memory for a connection that was just accepted. */
struct net_stream *connection_accept(void *endpoint, struct net_loop *loop);
/* Something happened: it wants a turn. */
void connection_run(struct connection *connection);
/* The request cannot be read to its end: says so, and ends the connection. */
void connection_refuse(struct connection *connection, int status);

/* connection_memory.c: the budgets, and who waits for them. Sees to it that there is so much;
 * false: the connection is in a queue, until `retry` returns true. */
bool connection_reserve(struct connection *connection, enum memory_kind kind, size_t bytes,
                        bool (*retry)(struct connection *c));
/* What was drawn and is not needed any more goes to those who wait. */
void connection_settle(struct connection *connection, enum memory_kind kind);
/* Half of it is in use: what is kept for convenience should be given back. */
bool connection_is_tight(const struct connection *connection, enum memory_kind kind);
void connection_stop_waiting(struct connection *connection);
/* At each tick of the thread; false: it needs no more of them. */
bool connection_tick_memory(struct endpoint_thread *thread);

/* connection_input.c: room for what comes, within the budget. */
struct net_space connection_space(struct connection *connection);
/* True when the rest of the request can be read now; false: the connection is in the queue. */
bool connection_make_room(struct connection *connection);
/* Forgets the request that was answered; what came behind it stays. */
void connection_consume(struct connection *connection);
void connection_release_input(struct connection *connection);

/* connection_body.c: bodies that were sent packed. */
enum connection_body { BODY_READY, BODY_WAITS, BODY_TOO_LARGE, BODY_BROKEN, BODY_UNAFFORDABLE };
/* Of a complete request. After BODY_WAITS it is called again when the connection has its turn. */
enum connection_body connection_unpack(struct connection *connection);
/* Whether there is memory for what the handler makes of the request; likewise. */
bool connection_may_begin(struct connection *connection);

/* connection_relay.c: the line before a request that another server hands on. False: it is not
 * there yet, or wrong. */
bool connection_read_relayed(struct connection *connection);

/* connection_reply.c: exchange and answer to bytes. */
/* The reply has gone, or will not. */
void connection_discharge_reply(struct connection *connection);
/* No write is pending any more. */
void connection_forget_pending(struct connection *connection);
void connection_write_reply(struct connection *connection);
void connection_write_error(struct connection *connection, int status);
/* Sends the output; does nothing while a write is pending or the stream closes. */
void connection_flush(struct connection *connection);

/* front.c: answers what is no API request, hands the rest to the handler. */
void front_handle(struct endpoint_thread *thread, struct exchange *exchange);
/* Answers a request whose body cannot be unpacked. */
void front_refuse_body(struct exchange *exchange);
/* Answers a request for which there is no memory. */
void front_refuse_memory(struct exchange *exchange);

#endif
