/* deadline.h - moments on the monotonic clock until which a thread waits. */
#ifndef GRAMME_BASE_DEADLINE_H
#define GRAMME_BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline struct timespec deadline_after_ms(uint32_t ms) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += (long)(ms % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

static inline bool deadline_before(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static inline bool deadline_passed(const struct timespec *deadline) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return !deadline_before(&now, deadline);
}

#endif
