/* table_description.h - a table as DescribeTable and its kin show it. */
#ifndef GRAMME_OPS_TABLE_TABLE_DESCRIPTION_H
#define GRAMME_OPS_TABLE_TABLE_DESCRIPTION_H

#include "json/writer.h"
#include "model/table.h"

enum description_kind {
    DESCRIBE_TABLE, /* the table as it is */
    /* The reply of CreateTable: what is asked for is not reached yet, so throughput that is kept
     * warm appears only when the request named it. */
    DESCRIBE_CREATED,
    /* The reply of UpdateTable: likewise for times and states that are set when it is done. */
    DESCRIBE_UPDATED,
    /* The reply of DeleteTable: the few members that are left. */
    DESCRIBE_DELETED,
};

/* What is shown of an index and is not in its definition. */
struct index_figures {
    int64_t item_count;
    int64_t size_bytes;
    bool warm_updating; /* it gets warmer than what is shown */
};

struct table_description {
    enum description_kind kind;
    const struct table_definition *definition;
    enum table_status status; /* shown instead of the definition's */
    /* Shown instead of the definition's when not NULL: UpdateTable shows what it replaces. */
    const struct provisioned_throughput *throughput;
    /* The units that an update took away are shown as -1 once. */
    bool on_demand_read_removed;
    bool on_demand_write_removed;
    bool sse_updating;
    bool warm_updating;
    int64_t item_count;
    int64_t size_bytes;
    struct index_figures *index_figures; /* one per index of the definition; NULL: all empty */
    int64_t now_ms;                      /* for what is counted by the day */
    struct slice region;
    struct slice account;
};

/* One JSON object. */
void table_description_write(struct json_writer *json, const struct table_description *table);

/* How many times throughput was decreased on the UTC day of `now_ms`. */
int64_t throughput_decreases_today(const struct provisioned_throughput *throughput, int64_t now_ms);

#endif
