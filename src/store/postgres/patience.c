/* patience.c - waiting for a server that is away: a failover takes seconds, and requests that wait
 * are better than requests that fail. */
#include <time.h>

#include "base/clock.h"
#include "store/postgres/internal.h"

enum { NAP_MIN_MS = 10, NAP_MAX_MS = 500 };

struct patience patience_for_ms(uint32_t ms) {
    return (struct patience){.deadline_ns = monotonic_ns() + (uint64_t)ms * 1000000,
                             .nap_ms = NAP_MIN_MS};
}

struct patience patience_begin(const struct postgres_store *store) {
    return patience_for_ms(store->options.patience_ms);
}

uint32_t patience_left_ms(const struct patience *patience) {
    uint64_t now = monotonic_ns();
    return now >= patience->deadline_ns ? 0 : (uint32_t)((patience->deadline_ns - now) / 1000000);
}

bool patience_wait(struct patience *patience) {
    if (monotonic_ns() >= patience->deadline_ns)
        return false;
    struct timespec nap = {0, (long)patience->nap_ms * 1000000};
    nanosleep(&nap, NULL);
    patience->nap_ms = patience->nap_ms * 2 > NAP_MAX_MS ? NAP_MAX_MS : patience->nap_ms * 2;
    return true;
}
