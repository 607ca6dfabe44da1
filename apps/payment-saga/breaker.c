/* breaker.c - the circuit breaker. */
#include "breaker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/timestamp.h"

enum { CLOSED_KEPT_S = 24 * 60 * 60 }; /* how long the counts of a closed breaker are kept */

static const char *const names[] = {"#state", "state", NULL};

static struct ddb_item *breaker_key(const char *service) {
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "serviceName", service);
    return key;
}

bool breaker_read(struct app *app, const char *service, struct ddb_item **ret_item) {
    struct ddb_item *key = breaker_key(service);
    bool ok = ddb_get_item(
        app_client(app),
        &(struct ddb_get){.table = "CircuitBreakerState", .key = key, .consistent = true},
        ret_item);
    ddb_item_free(key);
    if (!ok)
        app_db_fail(app, "cannot read the circuit breaker of %s", service);
    return ok;
}

/* Changes the breaker's item. A count too many, should the request be sent twice, does no harm:
 * `idempotent`. False when the condition does not hold or the write fails; the client knows. */
static bool breaker_write(const struct breaker *breaker, struct ddb_write write,
                          struct ddb_item **ret_item) {
    struct ddb_item *key = breaker_key(breaker->service);
    write.table = "CircuitBreakerState";
    write.key = key;
    write.names = names;
    write.return_values = ret_item == NULL ? DDB_RETURN_NOTHING : DDB_RETURN_ALL_NEW;
    write.idempotent = true;
    bool ok = ddb_update_item(app_client(breaker->app), &write, ret_item);
    ddb_item_free(key);
    return ok;
}

static bool state_is(const struct ddb_item *item, const char *state) {
    return strcmp(ddb_item_string(item, "state", "CLOSED"), state) == 0;
}

static int64_t reset_time(const struct ddb_item *item) {
    int64_t time_s = ddb_item_int(item, "resetTime", 0);
    return time_s > TIMESTAMP_MAX_S ? TIMESTAMP_MAX_S : time_s;
}

struct change {
    const char *to;
    int64_t reset_time;
    bool on_trial; /* a call is being tried */
};

/* Changes a breaker, unless somebody else has changed it since it was read. */
static bool breaker_change(const struct breaker *breaker, const struct ddb_item *item,
                           const struct change *change) {
    bool closes = strcmp(change->to, "CLOSED") == 0, opened = state_is(item, "OPEN");
    const char *counts = closes                       ? ", failureCount = :zero"
                         : opened && change->on_trial ? ", successCount = :zero"
                                                      : "";
    char update[128];
    snprintf(update, sizeof(update), "SET #state = :to, resetTime = :reset, onTrial = :trial%s",
             counts);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":from", ddb_item_string(item, "state", ""));
    ddb_item_set_int(values, ":seen", ddb_item_int(item, "resetTime", 0));
    ddb_item_set_bool(values, ":busy", ddb_item_bool(item, "onTrial", false));
    ddb_item_set_bool(values, ":no", false);
    ddb_item_set_string(values, ":to", change->to);
    ddb_item_set_int(values, ":reset", change->reset_time);
    ddb_item_set_bool(values, ":trial", change->on_trial);
    if (*counts != '\0')
        ddb_item_set_int(values, ":zero", 0);
    bool ok = breaker_write(
        breaker,
        (struct ddb_write){.update = update,
                           .condition = "#state = :from AND resetTime = :seen AND (onTrial = :busy "
                                        "OR (attribute_not_exists(onTrial) AND :busy = :no))",
                           .values = values},
        NULL);
    ddb_item_free(values);
    return ok;
}

/* One caller may try, the one who puts the breaker on trial. Should it die over the call, resetTime
 * lets the next one try. */
