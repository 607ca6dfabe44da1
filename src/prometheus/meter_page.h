/* meter_page.h - the meters of a server as families of an exposition. docs/METRICS.md tells them
 * with the names that CloudWatch has for the same. */
#ifndef GRAMME_PROMETHEUS_METER_PAGE_H
#define GRAMME_PROMETHEUS_METER_PAGE_H

#include "metrics/meters.h"
#include "prometheus/exposition.h"

/* The meters of a database. */
struct meter_page_part {
    struct slice name_space; /* a label of its tables; empty: they have none */
    bool untold;             /* its tables are not told one by one */
    struct meter_sums sums;
};

/* Tables are told part by part, times of operations and commits of all parts together. `names`: of
 * the operations, by number; an operation without one is called "(none)". */
void meter_page_write(struct exposition *exposition, const struct meter_page_part *parts,
                      size_t part_count, const char *const names[METER_OPERATIONS_MAX]);

#endif
