/* clock_job.h - a move of the clock, between what the commit thread does before and after it.
 * Private to this folder. */
#ifndef GRAMME_ENGINE_CLOCK_JOB_H
#define GRAMME_ENGINE_CLOCK_JOB_H

#include "base/clock.h"
#include "engine/commit_queue.h"

struct clock_job {
    struct waited_job waited;
    struct movable_clock *clock;
    const struct clock_move *move;
    /* Results. */
    enum clock_moved outcome;
    int64_t now_ms; /* after it */
};

#endif
