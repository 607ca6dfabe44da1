/* events.h - what happened of late: what the traffic asked for, and what came of it.
 *
 * Threads: any. Limits: the latest EVENTS_KEPT of each system. */
#ifndef DEMO_EVENTS_H
#define DEMO_EVENTS_H

#include <stdio.h>

enum { EVENTS_KEPT = 12, EVENT_TEXT_SIZE = 240 };

/* How the page shows it. */
enum event_tone { EVENT_GOOD, EVENT_BAD, EVENT_WAITING, EVENT_PLAIN };

struct event {
    int system; /* its place in systems[] */
    enum event_tone tone;
    const char *what;    /* "anna pays 12.50" */
    const char *outcome; /* "SUCCESS", in the words of the service */
};

void events_add(const struct event *event);
/* A JSON array of those of a system, the newest first. */
void events_write(FILE *out, int system);

#endif
