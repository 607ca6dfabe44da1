/* eventual.h - a second store of an engine, for reads that may be a moment old.
 *
 * It has what the engine's had not long ago. Whoever looks after it says whether it may be used; a
 * read that failed there ends that, and is made once more, at the engine's store. */
#ifndef GRAMME_ENGINE_EVENTUAL_H
#define GRAMME_ENGINE_EVENTUAL_H

#include <stdatomic.h>

#include "base/clock.h"
#include "store/store.h"

#define EVENTUAL_REST_NS (1000 * UINT64_C(1000000))

struct eventual {
    struct store *store;              /* stays, once it may be used */
    _Atomic uint64_t usable_until_ns; /* when it may have become too old; 0: it is not to be used */
    _Atomic uint64_t rests_until_ns;  /* not to be used before, whoever says so */
    _Atomic uint64_t reads, failures;
};

static inline bool eventual_is_usable(const struct eventual *eventual) {
    return monotonic_ns() < atomic_load(&eventual->usable_until_ns);
}

/* Any thread. */
static inline void eventual_failed(struct eventual *eventual) {
    atomic_store(&eventual->rests_until_ns, monotonic_ns() + EVENTUAL_REST_NS);
    atomic_store(&eventual->usable_until_ns, 0);
    atomic_fetch_add_explicit(&eventual->failures, 1, memory_order_relaxed);
}

#endif
