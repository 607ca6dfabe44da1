/* cost.c - `gramme cost`: what tables were used for, from the metrics that the server keeps, and
 * what a month of that would cost.
 *
 * Units are those of a table and of its global indexes, which the service meters apart. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "cli/cost_model.h"
#include "cli/options.h"
#include "cli/service.h"
#include "json/member.h"
#include "json/text.h"

enum { DAY_S = 86400, NAMES_MAX = 10000 };

#define CLOUDWATCH "GraniteServiceVersion20100801."

struct cost_options {
    const char *endpoint;
    const char *region;
    const char *table;
    uint32_t hours;
    bool json;
    struct cost_prices prices;
};

struct cost {
    const struct cost_options *options;
    struct arena *arena;
    struct service tables;
    struct service monitor;
    int64_t end_s;
    int64_t period_s;
};

/* ---- requests ---- */

static void write_dimension(struct json_writer *json, const char *name, struct slice value) {
    json_object_begin(json);
    member_word(json, "Name", name);
    member_text(json, "Value", value);
    json_object_end(json);
}

struct wanted {
    const char *metric;
    const char *statistic;
    struct slice table;
    struct slice index;     /* absent: the table */
    struct slice operation; /* absent: it has no such dimension */
};

static void write_metric(struct json_writer *json, const struct wanted *wanted) {
    member_object(json, "Metric");
    member_word(json, "Namespace", "AWS/DynamoDB");
    member_word(json, "MetricName", wanted->metric);
    member_array(json, "Dimensions");
    write_dimension(json, "TableName", wanted->table);
    if (slice_present(wanted->index))
        write_dimension(json, "GlobalSecondaryIndexName", wanted->index);
    if (slice_present(wanted->operation))
        write_dimension(json, "Operation", wanted->operation);
    json_array_end(json);
    json_object_end(json);
}

static struct slice data_request(const struct cost *cost, const struct wanted *wanted,
                                 struct slice token) {
    struct json_text body;
    json_text_begin(&body);
    member_array(&body.json, "MetricDataQueries");
    json_object_begin(&body.json);
    member_word(&body.json, "Id", "m");
    member_object(&body.json, "MetricStat");
    write_metric(&body.json, wanted);
    member_integer(&body.json, "Period", cost->period_s);
    member_word(&body.json, "Stat", wanted->statistic);
    json_object_end(&body.json);
    json_object_end(&body.json);
    json_array_end(&body.json);
    member_integer(&body.json, "StartTime", cost->end_s - (int64_t)cost->options->hours * 3600);
    member_integer(&body.json, "EndTime", cost->end_s);
    if (slice_present(token))
        member_text(&body.json, "NextToken", token);
    return json_text_end(&body, cost->arena);
}

/* ---- reading metrics ---- */

struct total {
    double sum;
    double peak; /* of one period */
};

static double number_of(const struct json_value *value) {
    char text[64] = "";
    if (value->text.len < sizeof(text))
        memcpy(text, value->text.data, value->text.len);
    return strtod(text, NULL);
}

static void add_values(const struct json_value *result, struct total *total) {
    for (const struct json_value *value = json_find_items(result, "Values"); value != NULL;
         value = value->next) {
        double n = number_of(value);
        total->sum += n;
        total->peak = n > total->peak ? n : total->peak;
    }
}

static struct error *read_total(struct cost *cost, const struct wanted *wanted,
                                struct total *ret_total) {
    const struct json_value *reply;
    struct slice token = SLICE_NONE;
    *ret_total = (struct total){0, 0};
    do {
        TRY(service_call(&cost->monitor, CLOUDWATCH "GetMetricData",
                         data_request(cost, wanted, token), &reply));
        add_values(json_find_items(reply, "MetricDataResults"), ret_total);
        token = json_find_text(reply, "NextToken");
    } while (token.len > 0);
    return NULL;
}

