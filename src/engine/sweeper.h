/* sweeper.h - what the sweeper (sweep.h) knows of what is to come. Private to this folder; commit
 * thread. */
#ifndef GRAMME_ENGINE_SWEEPER_H
#define GRAMME_ENGINE_SWEEPER_H

#include "base/crowd.h"
#include "engine/catalog.h"

struct sweeper {
    uint_fast64_t generation; /* of the catalog that this was seen in */
    bool any;                 /* some table has a TTL attribute */
    uint64_t first;           /* no item expires before this second; 0: not known */
    size_t turn;              /* the table to look at next */
    struct crowd crowd;
    struct timespec sync_at; /* the step after that is durable */
    struct timespec log_at;  /* before that nothing is logged */
};

/* Looks at the tables when they are others than before; nothing is known of them then. */
void sweeper_look_at(struct sweeper *sweeper, const struct catalog *catalog);

/* Nothing is known of them any more. */
void sweeper_forget(struct sweeper *sweeper, const struct catalog *catalog);

/* An item that expires at that second is being committed. */
static inline void sweeper_expect(struct sweeper *sweeper, uint64_t seconds) {
    if (seconds < sweeper->first)
        sweeper->first = seconds;
}

#endif
