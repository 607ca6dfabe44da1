/* chance.h - all that a simulation leaves to chance, from one seed. */
#ifndef GRAMME_TESTS_CHANCE_H
#define GRAMME_TESTS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t chance_next(struct chance *chance) {
    uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline int chance_below(struct chance *chance, int bound) {
    return (int)(chance_next(chance) % (uint64_t)bound);
}

/* Once in so many times. */
static inline bool chance_once_in(struct chance *chance, int times) {
    return chance_below(chance, times) == 0;
}

#endif
