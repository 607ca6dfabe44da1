/* context_keys.h - what is known of a caller and of how their request came, as values of condition
 * keys; the rest is for whoever knows what is asked for.
 *
 * Threads: the exchange's I/O thread. Memory: the exchange's arena. */
#ifndef GRAMME_PIPELINE_CONTEXT_KEYS_H
#define GRAMME_PIPELINE_CONTEXT_KEYS_H

#include "base/clock.h"
#include "endpoint/endpoint.h"
#include "policy/caller.h"
#include "policy/keys.h"

struct context_source {
    struct exchange *exchange;
    const struct caller *caller;
    const struct clock *clock;
};

/* The caller's ARN: by which refusals name them. */
struct slice context_arn(struct arena *arena, const struct caller *caller);

/* Fills in the keys of the set that have a value; leaves the others as they are. */
void context_values(const struct context_source *source, uint64_t wanted,
                    struct policy_values ret_values[POLICY_KEY_COUNT]);

#endif
