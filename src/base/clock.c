/* clock.c - the system's clock. */
#include "base/clock.h"

#include <time.h>

static int64_t system_now_ms(const struct clock *clock) {
    (void)clock;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

const struct clock system_clock = {system_now_ms};
