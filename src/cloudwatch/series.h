/* series.h - metrics over time: by minute for a day, by five minutes for two weeks.
 *
 * A series is the samples of one metric. What is added is in memory at once and on disk some
 * seconds later, so that a crash loses no more than SERIES_WRITE_MS; a close loses nothing. There
 * are at most SERIES_MAX series: for one more, the one that was idle longest goes. Memory does not
 * grow with what is kept: it holds what was added in the present hour (series_records.h).
 *
 * Time is that of the clock that the store was opened with. An idle store costs nothing: nothing is
 * written, and no thread runs, when nothing was added.
 * Threads: any; one lock, never held while the disk works. */
#ifndef GRAMME_CLOUDWATCH_SERIES_H
#define GRAMME_CLOUDWATCH_SERIES_H

#include "base/error.h"
#include "cloudwatch/metric.h"
#include "cloudwatch/sample.h"
#include "cloudwatch/series_options.h"

struct series_store;

struct error *series_open(struct arena *arena, const struct series_options *options,
                          struct series_store **ret_store);
/* Writes what is not yet on disk. series_close(NULL) is fine. */
void series_close(struct series_store *store);
const struct clock *series_clock(const struct series_store *store);

/* Adds to the minute of `time_ms`; what is too old or too far ahead to be kept is dropped. The
 * metric has a unit and sorted dimensions; both arguments stay the caller's. */
void series_add(struct series_store *store, const struct metric *metric, int64_t time_ms,
                const struct sample *sample);
/* The clock was set forward: writes soon what else would wait for some seconds to pass. */
void series_time_moved(struct series_store *store);
/* Has all that was added so far on disk when it returns. */
struct error *series_write(struct series_store *store, struct arena *arena);

/* ---- reading ---- */

struct series_query {
    const struct metric *metric; /* its unit may be METRIC_UNIT_ANY: all of them together */
    int64_t from_ms;             /* a whole minute; periods are counted from here */
    int64_t to_ms;               /* excluded */
    int64_t period_ms;           /* whole minutes */
    bool spread;                 /* distributions are wanted */
};

struct series_point {
    int64_t time_ms; /* the start of its period */
    struct sample sample;
};

struct series_result {
    struct series_point *points; /* periods with samples, the oldest first; in the arena */
    size_t count;
    uint32_t units; /* a bit for each unit that there is a series of */
};

/* Minutes that are more than a day old are gone: a query that begins there sees five minutes, when
 * start and period are multiples of that, else nothing of that time. */
struct error *series_read(struct series_store *store, struct arena *arena,
                          const struct series_query *query, struct series_result *ret_result);

/* A bit for each unit that there is a series of the metric in; its own unit is not looked at. */
uint32_t series_units(struct series_store *store, const struct metric *metric);

/* ---- listing ---- */

struct series_filter {
    struct slice name_space;                   /* absent: any */
    struct slice name;                         /* likewise */
    const struct metric_dimension *dimensions; /* must be among those of a metric; any value when
                                                  the value is absent */
    size_t dimension_count;
    int64_t since_ms;   /* had a sample at or after this; 0: whenever */
    struct slice after; /* what series_token() told: goes on there; absent: from the first */
};

/* Metrics without regard to their units, in the order of their bytes; in the arena. At most `max`,
 * and one at least but no more than the arena's limit allows: *ret_more tells that there are
 * others. */
void series_list(struct series_store *store, struct arena *arena,
                 const struct series_filter *filter, size_t max, struct metric **ret_metrics,
                 size_t *ret_count, bool *ret_more);
/* What series_filter.after takes, to go on behind this metric. */
struct slice series_token(struct arena *arena, const struct metric *metric);

#endif