/* Of a table, or of one of its indexes. */
static struct error *add_units(struct cost *cost, struct slice table, struct slice index,
                               struct cost_usage *usage) {
    struct total reads, writes;
    TRY(read_total(cost,
                   &(struct wanted){"ConsumedReadCapacityUnits", "Sum", table, index, SLICE_NONE},
                   &reads));
    TRY(read_total(cost,
                   &(struct wanted){"ConsumedWriteCapacityUnits", "Sum", table, index, SLICE_NONE},
                   &writes));
    usage->read_units += reads.sum;
    usage->write_units += writes.sum;
    usage->peak_read += reads.peak / (double)cost->period_s;
    usage->peak_write += writes.peak / (double)cost->period_s;
    return NULL;
}

static struct slice list_request(struct arena *arena, struct slice table, struct slice token) {
    struct json_text body;
    json_text_begin(&body);
    member_word(&body.json, "Namespace", "AWS/DynamoDB");
    member_word(&body.json, "MetricName", "SuccessfulRequestLatency");
    member_array(&body.json, "Dimensions");
    write_dimension(&body.json, "TableName", table);
    json_array_end(&body.json);
    if (slice_present(token))
        member_text(&body.json, "NextToken", token);
    return json_text_end(&body, arena);
}

static struct slice operation_of(const struct json_value *metric) {
    const struct json_value *dimension = json_find_items(metric, "Dimensions");
    while (dimension != NULL && !slice_is(json_find_text(dimension, "Name"), "Operation"))
        dimension = dimension->next;
    return json_find_text(dimension, "Value");
}

static struct error *add_requests(struct cost *cost, struct slice table, struct cost_usage *usage) {
    const struct json_value *reply;
    struct slice token = SLICE_NONE;
    do {
        TRY(service_call(&cost->monitor, CLOUDWATCH "ListMetrics",
                         list_request(cost->arena, table, token), &reply));
        for (const struct json_value *metric = json_find_items(reply, "Metrics"); metric != NULL;
             metric = metric->next) {
            struct total total;
            struct wanted wanted = {"SuccessfulRequestLatency", "SampleCount", table, SLICE_NONE,
                                    operation_of(metric)};
            if (!slice_present(wanted.operation))
                continue;
            TRY(read_total(cost, &wanted, &total));
            usage->requests += total.sum;
        }
        token = json_find_text(reply, "NextToken");
    } while (token.len > 0);
    return NULL;
}

/* ---- tables ---- */

static double member_number(const struct json_value *object, const char *name) {
    const struct json_value *value = json_find(object, name);
    return value == NULL ? 0 : number_of(value);
}

static struct slice name_request(struct arena *arena, struct slice table) {
    struct json_text body;
    json_text_begin(&body);
    member_text(&body.json, "TableName", table);
    return json_text_end(&body, arena);
}

static struct error *measure(struct cost *cost, struct slice table, struct cost_usage *ret_usage) {
    const struct json_value *reply;
    *ret_usage = (struct cost_usage){.hours = cost->options->hours};
    TRY(service_call(&cost->tables, "DescribeTable", name_request(cost->arena, table), &reply));
    const struct json_value *description = json_find(reply, "Table");
    ret_usage->bytes = member_number(description, "TableSizeBytes");
    TRY(add_units(cost, table, SLICE_NONE, ret_usage));
    for (const struct json_value *index = json_find_items(description, "GlobalSecondaryIndexes");
         index != NULL; index = index->next) {
        ret_usage->bytes += member_number(index, "IndexSizeBytes");
        TRY(add_units(cost, table, json_find_text(index, "IndexName"), ret_usage));
    }
    for (const struct json_value *index = json_find_items(description, "LocalSecondaryIndexes");
         index != NULL; index = index->next)
        ret_usage->bytes += member_number(index, "IndexSizeBytes");
    return add_requests(cost, table, ret_usage);
}

static struct error *list_tables(struct cost *cost, struct slice *ret_names, size_t *ret_count) {
    *ret_count = 0;
    if (cost->options->table != NULL) {
        ret_names[(*ret_count)++] = slice_text(cost->options->table);
        return NULL;
    }
    struct ddb_cursor *tables = ddb_call_pages(cost->tables.client, "ListTables", NULL);
    for (const struct ddb_item *table;
         *ret_count < NAMES_MAX && (table = ddb_cursor_next(tables)) != NULL;)
        ret_names[(*ret_count)++] =
            arena_slice(cost->arena, slice_text(ddb_item_string(table, "TableName", "")));
    ddb_cursor_free(tables);
    return ddb_client_error(cost->tables.client) == NULL
               ? NULL
               : service_error(&cost->tables, "ListTables");
}

