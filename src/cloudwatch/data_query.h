/* data_query.h - MetricDataQueries: metrics and expressions over them, by their ids; what
 * GetMetricData answers and an alarm may look at.
 *
 * Memory: the arena; texts are those of the input. Threads: any. */
#ifndef GRAMME_CLOUDWATCH_DATA_QUERY_H
#define GRAMME_CLOUDWATCH_DATA_QUERY_H

#include "cloudwatch/metric_math.h"
#include "cloudwatch/series.h"
#include "cloudwatch/statistic.h"
#include "service/input.h"

enum { DATA_QUERIES_MAX = 500 };

enum data_query_state { DATA_QUERY_NEW, DATA_QUERY_RUNNING, DATA_QUERY_DONE };

struct data_query {
    struct slice id;
    struct slice label;                 /* absent: data_query_label() makes one */
    const struct math_node *expression; /* NULL: it is a metric */
    struct metric metric;
    struct slice stat;
    struct statistic statistic;
    int64_t period_s;
    bool return_data;
    enum data_query_state state;
    struct math_value value; /* DATA_QUERY_DONE: a series, or a list of them */
    uint32_t units;          /* of the metric: a bit for each */
};

struct data_queries {
    struct data_query *list;
    size_t count;
};

extern const struct input_field data_query_fields[];

/* A checked list, by its first item. */
struct error *data_queries_read(struct arena *arena, const struct json_value *first,
                                struct data_queries *ret_queries);

struct data_range {
    struct series_store *series;
    int64_t now_ms;
    int64_t from_ms, to_ms;
};

/* Runs those that return data, and what they need. */
struct error *data_queries_run(struct arena *arena, struct data_queries *queries,
                               const struct data_range *range);

/* The metric's name, with what tells it from others of that name; an expression's id. */
struct slice data_query_label(struct arena *arena, const struct data_queries *queries,
                              const struct data_query *query);

#endif
