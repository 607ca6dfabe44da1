/* publisher.h - the meters of a server as metrics of CloudWatch, as the service publishes them.
 *
 * What was counted since the last time becomes samples of AWS/DynamoDB: at each full minute, by a
 * thread of its own, and whenever publisher_sample() is called, by who wants to read metrics, moves
 * the clock or stops. It goes to the minute in which it was counted: that of the call, or the one
 * before when a minute has just begun. What tables and the account are set to is told every five
 * minutes. A metric comes to be with its first event.
 *
 * Threads: any, one at a time. */
#ifndef GRAMME_PUBLISH_PUBLISHER_H
#define GRAMME_PUBLISH_PUBLISHER_H

#include "base/clock.h"
#include "base/error.h"
#include "metrics/meters.h"

struct engine;
struct series_store;

struct publisher_options {
    struct meters *meters; /* whose extremes nobody else takes */
    struct series_store *series;
    struct engine *engine;
    const struct clock *clock;
    /* Of the operations, by number; NULL where there is none. They stay the caller's. */
    const char *const *names;
};

struct publisher;

struct error *publisher_start(struct arena *arena, const struct publisher_options *options,
                              struct publisher **ret_publisher);
/* Publishes what is left. publisher_stop(NULL) is fine. */
void publisher_stop(struct publisher *publisher);
/* All that was counted up to now is in the series when it returns. */
void publisher_sample(struct publisher *publisher);

#endif
