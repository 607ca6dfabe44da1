/* publisher.h - the meters of a server as metrics of CloudWatch, as the service publishes them.
 *
 * What was counted since the last time becomes samples of AWS/DynamoDB (gathering.h): at each full
 * minute, by a thread of its own, and whenever publisher_sample() is called, by who wants to read
 * metrics, moves the clock or stops. What tables and the account are set to is told every five
 * minutes. A metric comes to be with its first event.
 *
 * Threads: any, one at a time. */
#ifndef GRAMME_PUBLISH_PUBLISHER_H
#define GRAMME_PUBLISH_PUBLISHER_H

#include "base/clock.h"
#include "base/error.h"

struct engine;
struct gathering;
struct series_store;

struct publisher_options {
    struct gathering *gathering; /* which is asked by nobody else from here on */
    struct series_store *series;
    struct engine *engine;
    const struct clock *clock;
};

struct publisher;

struct error *publisher_start(struct arena *arena, const struct publisher_options *options,
                              struct publisher **ret_publisher);
/* Publishes what is left. publisher_stop(NULL) is fine. */
void publisher_stop(struct publisher *publisher);
/* All that was counted up to now is in the series when it returns. */
void publisher_sample(struct publisher *publisher);

#endif
