/* serve.c - routes to the rates, and the task that asks a source for them on a schedule. */
#include "serve.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/duration.h"
#include "cross.h"
#include "refresh.h"
#include "store.h"

enum { REFRESH_S = 60 * 60 };

const struct app_option serve_options[] = {
    SERVICE_OPTIONS,
    SOURCE_OPTIONS,
    {"bases", "CURRENCY,...", "the currencies whose rates are asked for; none when not given",
     false},
    {"refresh-every", "DURATION", "how often; 1h when not given", false},
    {"ttl", "DURATION", "how long a rate is good: 45s, 30m, 24h, 14d; 24h when not given", false},
    {0},
};

/* ---- replies ---- */

static void add_rate(struct ddb_item *reply, const struct ddb_item *item) {
    static const char *const names[] = {"Base", "Target", "Rate", "Timestamp", "ttl", "Via"};
    static const char *const members[] = {"base", "target", "rate", "timestamp", "ttl", "via"};
    for (int i = 0; i < 6; i++)
        ddb_item_set_value(reply, members[i], ddb_item_value(item, names[i]));
    ddb_item_set_string(reply, "rateText", rate_text(item));
    ddb_item_set_bool(reply, "stale", ddb_item_bool(item, "Stale", false) || ttl_has_passed(item));
}

static bool take_pair(struct service_call *call, const char *number, struct rate *ret_rate) {
    const char *const texts[] = {call->path[0], call->path[1], number};
    return commands_take_rate(call->app, texts, ret_rate);
}

static enum app_status absent(struct service_call *call, const struct rate *rate) {
    call->status = 404;
    return app_fail(call->app, "there is no rate of %s to %s", rate->base, rate->target);
}

/* ---- routes ---- */

static bool is_true(const struct service_call *call, const char *name) {
    return strcmp(service_query(call, name, "false"), "true") == 0;
}

static bool find(struct service_call *call, const struct rate *rate, struct ddb_item **ret_item) {
    const char *via = service_query(call, "via", NULL);
    *ret_item = NULL;
    if (via != NULL && !currency_exists(via)) {
        call->status = 400;
        app_bad_usage(call->app, "via is an ISO 4217 code like USD, not '%s'", via);
        return false;
    }
    if (!is_true(call, "stale"))
        return cross_find(call->app, rate, via, ret_item);
    return store_find(call->app, rate, ret_item);
}

static enum app_status send_rate(struct service_call *call, const struct rate *rate,
                                 struct ddb_item *item) {
    if (item == NULL)
        return absent(call, rate);
    add_rate(call->reply, item);
    ddb_item_free(item);
    return APP_OK;
}

static enum app_status get_rate(struct service_call *call) {
    struct rate rate;
    struct ddb_item *item;
    if (!take_pair(call, NULL, &rate))
        return APP_USAGE;
    return find(call, &rate, &item) ? send_rate(call, &rate, item) : APP_FAILED;
}

static enum app_status get_rates(struct service_call *call) {
    struct store_list list;
    const char *base = call->path[0];
    if (!currency_exists(base))
        return app_bad_usage(call->app, "BASE is an ISO 4217 code like USD, not '%s'", base);
    bool ok = store_by_base(call->app, base, is_true(call, "stale"), &list);
    struct ddb_list *rates = ddb_item_set_list(call->reply, "rates");
    for (size_t i = 0; i < list.count; i++)
        add_rate(ddb_list_add_map(rates), list.items[i]);
    store_list_free(&list);
    return ok ? APP_OK : APP_FAILED;
}

static enum app_status put_rate(struct service_call *call) {
    struct rate rate;
    int64_t lifetime_s = STORE_LIFETIME_S;
    if (!take_pair(call, ddb_item_number(call->body, "rate", NULL), &rate) ||
        !duration_option(call->app, "ttl", &lifetime_s))
        return APP_USAGE;
    lifetime_s = ddb_item_int(call->body, "ttlSeconds", lifetime_s);
    if (lifetime_s < 1 || lifetime_s > DURATION_MAX_S)
        return app_bad_usage(call->app, "ttlSeconds is from 1 to %d", DURATION_MAX_S);
    rate.timestamp = ttl_now();
    rate.ttl = rate.timestamp + lifetime_s;
    struct ddb_item *item = rate_item(&rate);
    bool ok = store_save(call->app, item);
    add_rate(call->reply, item);
    ddb_item_free(item);
    return ok ? APP_OK : APP_FAILED;
}

static enum app_status delete_rate(struct service_call *call) {
    struct rate rate;
    bool was_there;
    if (!take_pair(call, NULL, &rate))
        return APP_USAGE;
    if (!store_delete(call->app, &rate, &was_there))
        return APP_FAILED;
    return was_there ? APP_OK : absent(call, &rate);
}

static enum app_status mark_rate(struct service_call *call) {
    struct rate rate;
    struct ddb_item *item;
    if (!take_pair(call, NULL, &rate))
        return APP_USAGE;
    return store_mark_stale(call->app, &rate, &item) ? send_rate(call, &rate, item) : APP_FAILED;
}

static const struct service_parameter get_parameters[] = {
    {"stale", SERVICE_QUERY, SERVICE_BOOLEAN, false, "true: also one that has expired"},
    {"via", SERVICE_QUERY, SERVICE_STRING, false, "a currency by way of which it may be computed"},
    {0},
};

static const struct service_parameter put_parameters[] = {
    {"rate", SERVICE_BODY, SERVICE_NUMBER, true, "how many of the target one of the base is worth"},
    {"ttlSeconds", SERVICE_BODY, SERVICE_NUMBER, false, "how long it is good"},
    {0},
};

static const struct service_route routes[] = {
    {"GET", "/rates/{base}/{target}", "a rate, or one that follows from others", get_rate,
     get_parameters},
    {"PUT", "/rates/{base}/{target}", "saves a rate", put_rate, put_parameters},
    {"DELETE", "/rates/{base}/{target}", "deletes a rate", delete_rate, NULL},
    {"POST", "/rates/{base}/{target}/stale", "marks a rate as out of date", mark_rate, NULL},
    {"GET", "/rates/{base}", "the rates of a base currency", get_rates, get_parameters},
    {0},
};

/* ---- the schedule ---- */

static enum app_status refresh(struct app *app, const char *base, void *context) {
    size_t count;
    return refresh_base(app, context, base, &count);
}

static enum app_status refresh_all(struct app *app) {
    const char *bases = app_option(app, "bases", "");
    struct refresh_settings settings;
    if (*bases != '\0' && !refresh_settings_of(app, &settings))
        return APP_USAGE;
    return service_each(app, bases, refresh, &settings);
}

static const struct service_task tasks[] = {
    {"refresh", "refresh-every", REFRESH_S, refresh_all},
    {0},
};

static bool is_ready(struct app *app) {
    struct rate rate = {.base = "USD", .target = "EUR"};
    struct ddb_item *item = NULL;
    bool ready = store_find(app, &rate, &item);
    ddb_item_free(item);
    return ready;
}

enum app_status serve_command(struct app *app) {
    struct service service = {routes, tasks, refresh_counters, is_ready};
    struct refresh_settings settings;
    if (app_option(app, "bases", NULL) != NULL && !refresh_settings_of(app, &settings))
        return APP_USAGE;
    return service_run(app, &service);
}
