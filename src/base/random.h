/* random.h - randomness, injected so that tests can repeat it. */
#ifndef GRAMME_BASE_RANDOM_H
#define GRAMME_BASE_RANDOM_H

#include "base/arena.h"

struct random {
    void (*fill)(const struct random *random, void *bytes, size_t size);
};

/* The kernel's generator: fit for ids, tokens and keys. */
extern const struct random system_random;

static inline void random_fill(const struct random *random, void *bytes, size_t size) {
    random->fill(random, bytes, size);
}

/* Below `bound`, which is above 0. Where all bits are set it is the highest number. */
uint64_t random_below(const struct random *random, uint64_t bound);

/* A version 4 UUID in its usual form: 8-4-4-4-12 lower-case hex digits. */
struct slice random_uuid(const struct random *random, struct arena *arena);

#endif