/* ---- telling ---- */

static void print_text(struct slice name, const struct cost_usage *usage,
                       const struct cost_prices *prices) {
    struct cost_month month = cost_of(usage, prices);
    printf("%.*s\n", SLICE_ARGS(name));
    printf("  %-14s %16s %18s\n", "", "measured", "a month");
    printf("  %-14s %16.0f %18.0f\n", "requests", usage->requests, month.requests);
    printf("  %-14s %16.1f %18.0f\n", "read units", usage->read_units, month.read_units);
    printf("  %-14s %16.1f %18.0f\n", "write units", usage->write_units, month.write_units);
    printf("  %-14s %16.0f %18.2f\n", "bytes stored", usage->bytes, month.storage);
    printf("  %-14s %16s %18.2f   reads %.2f, writes %.2f, storage %.2f\n", "on demand", "",
           cost_on_demand(&month), month.on_demand_reads, month.on_demand_writes, month.storage);
    printf("  %-14s %16s %18.2f   %.0f read and %.0f write units, for peaks of %.1f and %.1f\n\n",
           "provisioned", "", cost_provisioned(&month), month.read_capacity, month.write_capacity,
           usage->peak_read, usage->peak_write);
}

static void member_double(struct json_writer *json, const char *name, double n) {
    json_name(json, slice_text(name));
    json_double(json, n);
}

static void write_json(struct json_writer *json, struct slice name, const struct cost_usage *usage,
                       const struct cost_prices *prices) {
    struct cost_month month = cost_of(usage, prices);
    json_object_begin(json);
    member_text(json, "table", name);
    member_double(json, "hours", usage->hours);
    member_double(json, "requests", usage->requests);
    member_double(json, "readUnits", usage->read_units);
    member_double(json, "writeUnits", usage->write_units);
    member_double(json, "peakReadUnitsPerSecond", usage->peak_read);
    member_double(json, "peakWriteUnitsPerSecond", usage->peak_write);
    member_double(json, "bytes", usage->bytes);
    member_object(json, "month");
    member_double(json, "requests", month.requests);
    member_double(json, "readUnits", month.read_units);
    member_double(json, "writeUnits", month.write_units);
    member_double(json, "storageCost", month.storage);
    member_double(json, "onDemandCost", cost_on_demand(&month));
    member_double(json, "provisionedCost", cost_provisioned(&month));
    member_double(json, "readCapacity", month.read_capacity);
    member_double(json, "writeCapacity", month.write_capacity);
    json_object_end(json);
    json_object_end(json);
}

static void print_prices(const struct cost_options *options) {
    const struct cost_prices *prices = &options->prices;
    printf("Of the last %u h, for a month of %.0f h. Prices: %g and %g a million read and write "
           "units on demand,\n%g and %g an hour of one provisioned unit at %.0f %% of the peak, %g "
           "a GB and month.\n",
           options->hours, COST_MONTH_HOURS, prices->read_million, prices->write_million,
           prices->read_hour, prices->write_hour, prices->utilization, prices->storage_month);
}

static void print_all(const struct cost_options *options, const struct slice *names,
                      const struct cost_usage *usages, size_t count) {
    struct cost_usage all = {.hours = options->hours};
    for (size_t i = 0; i < count; i++) {
        print_text(names[i], &usages[i], &options->prices);
        cost_add(&all, &usages[i]);
    }
    if (count > 1)
        print_text(SLICE_LITERAL("all tables"), &all, &options->prices);
    print_prices(options);
}

static void print_all_json(const struct cost_options *options, const struct slice *names,
                           const struct cost_usage *usages, size_t count) {
    struct buffer out;
    struct json_writer json;
    buffer_init(&out, SIZE_MAX / 2);
    json_writer_init(&json, &out);
    json_array_begin(&json);
    for (size_t i = 0; i < count; i++)
        write_json(&json, names[i], &usages[i], &options->prices);
    json_array_end(&json);
    printf("%.*s\n", (int)out.len, (const char *)out.data);
    buffer_release(&out);
}

/* ---- the command ---- */

