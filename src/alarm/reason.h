/* reason.h - why an alarm is in its state: a sentence, and the figures as JSON. */
#ifndef GRAMME_ALARM_REASON_H
#define GRAMME_ALARM_REASON_H

#include "alarm/evaluate.h"
#include "base/arena.h"

/* What the figures tell beside the points. */
struct reason_facts {
    const struct alarm_rule *rule;
    const struct alarm_point *points; /* as they were evaluated, the newest first */
    uint32_t period_s;
    int64_t now_ms;
    struct slice unit;      /* absent: not said */
    struct slice statistic; /* absent: an expression */
};

/* At most REASON_BYTES_MAX bytes, however many points there are: the first few are told. */
enum { REASON_BYTES_MAX = 1023, REASON_DATA_BYTES_MAX = 4000 };

struct slice alarm_reason(struct arena *arena, const struct reason_facts *facts,
                          const struct verdict *verdict);
struct slice alarm_reason_data(struct arena *arena, const struct reason_facts *facts,
                               const struct verdict *verdict);
/* As the service's documents write it: 2026-02-26T10:14:11.000+0000. */
struct slice alarm_time(struct arena *arena, int64_t ms);

#endif
