/* publish_meters.c - what was counted since the last time, metric by metric.
 *
 * Counters only grow, so their differences are what was counted in between; the extremes of a
 * spread are those of that time already, and may be missing (counter.h). */
#include <math.h>

#include "publish/publication.h"

/* The difference of two counters that stand at the same place; `last` may be NULL. */
#define SINCE(now, last, member) \
    (counter_read(&(now)->member) - ((last) == NULL ? 0 : counter_read(&(last)->member)))

/* Events, each of which counts 1. */
static void add_events(const struct publication *to, const char *name, uint64_t events) {
    double count = (double)events;
    struct sample sample = {.sum = count, .count = count, .min = 1, .max = 1};
    if (events > 0)
        publication_add(to, name, METRIC_UNIT_COUNT, &sample);
}

/* What a spread gained, in its unit times `scale`. False: nothing. */
static bool spread_since(const struct spread *now, const struct spread *last, double scale,
                         struct sample *ret_sample) {
    uint64_t count = SINCE(now, last, count);
    if (count == 0)
        return false;
    double sum = (double)SINCE(now, last, sum) * scale, mean = sum / (double)count;
    uint64_t min_plus = counter_read(&now->min_plus), max_plus = counter_read(&now->max_plus);
    *ret_sample = (struct sample){.sum = sum, .count = (double)count, .min = mean, .max = mean};
    if (min_plus != 0 && max_plus != 0) {
        ret_sample->min = fmin(mean, (double)(min_plus - 1) * scale);
        ret_sample->max = fmax(mean, (double)(max_plus - 1) * scale);
    }
    return true;
}

static void add_spread(const struct publication *to, const char *name, enum metric_unit unit,
                       const struct spread *now, const struct spread *last, double scale) {
    struct sample sample;
    if (spread_since(now, last, scale, &sample))
        publication_add(to, name, unit, &sample);
}

/* ---- requests ---- */

/* In the middle of a bucket, but not beyond what was seen. */
static double bucket_ms(size_t bucket, const struct sample *seen) {
    double low = bucket == 0 ? 0 : (double)latency_bucket_max(bucket - 1);
    double high = bucket + 1 == LATENCY_BUCKETS ? low : (double)latency_bucket_max(bucket);
    return fmax(seen->min, fmin(seen->max, (low + high) / 2e6));
}

static void add_latency(const struct publication *to, struct latency *now, struct latency *last) {
    struct sample seen, sample = {.count = 0};
    if (!spread_since(&now->ns, last == NULL ? NULL : &last->ns, 1e-6, &seen))
        return;
    for (size_t i = 0; i < LATENCY_BUCKETS; i++) {
        uint64_t times = SINCE(now, last, buckets[i]);
        if (times > 0)
            sample_observe(&sample, bucket_ms(i, &seen), (double)times);
    }
    if (sample.count > 0) {
        sample.sum = seen.sum;
        sample.min = fmin(sample.min, seen.min);
        sample.max = fmax(sample.max, seen.max);
        publication_add(to, "SuccessfulRequestLatency", METRIC_UNIT_MILLISECONDS, &sample);
    }
    sample_release(&sample);
}

static bool is_throttling(enum error_code code) {
    return code == ERROR_THROTTLING || code == ERROR_PROVISIONED_THROUGHPUT_EXCEEDED ||
           code == ERROR_REQUEST_LIMIT_EXCEEDED;
}

/* Of what went wrong, the part that is this server's fault, or the caller's. */
static uint64_t errors_since(const struct meter_operation *now, const struct meter_operation *last,
                             bool system) {
    uint64_t count = 0;
    for (size_t i = METER_ERRORS; i < METER_OUTCOMES; i++) {
        enum error_code code = (enum error_code)(i - METER_ERRORS);
        bool own = error_kind(code)->http_status >= 500;
        bool other = is_throttling(code) || code == ERROR_CONDITIONAL_CHECK_FAILED;
        if (system ? own : !own && !other)
            count += SINCE(now, last, outcomes[i]);
    }
    return count;
}

static bool returns_items(struct slice name) {
    return slice_is(name, "Query") || slice_is(name, "Scan") || slice_is(name, "ExecuteStatement");
}

/* Of the stream that the table has now. */
static struct slice stream_label(const struct publication *to, struct slice table_name) {
    const struct table *table = to->catalog == NULL ? NULL : catalog_find(to->catalog, table_name);
    return table == NULL ? SLICE_NONE : table->definition.stream_label;
}

static void publish_operation(struct publication to, struct slice table, struct slice name,
                              struct meter_operation *now, struct meter_operation *last) {
    bool streams = slice_is(name, "GetRecords");
    struct slice label = streams ? stream_label(&to, table) : SLICE_NONE;
    publication_dimension(&to, "Operation", name);
    struct publication of_stream = to;
    if (label.len > 0)
        publication_dimension(&of_stream, "StreamLabel", label);
    publication_dimension(&of_stream, "TableName", table);
    publication_dimension(&to, "TableName", table);
    add_latency(&of_stream, &now->latency, last == NULL ? NULL : &last->latency);
    add_events(&to, "SystemErrors", errors_since(now, last, true));
    add_events(&to, "ThrottledRequests", SINCE(now, last, throttled));
    const struct spread *returned = last == NULL ? NULL : &last->returned;
    const struct spread *bytes = last == NULL ? NULL : &last->returned_bytes;
    if (returns_items(name))
        add_spread(&to, "ReturnedItemCount", METRIC_UNIT_COUNT, &now->returned, returned, 1);
    if (!streams)
        return;
    add_spread(&of_stream, "ReturnedRecordsCount", METRIC_UNIT_COUNT, &now->returned, returned, 1);
    add_spread(&of_stream, "ReturnedBytes", METRIC_UNIT_BYTES, &now->returned_bytes, bytes, 1);
}

