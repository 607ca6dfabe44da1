/* meter_call.h - every call on the meters of its I/O thread.
 *
 * What a call touched is counted when it is finished, from its account. How long it took is counted
 * when its reply has been sent: the loop sends the replies of a round together, so that one look at
 * the clock is enough for all of them. */
#ifndef GRAMME_PIPELINE_METER_CALL_H
#define GRAMME_PIPELINE_METER_CALL_H

#include "metrics/meters.h"
#include "ops/op.h"

enum { CALL_METER_UNSENT_MAX = 128, CALL_METER_KNOWN = 64 };

struct call_meter {
    struct meter_thread *thread;
    /* Where the last calls were counted, by the table's id and the operation. */
    struct known_call {
        uint32_t id; /* 0: none */
        uint32_t operation;
        struct meter_table *table;
        struct meter_operation *asked;
    } known[CALL_METER_KNOWN];
    /* The calls that succeeded and whose replies are not sent yet. */
    struct unsent_call {
        struct meter_operation *asked;
        uint64_t began;
    } unsent[CALL_METER_UNSENT_MAX];
    unsigned unsent_count;
};

/* A call that is finished and not released. `error` is NULL when it succeeded. */
void meter_call(struct call_meter *meter, const struct op_call *call, const struct error *error,
                uint64_t began);
/* The replies of all calls up to here have been sent, and there are some. */
void call_meter_count_unsent(struct call_meter *meter);

static inline void call_meter_sent(struct call_meter *meter) {
    if (meter->unsent_count > 0)
        call_meter_count_unsent(meter);
}

#endif
