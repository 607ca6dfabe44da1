/* options.h - what scaling stands on: engine, metrics, alarms, and who changes capacity. */
#ifndef GRAMME_SCALING_OPTIONS_H
#define GRAMME_SCALING_OPTIONS_H

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "scaling/names.h"

struct alarms;
struct engine;
struct series_store;

/* As UpdateTable would. */
struct scaling_change {
    struct slice table;
    struct slice index; /* absent: the table itself */
    int64_t read;
    int64_t write;
};

/* Who carries a change out, and waits for it. */
struct scaling_hand {
    struct error *(*change)(void *user, struct arena *arena, const struct scaling_change *change);
    void *user;
};

struct scaling_options {
    struct engine *engine;
    struct series_store *series;
    struct alarms *alarms; /* may be NULL: policies have none then */
    const struct clock *clock;
    const struct random *random;
    struct scaling_home home;
    struct scaling_hand hand;
};

#endif
