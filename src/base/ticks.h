/* ticks.h - the cheapest count that goes on steadily: for what is timed in every request.
 *
 * It is the processor's own count where the kernel keeps time by it, which makes a look at it a
 * third of one at the monotonic clock, and the nanoseconds of that clock elsewhere. Ticks are good
 * for differences only.
 *
 * Threads: ticks_start() before there are any; a difference may be taken between two of them. */
#ifndef GRAMME_BASE_TICKS_H
#define GRAMME_BASE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

extern struct ticks {
    bool of_processor;
    uint64_t ns_scaled; /* nanoseconds of 2^32 ticks */
} ticks;

/* Looks which count there is. Without it, ticks are nanoseconds. */
void ticks_start(void);

static inline uint64_t ticks_of_processor(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}

/* Those where the processor's count is of no use. */
uint64_t ticks_of_clock(void);

static inline uint64_t ticks_now(void) {
    return __builtin_expect(ticks.of_processor, 1) ? ticks_of_processor() : ticks_of_clock();
}

/* Nanoseconds from one count to a later one. Processors may be some ticks apart: never below 0. */
static inline uint64_t ticks_ns(uint64_t from, uint64_t to) {
    if (__builtin_expect(to < from, 0))
        return 0;
    return (uint64_t)(((__uint128_t)(to - from) * ticks.ns_scaled) >> 32);
}

#endif
