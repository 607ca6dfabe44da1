/* routes.h - where the actions of alarms go, as whoever runs the server said.
 *
 * An action that is a URL is sent the message itself. An SNS topic has a place of its own, which is
 * a URL that gets what a subscriber of the topic would, or a command that gets the message; or all
 * topics are behind one endpoint, which is asked to publish. Anything else goes nowhere. */
#ifndef GRAMME_ALARM_ROUTES_H
#define GRAMME_ALARM_ROUTES_H

#include "alarm/stored.h"
#include "notify/parcel.h"

struct alarm_topic {
    struct slice arn;
    struct slice place; /* a URL, or exec: and a command */
};

struct alarm_routes {
    bool off;                 /* nothing is sent */
    const char *sns_endpoint; /* or NULL */
    const struct alarm_topic *topics;
    size_t topic_count;
    const char *const *hosts; /* that may be sent to; NULL ends them, or is for any */
    struct slice region;
};

/* Why an action goes nowhere; absent when it has somewhere to go. */
struct slice route_refusal(const struct alarm_routes *routes, struct slice action);
/* Of an action that has. In the arena. */
struct parcel route_parcel(struct arena *arena, const struct alarm_routes *routes,
                           const struct outbox_entry *entry);
/* "ARN=PLACE" as it is given on the command line. False: it is not of that form. */
bool route_topic_read(const char *text, struct alarm_topic *ret_topic);

#endif
