/* evaluate.c - see evaluate.h. */
#include "alarm/evaluate.h"

bool alarm_breaches(const struct alarm_rule *rule, double value) {
    switch (rule->comparison) {
    case ALARM_COMPARISON_GREATER_OR_EQUAL:
        return value >= rule->threshold;
    case ALARM_COMPARISON_GREATER:
        return value > rule->threshold;
    case ALARM_COMPARISON_LESS:
        return value < rule->threshold;
    case ALARM_COMPARISON_LESS_OR_EQUAL:
        return value <= rule->threshold;
    case ALARM_COMPARISON_COUNT:
        break;
    }
    return false;
}

struct sight {
    uint32_t looked_at, real, breaching;
    uint32_t oldest; /* how many periods ago the oldest point began; 0: there is none */
    bool only_breaching;
};

/* The newest N points that are there, or all when there are fewer. */
static struct sight look(const struct alarm_rule *rule, const struct alarm_point *points,
                         size_t count) {
    struct sight sight = {.only_breaching = true};
    while (sight.looked_at < count && sight.real < rule->periods) {
        const struct alarm_point *point = &points[sight.looked_at++];
        if (!point->present)
            continue;
        bool breaches = alarm_breaches(rule, point->value);
        sight.real++;
        sight.breaching += breaches;
        sight.oldest = sight.looked_at;
        sight.only_breaching &= breaches;
    }
    return sight;
}

/* Fewer than M points, but the oldest is old enough that M would be there, had they come, and none
 * is fine: then the missing ones do not keep it from being an alarm. */
static bool alarms_early(const struct sight *sight, uint32_t needed) {
    return sight->real > 0 && sight->only_breaching && sight->oldest >= needed;
}

struct verdict alarm_evaluate(const struct alarm_rule *rule, const struct alarm_point *points,
                              size_t count) {
    struct sight sight = look(rule, points, count);
    uint32_t needed = rule->datapoints == 0 ? rule->periods : rule->datapoints;
    uint32_t filled = rule->periods - sight.real, breaching = sight.breaching;
    enum alarm_treatment treatment = rule->treatment;
    bool unknown = treatment == ALARM_TREATMENT_MISSING || treatment == ALARM_TREATMENT_IGNORE;
    struct verdict verdict = {.state = ALARM_STATE_OK,
                              .looked_at = sight.looked_at,
                              .real = sight.real,
                              .filled = filled};
    if (treatment == ALARM_TREATMENT_BREACHING)
        breaching += filled;
    if (breaching >= needed) {
        verdict.state = ALARM_STATE_ALARM;
    } else if (unknown && sight.real == 0) {
        verdict.state = ALARM_STATE_INSUFFICIENT_DATA;
        verdict.keep = treatment == ALARM_TREATMENT_IGNORE;
    } else if (unknown && alarms_early(&sight, needed)) {
        verdict.state = ALARM_STATE_ALARM;
        verdict.keep = treatment == ALARM_TREATMENT_IGNORE;
    }
    return verdict;
}
