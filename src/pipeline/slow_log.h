/* slow_log.h - a line in the log for each call that took too long: what it was, and where the time
 * went.
 *
 * Stretches of time, one after another: decode (waiting for its turn, reading, checking and
 * allowing the request), run, worker (waiting for one, and what it did), commit (from the end of
 * run to the end of the commit, of which sync was spent on the disk) or fetch (of items from a
 * store that is far away), and reply. At most
 * SLOW_LINES_MAX lines a second; how many were left out is told with the next one.
 *
 * Threads: calls are marked by the thread that has them. */
#ifndef GRAMME_PIPELINE_SLOW_LOG_H
#define GRAMME_PIPELINE_SLOW_LOG_H

#include "base/log.h"
#include "base/ticks.h"
#include "metrics/counter.h"
#include "ops/op.h"

enum { SLOW_LINES_MAX = 10 };

struct slow_log {
    uint64_t least_ns;           /* what is too long */
    const counter *last_sync_ns; /* of the commit thread */
    struct log_gate gate;
};

/* When a call came to an end of its steps, in ticks (base/ticks.h); 0: it has not. */
struct call_times {
    uint64_t checked;
    uint64_t ran;
    uint64_t worker;  /* when a worker took it */
    uint64_t worked;  /* and was done */
    uint64_t fetched; /* when items came from a store that is far away */
    uint64_t committed;
    uint64_t sync_ns; /* how long the disk took in that */
};

struct slow_call {
    const struct op_call *call;
    const struct call_times *times;
    const struct error *error; /* NULL: it succeeded */
    struct slice request_id;
    uint64_t began;
};

/* Whether a call that began then has taken too long by now. */
static inline bool slow_log_wants(const struct slow_log *log, uint64_t began) {
    return ticks_ns(began, ticks_now()) >= log->least_ns;
}

/* Of a call that is finished and not released. */
void slow_log_write(struct slow_log *log, const struct slow_call *slow);

#endif
