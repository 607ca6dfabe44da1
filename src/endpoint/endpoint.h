/* endpoint.h - HTTP over sockets for the pipeline: requests in, replies out.
 *
 * An endpoint listens at an address and runs I/O threads. Each complete request becomes an
 * exchange, handed to the handler on the thread of its connection. The handler writes the body
 * into exchange->reply and calls exchange_reply(): at once, or later, but on that same thread
 * (other threads come back with net_loop_post(exchange->loop, &exchange->task)). Every exchange is
 * replied to exactly once; until then the exchange and all it points to stay valid, even when the
 * client is gone. After exchange_reply() the handler must not touch it.
 *
 * What is no API request never reaches the handler: a body that is too large or cannot be unpacked,
 * pages that may not ask (guard.h), CORS preflights, the health check, paths of our own, unknown
 * methods, paths and content types are answered here. The handler sees POST requests for "/" with
 * an empty body or a JSON content type.
 *
 * Requests of one connection are handled one after another, their replies leave in order.
 * Memory: one arena, input and reply buffer per connection, reused from request to request and
 * given back when the connection rests. Each connection has an allowance of its own; what goes
 * beyond is drawn from one of two budgets for the whole endpoint, before it is allocated: what is
 * read from that for requests, what is made of it - unpacked bodies, arenas, replies - from that
 * for work. Who waits for the first holds nothing of either; who waits for the second may hold
 * some of the first, which nobody who holds the second ever waits for. */
#ifndef GRAMME_ENDPOINT_ENDPOINT_H
#define GRAMME_ENDPOINT_ENDPOINT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "endpoint/guard.h"
#include "http/request.h"
#include "net/loop.h"

struct tls_server;

struct endpoint_limits {
    uint32_t connections_max;
    uint32_t connections_per_peer_max; /* of one address that is not this machine's */
    uint32_t header_bytes_max;         /* request line and headers; 64 KiB at most */
    uint32_t body_bytes_max;
    uint32_t reply_bytes_max;
    /* Of requests as they come, all connections together, besides what each has of its own. One
     * that does not fit waits. The last quarter is kept for bodies up to 1 MiB. */
    uint64_t memory_bytes_max;
    /* Of what is made of them, likewise. */
    uint64_t work_bytes_max;
    uint32_t idle_timeout_ms;    /* between two requests */
    uint32_t header_timeout_ms;  /* from a request's first byte to the end of its headers; also the
                                    time for a handshake */
    uint32_t request_timeout_ms; /* from a request's first byte to its last */
    uint32_t write_timeout_ms;   /* without progress while a reply is sent */
    uint32_t memory_timeout_ms;  /* for memory to work with; then a request is refused */
    uint32_t tick_ms;            /* how coarse these times are */
};

struct endpoint_limits endpoint_limits_default(void);

struct exchange {
    struct http_request request; /* valid until exchange_reply() */
    struct arena arena;          /* empty when the handler is called */
    struct buffer reply;         /* the body; empty when the handler is called */
    struct slice request_id;     /* what x-amzn-RequestId will say, for logs */
    uint64_t began;              /* in ticks (base/ticks.h): when it was complete */
    struct net_loop *loop;       /* of this connection's thread */
    void *thread_context;        /* what thread_start() returned for that thread */
    struct net_task task;        /* the handler's own: for its way back to the thread */
    void *user;                  /* the handler's own; NULL when the handler is called */
    /* Called once when the handler gives the exchange back, whether replied to or to try again;
     * NULL, which it is when the handler is called: nobody is. */
    void (*ended)(struct exchange *exchange);
    /* A handler that made a long body on another thread may have taken its checksum there, too. */
    bool crc32_known;
    uint32_t crc32;
    bool secure;     /* it came encrypted */
    bool plain_json; /* the request came as application/json: the reply goes out as that */
};

/* The client's address, in the exchange's arena; absent when it cannot be known any more. */
struct slice exchange_peer(struct exchange *exchange);

/* The name in the certificate that the client had to show (net_stream_client()), likewise. */
struct slice exchange_client(struct exchange *exchange);

/* The request as it is handed on to another server: its bytes as they came, behind a line that
 * tells who sent them (relayed.h). A body that came in chunks is one chunk. In the exchange's
 * arena, but for the body: that is where it is. */
struct exchange_wire {
    struct slice head;
    struct slice body;
    struct slice end;
};
struct exchange_wire exchange_as_it_came(struct exchange *exchange);

typedef void exchange_handler(struct exchange *exchange);

/* Whether the reply has overflown because the endpoint had no memory for it. */
bool exchange_lacks_memory(const struct exchange *exchange);

/* Instead of a reply, when nothing happened that must not happen again: the handler gets the
 * exchange once more, as if it were new. Where there was no memory for the reply that is as soon as
 * there is some for twice as much; when that takes too long the client hears
 * ServiceUnavailableException. */
void exchange_try_again(struct exchange *exchange);

