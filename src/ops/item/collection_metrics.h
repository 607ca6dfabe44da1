/* collection_metrics.h - ItemCollectionMetrics in replies: how much one partition key of a table
 * with local indexes holds. */
#ifndef GRAMME_OPS_ITEM_COLLECTION_METRICS_H
#define GRAMME_OPS_ITEM_COLLECTION_METRICS_H

#include "engine/write.h"
#include "json/writer.h"

/* True when the request asks for it (ReturnItemCollectionMetrics, which passed its constraint) and
 * the table has some. */
bool collection_metrics_wanted(struct slice return_item_collection_metrics,
                               const struct table *table);
/* {"ItemCollectionKey":{...},"SizeEstimateRangeGB":[0.0,1.0]} */
void collection_metrics_write(struct json_writer *json, const struct item_write *write);
/* ,"ItemCollectionMetrics":{table:[...]} as a member: for each table that has some and that the
 * request names, one entry per item collection, as it is after its last write. Nothing when there
 * are none. table_names[i] is what the request calls the table of writes[i]. */
void collection_metrics_write_member(struct json_writer *json,
                                     struct slice return_item_collection_metrics, size_t count,
                                     const struct item_write *writes,
                                     const struct slice *table_names);

#endif
