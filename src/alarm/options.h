/* options.h - what alarms stand on: engine, clock, where points come from and messages go. */
#ifndef GRAMME_ALARM_OPTIONS_H
#define GRAMME_ALARM_OPTIONS_H

#include "alarm/message.h"
#include "alarm/routes.h"
#include "base/clock.h"
#include "base/random.h"

struct engine;

/* Where points come from. */
struct alarm_source {
    /* Fills all `count` points, the newest first: each is `period_s` long, and the newest ends at
     * `end_ms`, a multiple of that. */
    struct error *(*read)(void *user, struct arena *arena, const struct alarm_settings *settings,
                          int64_t end_ms, uint32_t period_s, struct alarm_point *points,
                          size_t count);
    void *user;
};

/* Points are looked at so long after their end: those who measure may still be adding. */
enum { ALARM_DELAY_MS = 5000 };

struct alarms_options {
    struct engine *engine;
    const struct clock *clock;
    const struct random *random;
    struct alarm_home home;
    struct alarm_source source;
    struct alarm_routes routes;
};

#endif