static struct error *run_all(struct cost *cost) {
    struct slice *names = ARENA_ARRAY(cost->arena, struct slice, NAMES_MAX);
    size_t count;
    TRY(list_tables(cost, names, &count));
    struct cost_usage *usages = ARENA_ARRAY(cost->arena, struct cost_usage, count + 1);
    for (size_t i = 0; i < count; i++)
        TRY(measure(cost, names[i], &usages[i]));
    (cost->options->json ? print_all_json : print_all)(cost->options, names, usages, count);
    return NULL;
}

static int run_cost(const struct invocation *invocation) {
    const struct cost_options *options = invocation->values;
    struct cost cost = {.options = options, .arena = invocation->arena};
    /* Minutes are kept for a day, then five of them together. */
    cost.period_s = options->hours <= 24 ? 60 : 300;
    cost.end_s = (clock_now_ms(&system_clock) / 1000 / cost.period_s + 1) * cost.period_s;
    struct service_options service = {
        .endpoint = options->endpoint, .region = service_region(options->region), .timeout_s = 60};
    struct error *error = service_open(&cost.tables, cost.arena, &service);
    service.signing_name = "monitoring";
    if (error == NULL)
        error = service_open(&cost.monitor, cost.arena, &service);
    if (error == NULL)
        error = run_all(&cost);
    service_close(&cost.tables);
    service_close(&cost.monitor);
    if (error != NULL)
        fprintf(stderr, "gramme cost: %.*s\n", SLICE_ARGS(error->message));
    return error == NULL ? 0 : 1;
}

#define AT(member) OPTION_AT(struct cost_options, member)

static const struct option cost_options[] = {
    {"table", "NAME", .kind = OPTION_TEXT, AT(table), .otherwise = "all of them",
     .help = "only this table"},
    {"hours", "N", .kind = OPTION_NUMBER, AT(hours), .number = {1, 336}, .preset = "24",
     .help = "how far back; metrics are kept for 14 days"},
    {"json", .kind = OPTION_FLAG, AT(json), .help = "print JSON"},
    {"endpoint", "URL", .kind = OPTION_TEXT, AT(endpoint), .otherwise = SERVICE_ENDPOINT_DEFAULT,
     .help = "server to talk to"},
    {"region", "NAME", .kind = OPTION_TEXT, AT(region), .otherwise = SERVICE_REGION_DEFAULT,
     .help = "region"},
    {"read-million", "PRICE", .group = "Prices, as in us-east-1 since November 2024",
     .kind = OPTION_DECIMAL, AT(prices.read_million), .decimal = {0, 1e6}, .preset = "0.125",
     .help = "a million read request units, on demand"},
    {"write-million", "PRICE", .kind = OPTION_DECIMAL, AT(prices.write_million),
     .decimal = {0, 1e6}, .preset = "0.625", .help = "a million write request units, on demand"},
    {"read-hour", "PRICE", .kind = OPTION_DECIMAL, AT(prices.read_hour), .decimal = {0, 1e6},
     .preset = "0.00013", .help = "a provisioned read unit for an hour"},
    {"write-hour", "PRICE", .kind = OPTION_DECIMAL, AT(prices.write_hour), .decimal = {0, 1e6},
     .preset = "0.00065", .help = "a provisioned write unit for an hour"},
    {"storage", "PRICE", .kind = OPTION_DECIMAL, AT(prices.storage_month), .decimal = {0, 1e6},
     .preset = "0.25", .help = "a gigabyte for a month"},
    {"utilization", "PERCENT", .kind = OPTION_DECIMAL, AT(prices.utilization), .decimal = {1, 100},
     .preset = "70", .help = "how full provisioned capacity is in the busiest minute"},
    {.name = NULL},
};

const struct command command_cost = {
    .name = "cost",
    .summary = "tell what tables were used for, and what a month of it would cost",
    .about = "Reads the metrics that a server keeps, and multiplies them by prices.",
    .closing =
        "A table of which nothing was measured costs nothing on demand. Provisioned capacity is "
        "for the busiest minute of each table and index, all the time: auto scaling would "
        "need less.",
    .options = cost_options,
    .values_size = sizeof(struct cost_options),
    .run = run_cost,
};
