/* alarm_points.h - the points of an alarm, from the series: what alarms look at. */
#ifndef GRAMME_CLOUDWATCH_ALARM_POINTS_H
#define GRAMME_CLOUDWATCH_ALARM_POINTS_H

#include "alarm/options.h"

struct series_store;

/* What alarms read their points from. */
struct alarm_source alarm_points_source(struct series_store *series);
/* Whether the expressions of an alarm can be worked out; an error tells what is wrong. */
struct error *alarm_points_check(struct series_store *series, struct arena *arena,
                                 const struct alarm_settings *settings, int64_t now_ms);

#endif
