/* service_metrics.h - what a service did, counted for Prometheus. Private to the frame.
 *
 * Threads: any may count; numbers are read one by one, so a page is a moment's, roughly. */
#ifndef APPS_COMMON_SERVICE_METRICS_H
#define APPS_COMMON_SERVICE_METRICS_H

#include <stdio.h>

#include "common/service.h"

enum { METRICS_BUCKETS = 9 };

/* Of one route; the last one is for what has none. */
struct route_metrics {
    atomic_uint_fast64_t by_class[6]; /* of status 2xx, ... by its first digit */
    atomic_uint_fast64_t buckets[METRICS_BUCKETS + 1];
    atomic_uint_fast64_t microseconds;
};

struct task_metrics {
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t failed;
    atomic_int_fast64_t last_done_s; /* seconds since 1970 */
};

void metrics_count(struct route_metrics *route, int status, int64_t microseconds);

struct metrics_page {
    const char *program;
    const struct service *service;
    const struct route_metrics *routes; /* one for each route, and one more */
    const struct task_metrics *tasks;   /* one for each task */
};

/* In the text form, version 0.0.4. */
void metrics_write(FILE *out, const struct metrics_page *page);

#endif
