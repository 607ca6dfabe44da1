/* evaluate.h - what the points of a metric mean for an alarm, pure.
 *
 * An alarm looks at its last N periods, and at EVALUATE_RESERVE more, so that an older point may
 * stand in for one that is late or missing. Only when there are fewer than N points in all of them
 * are missing ones filled, as the alarm says. It is in ALARM when M of the N breach. */
#ifndef GRAMME_ALARM_EVALUATE_H
#define GRAMME_ALARM_EVALUATE_H

#include "alarm/words.h"

enum { EVALUATE_RESERVE = 2 };

struct alarm_rule {
    double threshold;
    enum alarm_comparison comparison;
    enum alarm_treatment treatment;
    uint32_t periods;    /* N */
    uint32_t datapoints; /* M; 0: as many as periods, and reasons do not tell it */
};

/* One period of the metric. */
struct alarm_point {
    int64_t start_ms;
    bool present;
    double value;
    double samples; /* 0: not known, as of an expression */
};

struct verdict {
    bool keep; /* the state stays as it is; what follows means nothing then */
    enum alarm_state state;
    uint32_t looked_at; /* of the points, from the newest */
    uint32_t real;      /* of these, those that are there */
    uint32_t filled;
};

bool alarm_breaches(const struct alarm_rule *rule, double value);
/* The newest point comes first; `count` is rule->periods + EVALUATE_RESERVE. */
struct verdict alarm_evaluate(const struct alarm_rule *rule, const struct alarm_point *points,
                              size_t count);

#endif
