/* delays.h - tasks that come back to their loop after a while, so that no I/O thread waits for
 * them.
 *
 * One thread, and only where somebody may ask for delays (faults.h). Tasks are embedded in what
 * they are about. Threads: any may put; the task runs on its loop's. */
#ifndef GRAMME_PIPELINE_DELAYS_H
#define GRAMME_PIPELINE_DELAYS_H

#include <time.h>

#include "endpoint/endpoint.h"

struct delay {
    struct net_loop *loop;
    struct net_task *task;
    struct timespec at;
    struct delay *next;
};

struct delays;

struct error *delays_start(struct arena *arena, struct delays **ret_delays);
/* Posts delay->task to delay->loop when the time is over. */
void delays_put(struct delays *delays, struct delay *delay, uint32_t ms);
/* The server stops: nothing waits any more. */
void delays_hurry(struct delays *delays); /* NULL is fine */
void delays_stop(struct delays *delays);  /* NULL is fine; nobody puts any more */

#endif
