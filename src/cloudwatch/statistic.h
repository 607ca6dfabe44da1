/* statistic.h - what is asked of a sample: its sum, its average, a percentile ... */
#ifndef GRAMME_CLOUDWATCH_STATISTIC_H
#define GRAMME_CLOUDWATCH_STATISTIC_H

#include "cloudwatch/sample.h"

enum statistic_kind {
    STATISTIC_SAMPLE_COUNT,
    STATISTIC_AVERAGE,
    STATISTIC_SUM,
    STATISTIC_MINIMUM,
    STATISTIC_MAXIMUM,
    STATISTIC_PERCENTILE,      /* p99.9 */
    STATISTIC_TRIMMED_MEAN,    /* tm99, TM(10%:90%), TM(10:100), IQM */
    STATISTIC_WINSORIZED_MEAN, /* wm99, WM(10%:90%) */
    STATISTIC_TRIMMED_COUNT,   /* tc99, TC(...) */
    STATISTIC_TRIMMED_SUM,     /* ts99, TS(...) */
    STATISTIC_PERCENTILE_RANK, /* PR(10:100) */
};

struct statistic {
    enum statistic_kind kind;
    double low, high; /* percent, or values; of a percentile `high` */
    bool values;
};

/* One of the five plain ones. */
bool statistic_read_plain(struct slice text, struct statistic *ret_statistic);
/* One of the others. False: there is none of that name. */
bool statistic_read_extended(struct slice text, struct statistic *ret_statistic);
/* Whether it needs to know how values are spread. */
static inline bool statistic_needs_spread(const struct statistic *statistic) {
    return statistic->kind >= STATISTIC_PERCENTILE;
}
/* False: the sample does not tell. */
bool statistic_of(const struct statistic *statistic, const struct sample *sample,
                  double *ret_value);

#endif
