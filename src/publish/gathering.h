/* gathering.h - what the meters of a server counted since they were last asked.
 *
 * It goes to whoever publishes: to the series of this server (publisher.h), or, while another
 * server leads, as a bundle there. Each of them goes on where the other stopped, so that nothing is
 * told twice. It belongs to the minute in which it was counted: that of the call, or the one before
 * when a minute has just begun.
 *
 * Threads: any, one at a time. */
#ifndef GRAMME_PUBLISH_GATHERING_H
#define GRAMME_PUBLISH_GATHERING_H

#include "base/buffer.h"
#include "base/clock.h"
#include "metrics/meters.h"

struct gathering_options {
    struct meters *meters; /* whose extremes nobody else takes */
    const struct clock *clock;
    /* Of the operations, by number; NULL where there is none. They stay the caller's. */
    const char *const *names;
};

struct gathering;
struct publication;

struct gathering *gathering_new(const struct gathering_options *options);
/* gathering_free(NULL) is fine. */
void gathering_free(struct gathering *gathering);
/* Nothing was counted before this moment. */
void gathering_begin(struct gathering *gathering);

/* Adds it to a bundle (bundle.h). */
void gathering_bundle(struct gathering *gathering, struct buffer *bundle);
/* Private to this folder: to where the publication goes, whose time it sets. */
void gathering_publish(struct gathering *gathering, struct publication *to);

#endif
