/* pages.h - what who watches the server asks for with GET: /metrics and /health.
 *
 *   /health, /health/live  200 as long as somebody answers
 *   /health/ready          200 when requests are served; 503 while the server starts or stops, or
 *                          waits because another one leads the store that they share
 *   /metrics               numbers for Prometheus; 503 while the server starts or waits
 *
 * /health tells nobody anything, and everybody may ask. So may they for /metrics where nobody is
 * asked who they are, on its own port, or when it is said to be open; else only who comes from this
 * machine, or signs with a key of the owner's.
 *
 * The page takes some milliseconds when there are many tables, so a worker writes it. Threads: the
 * exchange's I/O thread; the state is set by any. */
#ifndef GRAMME_PIPELINE_PAGES_H
#define GRAMME_PIPELINE_PAGES_H

#include <stdatomic.h>

#include "endpoint/endpoint.h"
#include "pipeline/workers.h"

struct op_context;

enum pages_state { PAGES_STARTING, PAGES_WAITING, PAGES_READY, PAGES_STOPPING };

struct pages {
    /* Writes the page, on a worker with its context; returns its content type, which is constant.
     * `accept` is the header of that name, or absent. */
    struct slice (*write)(void *user, struct op_context *context, struct slice accept,
                          struct buffer *out);
    void *user;
    bool shared;             /* its store is one that several servers may lead: its role is told */
    bool open;               /* /metrics to everybody */
    struct workers *workers; /* from PAGES_READY on */
    _Atomic(enum pages_state) state;
};

/* The endpoint's handle_other. */
bool pages_handle(struct exchange *exchange);

#endif