/* ---- tables and indexes ---- */

static void publish_throttles(const struct publication *to, const struct meter_resource *now,
                              const struct meter_resource *last) {
    static const char *const names[METER_THROTTLES] = {
        [METER_READ_PROVISIONED] = "ReadProvisionedThroughputThrottleEvents",
        [METER_READ_KEY_RANGE] = "ReadKeyRangeThroughputThrottleEvents",
        [METER_READ_ACCOUNT] = "ReadAccountLimitThrottleEvents",
        [METER_READ_MAX_ON_DEMAND] = "ReadMaxOnDemandThroughputThrottleEvents",
        [METER_WRITE_PROVISIONED] = "WriteProvisionedThroughputThrottleEvents",
        [METER_WRITE_KEY_RANGE] = "WriteKeyRangeThroughputThrottleEvents",
        [METER_WRITE_ACCOUNT] = "WriteAccountLimitThrottleEvents",
        [METER_WRITE_MAX_ON_DEMAND] = "WriteMaxOnDemandThroughputThrottleEvents",
    };
    uint64_t reads = 0, writes = 0;
    for (size_t i = 0; i < METER_THROTTLES; i++) {
        uint64_t events = SINCE(now, last, throttled[i]);
        *(i < METER_WRITE_PROVISIONED ? &reads : &writes) += events;
        add_events(to, names[i], events);
    }
    add_events(to, "ReadThrottleEvents", reads);
    add_events(to, "WriteThrottleEvents", writes);
}

static void publish_resource(const struct publication *to, const struct meter_resource *now,
                             const struct meter_resource *last) {
    add_spread(to, "ConsumedReadCapacityUnits", METRIC_UNIT_COUNT, &now->read,
               last == NULL ? NULL : &last->read, 0.5);
    add_spread(to, "ConsumedWriteCapacityUnits", METRIC_UNIT_COUNT, &now->write,
               last == NULL ? NULL : &last->write, 0.5);
    publish_throttles(to, now, last);
}

static const struct meter_resource *last_index(const struct meter_table *last, struct slice name) {
    const struct meter_index *index = last == NULL ? NULL : last->indexes;
    while (index != NULL && !slice_equal(index->name, name))
        index = index->next;
    return index == NULL ? NULL : &index->own;
}

static void publish_indexes(struct publication to, const struct meter_table *now,
                            const struct meter_table *last) {
    for (const struct meter_index *index = now->indexes; index != NULL; index = index->next) {
        to.dimension_count = 0;
        publication_dimension(&to, "GlobalSecondaryIndexName", index->name);
        publication_dimension(&to, "TableName", now->name);
        publish_resource(&to, &index->own, last_index(last, index->name));
    }
}

static void publish_table(const struct publication *to, struct meter_table *now,
                          struct meter_table *last) {
    struct publication of_table = *to;
    publication_dimension(&of_table, "TableName", now->name);
    publish_resource(&of_table, &now->own, last == NULL ? NULL : &last->own);
    add_events(&of_table, "ConditionalCheckFailedRequests", SINCE(now, last, conditions_failed));
    add_events(&of_table, "TransactionConflict", SINCE(now, last, conflicts));
    add_events(&of_table, "TimeToLiveDeletedItemCount", SINCE(now, last, expired));
    publish_indexes(*to, now, last);
    for (size_t i = 0; i < METER_OPERATIONS_MAX; i++)
        if (now->operations[i] != NULL && to->names[i] != NULL)
            publish_operation(*to, now->name, slice_text(to->names[i]), now->operations[i],
                              last == NULL ? NULL : last->operations[i]);
}

static uint64_t user_errors(const struct meter_table *now, const struct meter_table *last) {
    uint64_t count = 0;
    for (size_t i = 0; i < METER_OPERATIONS_MAX; i++)
        if (now->operations[i] != NULL)
            count +=
                errors_since(now->operations[i], last == NULL ? NULL : last->operations[i], false);
    return count;
}

/* Both lists are in the order of names, and no table leaves them. */
void publish_meters(struct publication *to, const struct meter_sums *now,
                    const struct meter_sums *last) {
    uint64_t errors = 0;
    for (size_t i = 0, j = 0; i < now->table_count; i++) {
        struct meter_table *table = now->tables[i], *before = NULL;
        if (j < last->table_count && slice_equal(last->tables[j]->name, table->name))
            before = last->tables[j++];
        errors += user_errors(table, before);
        if (table->name.len > 0)
            publish_table(to, table, before);
    }
    add_events(to, "UserErrors", errors);
}
