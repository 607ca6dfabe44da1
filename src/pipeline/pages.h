/* pages.h - what who watches the server asks for with GET: /metrics and /health.
 *
 *   /health, /health/live  200 as long as somebody answers
 *   /health/ready          200 when requests are served, also by way of the server that leads the
 *                          store, which is asked; 503 while the server starts or stops, or nobody
 *                          leads
 *   /_localstack/health    for scripts that were written for LocalStack: 200 when requests are
 *                          served, nobody else is asked
 *   /metrics               numbers for Prometheus; 503 while the server starts
 *
 * /health tells nobody anything, and everybody may ask. So may they for /metrics where nobody is
 * asked who they are, on its own port, or when it is said to be open; else only who comes from this
 * machine, or signs with a key of the owner's.
 *
 * The page takes some milliseconds when there are many tables, so a worker writes it. Threads: the
 * exchange's I/O thread; the state is set by any. */
#ifndef GRAMME_PIPELINE_PAGES_H
#define GRAMME_PIPELINE_PAGES_H

#include <pthread.h>
#include <stdatomic.h>

#include "endpoint/endpoint.h"
#include "pipeline/workers.h"

/* What the server has to answer with. It keeps that while it stops: `stopping` is beside it. */
enum pages_state { PAGES_STARTING, PAGES_WAITING, PAGES_FOLLOWING, PAGES_READY };

enum { PAGES_LEADER_CHARS = 300 };

struct pages {
    /* Writes the page, on a worker; returns its content type, which is constant. `accept` is the
     * header of that name, or absent. */
    struct slice (*write)(void *user, struct slice accept, struct buffer *out);
    /* Likewise of a server that another one leads, on an I/O thread: it is short. Or NULL. */
    struct slice (*write_following)(void *user, struct slice accept, struct buffer *out);
    /* Of such a server: finds out whether it can serve, and calls pages_reply_ready(). False: it
     * cannot be found out here. Or NULL. */
    bool (*find_out)(void *user, struct exchange *exchange);
    void *user;
    bool shared;          /* its store is one that several servers may lead: its role is told */
    pthread_mutex_t lock; /* of the next */
    char leader[PAGES_LEADER_CHARS]; /* where that is; empty: nobody knows */
    bool open;                       /* /metrics to everybody */
    struct workers *workers;         /* with PAGES_READY */
    _Atomic(enum pages_state) state;
    atomic_bool stopping;
};

/* What the role's page says about who leads; from any thread. */
void pages_tell_leader(struct pages *pages, const char *leader);

/* The answer to /health/ready; `reason` is what is wrong, or NULL. */
void pages_reply_ready(struct exchange *exchange, bool ready, const char *reason);

/* The endpoint's handle_other. */
bool pages_handle(struct exchange *exchange);

#endif
