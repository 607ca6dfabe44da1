/* worker.h - one thread of clients: connections that each send a request, wait for its reply, and
 * go on (worker.c); and what happens on one of them (operation.c).
 *
 * An operation is one request or two on the same key. In a closed loop a connection begins the next
 * one when the last has ended; at a fixed rate it waits for the schedule.
 * Life of a connection:  CLOSED → OPENING → IDLE ⇄ WAITING; PAUSED before a request is repeated.
 * Memory: the worker's arena. Threads: all of it belongs to the worker's own, but the tally's
 * counters, which may be read, and `shared`. */
#ifndef GRAMME_BENCH_WORKER_H
#define GRAMME_BENCH_WORKER_H

#include <time.h>

#include "base/buffer.h"
#include "base/random.h"
#include "bench/reply.h"
#include "bench/schedule.h"
#include "bench/stream.h"
#include "bench/tally.h"

/* What all workers are told. */
struct run_settings {
    const struct endpoint *endpoint;
    const char *ca_file; /* NULL: the system's */
    const struct workload *workload;
    struct key_space *keys;
    struct credentials credentials;
    bool is_signed;
    bool repeat; /* what fails and may succeed later is sent again; any other error ends the run */
    unsigned connections;
    unsigned threads;
    uint64_t count; /* of operations; 0: as many as the time allows */
    double seconds;
    double warmup_s;
    double rate; /* of operations per second; 0: as fast as the endpoint answers */
    uint32_t timeout_ms;
    size_t payload_bytes;
    uint64_t group;
    uint64_t seed;
    const struct random *random; /* of payloads */
};

struct run_shared {
    uint64_t begin_ns; /* of what counts */
    uint64_t end_ns;   /* UINT64_MAX: after `tickets` */
    struct tls_context *tls;
    const char *pool;
    _Atomic int64_t tickets; /* operations that may still begin */
    _Atomic int stop;        /* a reason of enum run_stop */
};

enum run_stop {
    RUN_GOES_ON,
    RUN_INTERRUPTED,
    RUN_REFUSED, /* an error that repeating does not help against */
    RUN_STALLED, /* nothing has been answered for long */
};

enum connection_state { CLOSED, OPENING, IDLE, WAITING, PAUSED };

struct connection {
    struct stream stream;
    enum connection_state state;
    bool registered;   /* with epoll */
    uint32_t events;   /* that epoll watches for */
    unsigned failures; /* in a row */
    uint64_t since_ns; /* of OPENING and WAITING */
    uint64_t wake_ns;  /* of CLOSED and PAUSED: when to go on */
    bool busy;         /* an operation has begun and not ended */
    const struct workload_step *step;
    int kind; /* of the request that is under way or comes next */
    struct key_state keys;
    uint64_t due_ns;      /* of the next request; 0: now */
    uint64_t start_ns;    /* of the request under way: when it was sent, or due */
    struct buffer output; /* what the socket did not take yet */
    size_t output_sent;
    struct buffer input; /* the beginning of a reply that came in parts */
    struct reply reply;
};

struct worker {
    const struct run_settings *settings;
    struct run_shared *shared;
    struct arena arena;
    struct arena scratch;
    struct tally *tally;
    struct request *requests[WORKLOAD_KINDS_MAX];
    struct filler filler;
    struct signer signer;
    struct schedule schedule;
    struct connection *connections;
    unsigned connection_count;
    unsigned busy_count;
    unsigned sleeping;        /* connections that are CLOSED or PAUSED */
    struct connection **idle; /* at a fixed rate: those that wait for work */
    unsigned idle_count;
    bool exhausted; /* there are no more tickets */
    int epoll;
    int timer;            /* -1: not at a fixed rate */
    uint64_t armed_ns;    /* when the timer goes off; 0: it does not */
    uint64_t check_ns;    /* when to look for time-outs next */
    uint64_t progress_ns; /* when the last reply came */
    char *input;
};

enum { INPUT_BYTES = 256 * 1024 };

static inline uint64_t bench_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The one at `index` of settings->threads. The tally is the caller's. */
struct error *worker_new(struct arena *arena, const struct run_settings *settings,
                         struct run_shared *shared, unsigned index, struct worker **ret_worker);
void worker_free(struct worker *worker);
/* Until everything is done: the whole life of the thread. */
void worker_run(struct worker *worker);

/* ---- between worker.c and operation.c ---- */

/* epoll watches for input, and for room to write as well. */
void worker_watch(struct worker *worker, struct connection *connection, bool output);
/* Whether another operation may begin; takes a ticket. */
bool worker_may_begin(struct worker *worker, uint64_t now_ns);
/* The connection is open and nothing is under way on it: sends what comes next, if anything. */
void connection_go_on(struct worker *worker, struct connection *connection, uint64_t now_ns);
void connection_begin(struct worker *worker, struct connection *connection, uint64_t due_ns);
/* Its socket is ready for something. */
void connection_write(struct worker *worker, struct connection *connection);
void connection_read(struct worker *worker, struct connection *connection);
/* Starts to open it. */
void connection_open(struct worker *worker, struct connection *connection);
void connection_finish_open(struct worker *worker, struct connection *connection);
/* It is of no use any more: counts an error, closes it, and opens it again some time later. */
void connection_lose(struct worker *worker, struct connection *connection, const char *type,
                     const char *text);

#endif
