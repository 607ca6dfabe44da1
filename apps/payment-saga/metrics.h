/* metrics.h - measurements over time, a partition for each kind and day.
 *
 * Table Metrics: "metricType#date", timestamp -> value, dimensions. */
#ifndef PAYMENT_SAGA_METRICS_H
#define PAYMENT_SAGA_METRICS_H

#include "common/app.h"

/* Records how long a payment took. A measurement is not worth a failure: where it cannot be written
 * there is only a warning. */
void metrics_record_latency(struct app *app, int64_t latency_ms, const char *status);

enum app_status metrics_show(struct app *app);

#endif
