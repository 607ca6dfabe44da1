/* metrics.c - records measurements and sums them up. */
#include "metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/money.h"
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

static bool put_metric(struct app *app, const struct metric *metric, int64_t time_ms,
                       const char *value) {
    char key[KEY_SIZE], time[TIMESTAMP_SIZE];
    metric_key(metric->type, time_ms, key);
    timestamp_format_ms(time_ms, time);
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_string(item, "metricType#date", key);
    ddb_item_set_string(item, "timestamp", time);
    ddb_item_set_number(item, "value", value);
    struct ddb_item *dimensions = ddb_item_set_map(item, "dimensions");
    ddb_item_set_string(dimensions, "service", metric->service);
    ddb_item_set_string(dimensions, "operation", metric->operation);
    ddb_item_set_string(dimensions, "status", metric->status);
    bool ok = ddb_put_item(app_client(app),
                           &(struct ddb_write){.table = "Metrics",
                                               .item = item,
                                               .condition = "attribute_not_exists(#key)",
                                               .names = names},
                           NULL);
    ddb_item_free(item);
    return ok;
}

static void record(struct app *app, const struct metric *metric, const char *value) {
    int64_t now_ms = timestamp_now_ms();
    /* Two may be measured within one millisecond: the second one moves on to the next. */
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        if (put_metric(app, metric, now_ms + tries, value))
            return;
        if (!ddb_client_failed_with(app_client(app), "ConditionalCheckFailedException"))
            break;
    }
    app_warn(app, "%s could not be recorded: %s", metric->type,
             ddb_client_error(app_client(app))->message);
}

void metrics_record_ms(struct app *app, const struct metric *metric, int64_t value_ms) {
    char value[32];
    snprintf(value, sizeof(value), "%" PRId64, value_ms);
    record(app, metric, value);
}

void metrics_record_money(struct app *app, const struct metric *metric, int64_t cents) {
    char value[MONEY_TEXT_SIZE];
    money_format(cents, value);
    record(app, metric, value);
}

/* ---- reading ---- */

enum { GROUP_NAME_SIZE = sizeof(((struct metrics_group *)NULL)->name) };

struct measurement {
    char group[GROUP_NAME_SIZE];
    double value;
};

struct measurements {
    struct measurement *all;
    size_t count;
    size_t capacity;
};

static bool measurements_add(struct measurements *list, const char *group, double value) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 1024 : list->capacity * 2;
        struct measurement *all = realloc(list->all, capacity * sizeof(*all));
        if (all == NULL)
            return false;
        list->all = all;
        list->capacity = capacity;
    }
    struct measurement *measurement = &list->all[list->count++];
    snprintf(measurement->group, sizeof(measurement->group), "%s", group);
    measurement->value = value;
    return list->count <= VALUES_MAX;
}

static bool read_day(struct app *app, const struct metrics_question *question, int64_t day_ms,
                     struct measurements *list) {
    char key[KEY_SIZE];
    metric_key(question->type, day_ms, key);
    struct ddb_item *parameters = ddb_item_new();
    ddb_item_set_string(parameters, ":key", key);
    struct ddb_cursor *metrics =
        ddb_query(app_client(app), &(struct ddb_query){.table = "Metrics",
                                                       .key_condition = "#key = :key",
                                                       .names = names,
                                                       .values = parameters});
    bool ok = true;
    for (const struct ddb_item *item; ok && (item = ddb_cursor_next(metrics)) != NULL;)
        ok = measurements_add(
            list,
            question->dimension == NULL
                ? ""
                : ddb_item_string(ddb_item_map(item, "dimensions"), question->dimension, "-"),
            strtod(ddb_item_number(item, "value", "0"), NULL));
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

static int compare(const void *a, const void *b) {
    const struct measurement *x = a, *y = b;
    int names_differ = strcmp(x->group, y->group);
    return names_differ != 0 ? names_differ : (x->value > y->value) - (x->value < y->value);
}

/* Of `count` measurements of one group, in order. */
static struct metrics_group sum_up(const struct measurement *from, size_t count) {
    struct metrics_group group = {.count = count};
    memcpy(group.name, from->group, sizeof(group.name));
    double *values = malloc(count * sizeof(*values));
    if (values == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        values[i] = from[i].value;
        group.sum += from[i].value;
    }
    group.average = group.sum / (double)count;
    group.least = values[0];
    group.p50 = percentile(values, count, 50);
    group.p90 = percentile(values, count, 90);
    group.p99 = percentile(values, count, 99);
    group.most = values[count - 1];
    free(values);
    return group;
}

bool metrics_sum_up(struct app *app, const struct metrics_question *question,
                    struct metrics_group **ret_groups, size_t *ret_count) {
    struct measurements list = {0};
    struct metrics_group *groups = NULL;
    size_t count = 0;
    bool ok = true;
    for (int64_t day_ms = question->from_ms; ok && day_ms <= question->to_ms; day_ms += DAY_MS)
        ok = read_day(app, question, day_ms, &list);
    if (ok && list.count > 0)
        qsort(list.all, list.count, sizeof(*list.all), compare);
    for (size_t i = 0, end; ok && i < list.count; i = end) {
        for (end = i; end < list.count && strcmp(list.all[end].group, list.all[i].group) == 0;)
            end++;
        groups = realloc(groups, (count + 1) * sizeof(*groups));
        if (groups == NULL)
            abort();
        groups[count++] = sum_up(&list.all[i], end - i);
    }
    free(list.all);
    if (!ok)
        return false;
    *ret_groups = groups;
    *ret_count = count;
    return true;
}

/* ---- metrics TYPE DATE [TO] ---- */

const struct app_option metrics_show_options[] = {
    {"by", "DIMENSION", "a line for each value of it: service, operation or status", false},
    {0},
};

bool metrics_question_read(const struct app *app, const char *type, const char *from,
                           const char *to, struct metrics_question *ret_question) {
    struct metrics_question question = {.type = type};
    if (!app_check_id(app, "TYPE", type))
        return false;
    if (!timestamp_parse_day(from, &question.from_ms)) {
        app_bad_usage(app, "DATE is a day like 2024-01-01, not '%s'", from);
        return false;
    }
    question.to_ms = question.from_ms;
    if (to != NULL &&
        (!timestamp_parse_day(to, &question.to_ms) || question.to_ms < question.from_ms ||
         question.to_ms - question.from_ms >= (int64_t)DAYS_MAX * DAY_MS)) {
        app_bad_usage(app, "TO is a day from DATE on, at most %d days in all, not '%s'", DAYS_MAX,
                      to);
        return false;
    }
    *ret_question = question;
    return true;
}

enum app_status metrics_show(struct app *app) {
    struct metrics_question question;
    struct metrics_group *groups = NULL;
    size_t count = 0;
    if (!metrics_question_read(app, app_operand(app, 0), app_operand(app, 1), app_operand(app, 2),
                               &question))
        return APP_USAGE;
    question.dimension = app_option(app, "by", NULL);
    if (!metrics_sum_up(app, &question, &groups, &count))
        return APP_FAILED;
    if (count == 0)
        printf("count 0\n");
    for (size_t i = 0; i < count; i++) {
        const struct metrics_group *group = &groups[i];
        printf("%s%scount %zu sum %.2f average %.2f min %.2f p50 %.2f p90 %.2f p99 %.2f max %.2f\n",
               group->name, *group->name == '\0' ? "" : " ", group->count, group->sum,
               group->average, group->least, group->p50, group->p90, group->p99, group->most);
    }
    free(groups);
    return APP_OK;
}