/* The JSON content type that the request asked for. */
static inline struct slice exchange_json_type(const struct exchange *exchange) {
    return exchange->plain_json ? SLICE_LITERAL("application/json")
                                : SLICE_LITERAL("application/x-amz-json-1.0");
}

/* Sends exchange->reply with that content type. */
void exchange_reply(struct exchange *exchange, int status);

struct exchange_reply_options {
    int status;
    struct slice content_type; /* absent: no such header */
    struct slice headers;      /* more header lines, each ended by CRLF; copied */
    enum http_coding coding;   /* of the body, when it is packed already */
    bool close;                /* end the connection after this reply */
    bool drop;                 /* end it without a reply */
};

void exchange_reply_with(struct exchange *exchange, const struct exchange_reply_options *options);

enum { PASSED_FD = 3 };

struct endpoint_config {
    struct slice host; /* a name or an address, IPv4 or IPv6 */
    uint16_t port;     /* 0: any free one */
    /* File descriptors from PASSED_FD on that whoever started the process listens at: instead of
     * host and port. 0: none. */
    unsigned passed_fds;
    unsigned leniencies; /* base/leniency.h */
    bool loopback_only;  /* it is an error if others than this machine reach it */
    unsigned threads;    /* I/O threads, at least 1 */
    struct endpoint_limits limits;
    struct tls_server *tls;           /* NULL: what comes is plain */
    bool relayed;                     /* what comes is handed on by other servers: relayed.h */
    struct guard_names allow_hosts;   /* names besides its own that it answers to */
    struct guard_names allow_origins; /* whose web pages may ask; "*": all */
    const struct clock *clock;        /* of the Date header; NULL: the system's */
    const struct random *random;      /* of request ids */
    exchange_handler *handle;         /* API requests */
    exchange_handler *handle_form;    /* POST of a form to "/"; NULL: 404 */
    /* POST of CBOR or of JSON 1.1, any path. False, or NULL: 404. */
    bool (*handle_service)(struct exchange *exchange);
    /* GET and HEAD of a path other than "/"; false, or NULL: 404. */
    bool (*handle_other)(struct exchange *exchange);
    /* Paths that start with /_gramme/, any method; a POST has a JSON content type. False when there
     * is no such thing: then the request goes the way of all others. May be NULL. */
    bool (*handle_own)(struct exchange *exchange);
    /* Told of a request that the guard turns away, which is answered after that; may be NULL. */
    exchange_handler *turned_away;
    /* Called on each I/O thread, before its first and after its last exchange; may be NULL. */
    void *(*thread_start)(void *user, unsigned index);
    void (*thread_stop)(void *user, void *thread_context);
    /* On an I/O thread, every limits.tick_ms while there are connections or it returns true; may be
     * NULL. */
    bool (*ticked)(void *user, void *thread_context);
    /* On an I/O thread, when the replies of some exchanges have been sent together; may be NULL. */
    void (*sent)(void *user, void *thread_context);
    /* Much memory was freed, and things are calm: the time to give it back to the system. On an I/O
     * thread, so the work belongs elsewhere; may be NULL. */
    void (*memory_freed)(void *user);
    void *user;
};

struct endpoint;

/* Listens and starts the threads; requests may arrive before it returns. The error says what is
 * wrong with the address. The slices of the config are copied. */
struct error *endpoint_start(struct arena *arena, const struct endpoint_config *config,
                             struct endpoint **ret_endpoint);

/* The real one, when the config said 0. */
uint16_t endpoint_port(const struct endpoint *endpoint);
/* The addresses that it listens at: "127.0.0.1:8000", "[::1]:8000". NULL: there are no more. */
const char *endpoint_address(const struct endpoint *endpoint, unsigned index);

struct endpoint_stats {
    uint64_t connections;          /* open now */
    uint64_t connections_accepted; /* since the start */
    uint64_t connections_refused;  /* over the limit */
    uint64_t requests;             /* complete ones, since the start */
    uint64_t memory_bytes;         /* drawn from the budget for requests */
    uint64_t memory_bytes_max;     /* that budget */
    uint64_t work_bytes;           /* and from that for work */
    uint64_t work_bytes_max;       /* likewise */
};

/* From any thread; the numbers are a moment's. */
struct endpoint_stats endpoint_stats(const struct endpoint *endpoint);

/* Calls `visit` on each I/O thread, with what thread_start() returned there, and waits until all
 * have returned. Not from an I/O thread. */
void endpoint_visit(struct endpoint *endpoint, void (*visit)(void *user, void *thread_context),
                    void *user);

/* Stops accepting, closes connections that rest, lets exchanges in flight finish. After grace_ms
 * the sockets are closed; exchanges that the handler still owes a reply are waited for even then.
 * Joins the threads and frees the endpoint. Not from an I/O thread. */
void endpoint_stop(struct endpoint *endpoint, uint32_t grace_ms);

#endif
