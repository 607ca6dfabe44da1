/* steady_clock.h - the system's time for those who destroy by it.
 *
 * A system clock that is wrong for a moment must not expire what is kept: it is followed while it
 * goes as fast as the machine's own count of time since its start, sleep included. When it jumps by
 * more than a few minutes, this clock goes on from where it was, and says so in the log. The jump
 * is believed when the system's clock has kept to it for a while, and forgotten when it comes back.
 *
 * Threads: any may read it. */
#ifndef GRAMME_BASE_STEADY_CLOCK_H
#define GRAMME_BASE_STEADY_CLOCK_H

#include "base/clock.h"

#define STEADY_CLOCK_JUMP_MS INT64_C(300000)

struct steady_clock {
    struct clock clock;
    int64_t hold_ms; /* how long a jump is doubted; 0: not at all */
    /* Where time comes from: the system's, and what counts on steadily. For tests. */
    int64_t (*system_ms)(void);
    int64_t (*steady_ms)(void);
    _Atomic int64_t ahead_ms;     /* how far this clock is ahead of the steady count */
    _Atomic int64_t next_look_ms; /* by the steady count: who reads it then, compares */
    atomic_flag looking;          /* somebody does */
    /* Of who looks: since when the system's clock says something else, and what. */
    bool doubted;
    int64_t doubted_since_ms;
    int64_t doubted_ahead_ms;
};

/* Starts at the system's time. */
void steady_clock_init(struct steady_clock *clock, int64_t hold_ms);
#endif
