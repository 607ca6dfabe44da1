/* clock.h - time, injected so that tests can move it. */
#ifndef GRAMME_BASE_CLOCK_H
#define GRAMME_BASE_CLOCK_H

#include <stdint.h>

struct clock {
    /* Milliseconds since 1970, UTC. */
    int64_t (*now_ms)(const struct clock *clock);
};

extern const struct clock system_clock;

static inline int64_t clock_now_ms(const struct clock *clock) {
    return clock->now_ms(clock);
}

#endif
