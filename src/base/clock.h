/* clock.h - time, injected so that tests can move it. */
#ifndef GRAMME_BASE_CLOCK_H
#define GRAMME_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct clock {
    /* Milliseconds since 1970, UTC. */
    int64_t (*now_ms)(const struct clock *clock);
};

extern const struct clock system_clock;

static inline int64_t clock_now_ms(const struct clock *clock) {
    return clock->now_ms(clock);
}

/* Nanoseconds of the monotonic clock, to tell how long something took. */
static inline uint64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The start of the year 2200: times long after it do not fit everywhere (codec/sequence.h). */
#define CLOCK_MAX_MS INT64_C(7258118400000)

/* A clock that is set forward by whoever holds it, and that may stand still. Any thread may read
 * and move it. Its time never goes back, whatever happens to the system's clock. */
struct movable_clock {
    struct clock clock;
    /* The lowest bit: it is running. The rest: how far it is ahead of the monotonic clock, or the
     * time at which it stands. One word, so that both change together. */
    _Atomic int64_t state;
    void (*moved)(void *user); /* is called after each move, where it was made; or NULL */
    void *user;
};

struct clock_move {
    int64_t now_ms;     /* the new time; 0: the present one */
    int64_t advance_ms; /* is added to it */
    bool set_running;
    bool running;
};

enum clock_moved { CLOCK_MOVED, CLOCK_WOULD_GO_BACK, CLOCK_TOO_FAR };

/* Starts at the system's time, running, with nobody to tell. */
void movable_clock_init(struct movable_clock *clock);
/* All of the move or, unless it returns CLOCK_MOVED, nothing. */
enum clock_moved movable_clock_move(struct movable_clock *clock, const struct clock_move *move);
bool movable_clock_is_running(const struct movable_clock *clock);

#endif
