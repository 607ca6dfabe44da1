/* series_options.h - what a store of series is opened with, and how much it keeps for how long. */
#ifndef GRAMME_CLOUDWATCH_SERIES_OPTIONS_H
#define GRAMME_CLOUDWATCH_SERIES_OPTIONS_H

#include <stddef.h>

#include "base/clock.h"

struct engine;

enum {
    SERIES_MAX = 10000,
    SERIES_WRITE_MS = 10000,
    SERIES_MINUTE_MS = 60000,
    SERIES_FINE_MINUTES = 24 * 60,        /* kept by minute */
    SERIES_COARSE_MINUTES = 14 * 24 * 60, /* kept by five minutes */
    SERIES_AHEAD_MINUTES = 2 * 60,        /* samples may be so far ahead */
};

struct series_options {
    struct engine *engine;
    const struct clock *clock;
    size_t series_max;    /* 0: SERIES_MAX */
    size_t pending_bytes; /* what is held in memory before it is put away early; 0: 16 MiB */
    size_t piece_bytes;   /* at which a record of the journal ends; 0: 1 MiB */
};

#endif
