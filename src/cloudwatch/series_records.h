/* series_records.h - series on disk. Private to this folder.
 *
 * Points are added in memory. Some seconds later the journal gets what changed: whole points, so
 * that the last one of a minute counts. When an hour is over, or too much is in memory, all pending
 * points are put away: each goes to the block of its series and hour, by the minute, and to that of
 * its series and day, by five minutes. That is a turn. Its number is in the blocks, so that a turn
 * that is interrupted goes on without adding anything twice; then its journal is deleted, and what
 * is too old. While a turn is put away the next one fills.
 *
 * Records (engine/record.h), names in hexadecimal digits:
 *   KIND            NAME                  VALUE
 *   metric          id                    1 version, 4 last minute with a sample, the metric
 *   metric-hour     hour since 1970, id   block (series_points.h)
 *   metric-day      day since 1970, id    block, its minutes multiples of five
 *   metric-journal  turn, number          1 version, then of each series or point:
 *                                         1 'm', 4 id, 4 length, the metric (metric.h)
 *                                         1 'p', 4 id, 4 minute, its sample (sample.h)
 *   metric-state    "turn"                4 the turn that comes */
#ifndef GRAMME_CLOUDWATCH_SERIES_RECORDS_H
#define GRAMME_CLOUDWATCH_SERIES_RECORDS_H

#include "engine/record.h"

#define SERIES_METRIC "metric"
#define SERIES_HOUR "metric-hour"
#define SERIES_DAY "metric-day"
#define SERIES_JOURNAL "metric-journal"
#define SERIES_STATE "metric-state"

/* Of a block: `at` is the hour or the day. */
static inline struct slice series_name(struct arena *arena, uint32_t at, uint32_t id) {
    return arena_printf(arena, "%08x%08x", at, id);
}

#endif
