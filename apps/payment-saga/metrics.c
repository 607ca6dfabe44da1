/* metrics.c - records measurements and sums them up. */
#include "metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/percentile.h"
#include "common/timestamp.h"

enum { TRIES_MAX = 20, DAYS_MAX = 366, VALUES_MAX = 1000000, TYPE_MAX = 64 };

static const char *const names[] = {"#key", "metricType#date", NULL};

/* "PAYMENT_LATENCY#2024-01-01" */
enum { KEY_SIZE = TYPE_MAX + 1 + TIMESTAMP_SIZE };
static void metric_key(const char *type, int64_t time_ms, char ret_key[KEY_SIZE]) {
    char day[TIMESTAMP_SIZE];
    timestamp_format_day(time_ms, day);
    snprintf(ret_key, KEY_SIZE, "%s#%s", type, day);
}

static bool put_metric(struct app *app, int64_t time_ms, int64_t latency_ms, const char *status) {
    char key[KEY_SIZE], time[TIMESTAMP_SIZE];
    metric_key("PAYMENT_LATENCY", time_ms, key);
    timestamp_format_ms(time_ms, time);
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_string(item, "metricType#date", key);
    ddb_item_set_string(item, "timestamp", time);
    ddb_item_set_int(item, "value", latency_ms);
    struct ddb_item *dimensions = ddb_item_set_map(item, "dimensions");
    ddb_item_set_string(dimensions, "service", "payments-adapter");
    ddb_item_set_string(dimensions, "operation", "process_payment");
    ddb_item_set_string(dimensions, "status", status);
    bool ok = ddb_put_item(app_client(app),
                           &(struct ddb_write){.table = "Metrics",
                                               .item = item,
                                               .condition = "attribute_not_exists(#key)",
                                               .names = names},
                           NULL);
    ddb_item_free(item);
    return ok;
}

void metrics_record_latency(struct app *app, int64_t latency_ms, const char *status) {
    int64_t now_ms = timestamp_now_ms();
    /* Two payments may end within one millisecond: the second one moves on to the next. */
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        if (put_metric(app, now_ms + tries, latency_ms, status))
            return;
        if (!ddb_client_failed_with(app_client(app), "ConditionalCheckFailedException"))
            break;
    }
    app_warn(app, "the latency could not be recorded: %s",
             ddb_client_error(app_client(app))->message);
}

/* ---- metrics TYPE DATE [TO] ---- */

struct values {
    double *all;
    size_t count;
    size_t capacity;
};

static bool values_add(struct values *values, double value) {
    if (values->count == values->capacity) {
        size_t capacity = values->capacity == 0 ? 1024 : values->capacity * 2;
        double *all = realloc(values->all, capacity * sizeof(*all));
        if (all == NULL)
            return false;
        values->all = all;
        values->capacity = capacity;
    }
    values->all[values->count++] = value;
    return values->count <= VALUES_MAX;
}

static bool read_day(struct app *app, const char *type, int64_t day_ms, struct values *values) {
    char key[KEY_SIZE];
    metric_key(type, day_ms, key);
    struct ddb_item *parameters = ddb_item_new();
    ddb_item_set_string(parameters, ":key", key);
    struct ddb_cursor *metrics =
        ddb_query(app_client(app), &(struct ddb_query){.table = "Metrics",
                                                       .key_condition = "#key = :key",
                                                       .names = names,
                                                       .values = parameters});
    bool ok = true;
    for (const struct ddb_item *item; ok && (item = ddb_cursor_next(metrics)) != NULL;)
        ok = values_add(values, strtod(ddb_item_number(item, "value", "0"), NULL));
    if (!ok)
        app_fail(app, "there are more than %d values; ask for fewer days", VALUES_MAX);
    else if (ddb_client_error(app_client(app)) != NULL) {
        app_db_fail(app, "cannot read %s", key);
        ok = false;
    }
    ddb_cursor_free(metrics);
    ddb_item_free(parameters);
    return ok;
}

enum app_status metrics_show(struct app *app) {
    const char *type = app_operand(app, 0), *from = app_operand(app, 1), *to = app_operand(app, 2);
    int64_t from_ms, to_ms;
    if (!app_check_id(app, "TYPE", type))
        return APP_USAGE;
    if (!timestamp_parse_day(from, &from_ms))
        return app_bad_usage(app, "DATE is a day like 2024-01-01, not '%s'", from);
    to_ms = from_ms;
    if (to != NULL && (!timestamp_parse_day(to, &to_ms) || to_ms < from_ms ||
                       to_ms - from_ms >= (int64_t)DAYS_MAX * DAY_MS))
        return app_bad_usage(app, "TO is a day from DATE on, at most %d days in all, not '%s'",
                             DAYS_MAX, to);
    struct values values = {0};
    bool ok = true;
    for (int64_t day_ms = from_ms; ok && day_ms <= to_ms; day_ms += DAY_MS)
        ok = read_day(app, type, day_ms, &values);
    if (ok && values.count == 0) {
        printf("count 0\n");
    } else if (ok) {
        percentile_sort(values.all, values.count);
        printf("count %zu p50 %.2f p99 %.2f\n", values.count,
               percentile(values.all, values.count, 50), percentile(values.all, values.count, 99));
    }
    free(values.all);
    return ok ? APP_OK : APP_FAILED;
}
