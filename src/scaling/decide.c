/* decide.c - see decide.h. */
#include "scaling/decide.h"

#include <math.h>

enum { SECONDS = 60 };

double scaling_high_units(int64_t capacity, double target) {
    return (double)capacity * target / 100 * SECONDS;
}

double scaling_low_units(int64_t capacity, double target) {
    return scaling_high_units(capacity, target) * SCALING_LOW_SHARE;
}

static double most(const double *consumed, int count) {
    double units = 0;
    for (int i = 0; i < count; i++)
        units = consumed[i] > units ? consumed[i] : units;
    return units;
}

static double least(const double *consumed, int count) {
    double units = consumed[0];
    for (int i = 1; i < count; i++)
        units = consumed[i] < units ? consumed[i] : units;
    return units;
}

/* By which so many units a minute are just the target. */
static int64_t capacity_for(const struct scaling_state *state, double units) {
    /* A whole number that comes out a hair above itself stays itself. */
    double wanted = ceil(units / SECONDS / (state->target / 100) - 1e-9);
    return wanted <= (double)state->min   ? state->min
           : wanted >= (double)state->max ? state->max
                                          : (int64_t)wanted;
}

enum scaling_wish scaling_decide(const struct scaling_state *state, int64_t *ret_capacity) {
    double high = scaling_high_units(state->capacity, state->target);
    double low = scaling_low_units(state->capacity, state->target);
    if (state->may_grow && least(state->consumed, SCALING_MINUTES_HIGH) > high) {
        *ret_capacity = capacity_for(state, most(state->consumed, SCALING_MINUTES_HIGH));
        return *ret_capacity > state->capacity ? SCALING_GROW : SCALING_STAY;
    }
    double units = most(state->consumed, SCALING_MINUTES_LOW);
    if (state->may_shrink && units < low) {
        *ret_capacity = capacity_for(state, units);
        return *ret_capacity < state->capacity ? SCALING_SHRINK : SCALING_STAY;
    }
    return SCALING_STAY;
}
