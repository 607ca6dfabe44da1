/* alarm.h - an alarm: what it watches, when it goes off, what it does then, and how it is.
 *
 * Memory: texts and arrays belong to whoever made the alarm, and say so. */
#ifndef GRAMME_ALARM_ALARM_H
#define GRAMME_ALARM_ALARM_H

#include "alarm/evaluate.h"

/* The service's limits, in characters where it is a length, but for the last: how many entries of
 * the history of one alarm are kept. */
enum {
    ALARM_NAME_MAX = 255,
    ALARM_DESCRIPTION_MAX = 1024,
    ALARM_ACTIONS_MAX = 5, /* of each kind */
    ALARM_ACTION_MAX = 1024,
    ALARM_QUERIES_MAX = 500,
    ALARM_REACH_MAX_S = 7 * 24 * 60 * 60, /* of all periods together */
    ALARM_PERIODS_MAX = 24 * 60 * 60 / 10,
    ALARM_DIMENSIONS_MAX = 30,
    ALARM_TAGS_MAX = 50,
    ALARMS_MAX = 5000,
    ALARM_HISTORY_MAX = 100,
};

struct alarm_pair { /* a dimension or a tag */
    struct slice name;
    struct slice value;
};

struct alarm_metric {
    struct slice name_space;
    struct slice name;
    struct alarm_pair *dimensions;
    size_t dimension_count;
    uint32_t period_s; /* 0: not said */
    struct slice statistic;
    struct slice unit; /* absent: any */
};

/* One of several metrics and expressions; one of them is what the alarm is about. */
struct alarm_query {
    struct slice id;
    struct slice expression; /* absent: it is a metric */
    struct slice label;      /* these may be absent */
    struct slice account;
    struct alarm_metric metric; /* of an expression, only its period */
    bool returns;               /* that is the one */
};

struct alarm_actions {
    struct slice names[ALARM_ACTIONS_MAX];
    size_t count;
};

struct alarm_settings {
    struct slice name;
    struct slice description; /* absent: none */
    bool actions_enabled;
    struct alarm_actions actions[ALARM_STATE_COUNT]; /* by the state that it changes to */
    struct alarm_rule rule;
    bool treatment_said;        /* how missing data is treated: shown only then */
    bool extended;              /* metric.statistic is a percentile or the like */
    struct slice low_samples;   /* EvaluateLowSampleCountPercentile; absent: not said */
    struct alarm_metric metric; /* when there are no queries */
    struct alarm_query *queries;
    size_t query_count;
};

struct alarm_status {
    enum alarm_state state;
    struct slice reason;
    struct slice reason_data; /* absent: none */
    int64_t updated_ms;
    int64_t transitioned_ms;
};

struct alarm {
    struct slice id; /* of its records: stays while the name does */
    struct slice arn;
    struct alarm_settings settings;
    int64_t configured_ms;
    struct alarm_status status;
    struct alarm_pair *tags;
    size_t tag_count;
    uint64_t history_next; /* the number of the next entry of its history */
    int64_t gone_ms;       /* it was deleted then; only its history is left. 0: it is there */
};

/* How long one point is: with queries, the longest period of all. */
uint32_t alarm_period_s(const struct alarm_settings *settings);
/* 10, 20, 30 or a multiple of 60. */
static inline bool alarm_is_period(int64_t period_s) {
    return period_s > 0 && period_s <= ALARM_REACH_MAX_S &&
           (period_s == 10 || period_s == 20 || period_s == 30 || period_s % 60 == 0);
}

#endif
