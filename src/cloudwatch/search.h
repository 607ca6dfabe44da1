/* search.h - the search expressions of metric math: which metrics are meant.
 *
 *   {AWS/DynamoDB,TableName} MetricName="ConsumedReadCapacityUnits" TableName=("a" OR "b")
 *
 * In braces a namespace and the names of dimensions, all that a metric has. Then terms, which all
 * must hold: Namespace, MetricName or a dimension has a value, or one of several, exactly; or a
 * word stands anywhere in the metric, in any case. NOT before a term turns it round.
 *
 * Memory: the arena; texts are those of the expression. Pure. */
#ifndef GRAMME_CLOUDWATCH_SEARCH_H
#define GRAMME_CLOUDWATCH_SEARCH_H

#include "base/error.h"
#include "cloudwatch/metric.h"

enum { SEARCH_TEXT_MAX = 1024, SEARCH_RESULTS_MAX = 100 }; /* the service's limits */

struct search;

struct error *search_compile(struct arena *arena, struct slice text, const struct search **ret);
bool search_matches(const struct search *search, const struct metric *metric);
/* The one that is meant; absent: any. */
struct slice search_name_space(const struct search *search);

#endif