enum breaker_answer breaker_ask(const struct breaker *breaker) {
    struct ddb_item *item = NULL;
    if (!breaker_read(breaker->app, breaker->service, &item))
        return BREAKER_UNREADABLE;
    bool through = true;
    int64_t now_s = timestamp_now_ms() / 1000;
    if (item != NULL && !state_is(item, "CLOSED")) {
        bool waits = state_is(item, "OPEN") || ddb_item_bool(item, "onTrial", false);
        through = (!waits || now_s >= reset_time(item)) &&
                  breaker_change(
                      breaker, item,
                      &(struct change){"HALF_OPEN", now_s + breaker->reset_s, .on_trial = true});
    }
    ddb_item_free(item);
    return through ? BREAKER_LETS_THROUGH : BREAKER_REFUSES;
}

/* Counts the call; gives the item as it is then. A success ends a row of failures. */
static bool breaker_count(const struct breaker *breaker, bool succeeded, int64_t now_ms,
                          struct ddb_item **ret_item) {
    char now[TIMESTAMP_SIZE];
    timestamp_format_s(now_ms, now);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":closed", "CLOSED");
    ddb_item_set_string(values, ":now", now);
    ddb_item_set_int(values, ":kept", now_ms / 1000 + CLOSED_KEPT_S);
    ddb_item_set_int(values, ":zero", 0);
    ddb_item_set_int(values, ":one", 1);
    const char *update =
        succeeded ? "SET #state = if_not_exists(#state, :closed), lastSuccessTime = :now, "
                    "resetTime = if_not_exists(resetTime, :kept), failureCount = :zero "
                    "ADD successCount :one"
                  : "SET #state = if_not_exists(#state, :closed), lastFailureTime = :now, "
                    "resetTime = if_not_exists(resetTime, :kept), successCount = :zero "
                    "ADD failureCount :one";
    bool ok =
        breaker_write(breaker, (struct ddb_write){.update = update, .values = values}, ret_item);
    ddb_item_free(values);
    return ok;
}

void breaker_report(const struct breaker *breaker, bool succeeded) {
    int64_t now_ms = timestamp_now_ms(), now_s = now_ms / 1000;
    struct ddb_item *item = NULL;
    bool ok = breaker_count(breaker, succeeded, now_ms, &item);
    bool half_open = ok && state_is(item, "HALF_OPEN"), closed = ok && state_is(item, "CLOSED");
    struct change change = {NULL, now_s + breaker->reset_s, .on_trial = false};
    if ((half_open && !succeeded) ||
        (closed && ddb_item_int(item, "failureCount", 0) >= breaker->failures_max))
        change.to = "OPEN";
    else if (half_open && ddb_item_int(item, "successCount", 0) >= breaker->successes_needed)
        change = (struct change){"CLOSED", now_s + CLOSED_KEPT_S, .on_trial = false};
    else if (half_open)
        change.to = "HALF_OPEN"; /* the next one may try at once */
    if (change.to != NULL)
        ok = breaker_change(breaker, item, &change);
    ddb_item_free(item);
    if (!ok && !ddb_client_failed_with(app_client(breaker->app), "ConditionalCheckFailedException"))
        app_warn(breaker->app, "the circuit breaker of %s could not be told how the call went: %s",
                 breaker->service, ddb_client_error(app_client(breaker->app))->message);
}

enum app_status breaker_show(struct app *app) {
    const char *service = app_operand(app, 0);
    struct ddb_item *item = NULL;
    if (!app_check_id(app, "SERVICE", service))
        return APP_USAGE;
    if (!breaker_read(app, service, &item))
        return APP_FAILED;
    if (item == NULL) {
        printf("%s CLOSED failures 0 successes 0\n", service);
        return APP_OK;
    }
    printf("%s %s failures %" PRId64 " successes %" PRId64, service,
           ddb_item_string(item, "state", "?"), ddb_item_int(item, "failureCount", 0),
           ddb_item_int(item, "successCount", 0));
    if (!state_is(item, "CLOSED")) {
        char time[TIMESTAMP_SIZE];
        timestamp_format_s(reset_time(item) * 1000, time);
        printf(state_is(item, "OPEN") ? " no calls until %s" : " on trial until %s", time);
    }
    printf("\n");
    ddb_item_free(item);
    return APP_OK;
}
