/* meter_page.h - the meters of a server as families of an exposition. docs/METRICS.md tells them
 * with the names that CloudWatch has for the same. */
#ifndef GRAMME_PROMETHEUS_METER_PAGE_H
#define GRAMME_PROMETHEUS_METER_PAGE_H

#include "metrics/meters.h"
#include "prometheus/exposition.h"

/* `names`: of the operations, by number; an operation without one is called "(none)". */
void meter_page_write(struct exposition *exposition, const struct meter_sums *sums,
                      const char *const names[METER_OPERATIONS_MAX]);

#endif
