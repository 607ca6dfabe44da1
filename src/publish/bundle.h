/* bundle.h - samples as bytes, from a server that counted them to the one that publishes.
 *
 *   SIZE  MEANING
 *   1     version
 *   then of each sample:
 *   8     its time, in milliseconds since 1970
 *   4     length of the metric, and the metric (cloudwatch/metric.h)
 *   ...   the sample (cloudwatch/sample.h)
 * all little-endian. A bundle without samples has no bytes. */
#ifndef GRAMME_PUBLISH_BUNDLE_H
#define GRAMME_PUBLISH_BUNDLE_H

#include "base/buffer.h"
#include "cloudwatch/series.h"

/* More than all series that a server keeps take. */
enum { BUNDLE_BYTES_MAX = 8 << 20 };

/* Adds one; what does not fit is left out, and the bundle is marked as full. */
void bundle_put(struct buffer *bundle, const struct metric *metric, int64_t time_ms,
                const struct sample *sample);
/* Adds all of them to the series; false: from some place on it is no bundle, and what is there was
 * left out. */
bool bundle_open(struct slice bytes, struct series_store *series);

#endif
