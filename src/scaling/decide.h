/* decide.h - target tracking, pure: what a table was used for in the last minutes, and which
 * capacity that asks for.
 *
 * As the service does it: more after two minutes in a row above the target, less after fifteen
 * below it. Minutes without a sample were idle. */
#ifndef GRAMME_SCALING_DECIDE_H
#define GRAMME_SCALING_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

enum { SCALING_MINUTES_HIGH = 2, SCALING_MINUTES_LOW = 15 };

/* How far below the target counts as below: the capacity is not taken back for a trifle. */
#define SCALING_LOW_SHARE 0.9

struct scaling_state {
    int64_t capacity; /* units per second, as it is */
    int64_t min;
    int64_t max;
    double target;                        /* of the capacity, in percent */
    double consumed[SCALING_MINUTES_LOW]; /* units of each whole minute, the newest first */
    bool may_grow;                        /* no cooldown, nothing suspended */
    bool may_shrink;
};

enum scaling_wish { SCALING_STAY, SCALING_GROW, SCALING_SHRINK };

/* What the alarms of a policy have as thresholds: units of a minute. */
double scaling_high_units(int64_t capacity, double target);
double scaling_low_units(int64_t capacity, double target);

enum scaling_wish scaling_decide(const struct scaling_state *state, int64_t *ret_capacity);

#endif
