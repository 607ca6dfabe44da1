/* commands.c - what people type about single rates, and what they see. */
#include "commands.h"

#include <stdio.h>

#include "common/duration.h"
#include "cross.h"
#include "store.h"

bool commands_take_rate(const struct app *app, const char *const texts[3], struct rate *ret_rate) {
    static const char *const names[] = {"Base", "Target", "Rate"};
    char problem[RATE_PROBLEM_SIZE];
    struct rate rate = {.number = "1"}; /* where there is no RATE: any */
    bool ok = true;
    for (int at = 0; ok && at < 3 && texts[at] != NULL; at++)
        ok = rate_set(&rate, names[at], texts[at], problem);
    ok = ok && rate_check(&rate, problem);
    if (ok)
        *ret_rate = rate;
    else
        app_bad_usage(app, "%s", problem);
    return ok;
}

static bool take_operands(const struct app *app, struct rate *ret_rate) {
    const char *const texts[] = {app_operand(app, 0), app_operand(app, 1), app_operand(app, 2)};
    return commands_take_rate(app, texts, ret_rate);
}

static enum app_status absent(const struct app *app, const struct rate *rate) {
    return app_fail(app, "there is no rate of %s to %s", rate->base, rate->target);
}

const struct app_option save_options[] = {
    {"ttl", "DURATION", "how long it is good: 45s, 30m, 24h, 14d; 24h when not given", false},
    {0},
};

enum app_status save_command(struct app *app) {
    struct rate rate;
    int64_t lifetime_s = STORE_LIFETIME_S;
    if (!take_operands(app, &rate) || !duration_option(app, "ttl", &lifetime_s))
        return APP_USAGE;
    rate.timestamp = ttl_now();
    rate.ttl = rate.timestamp + lifetime_s;
    struct ddb_item *item = rate_item(&rate);
    bool ok = store_save(app, item);
    if (ok)
        rate_print(item);
    ddb_item_free(item);
    return ok ? APP_OK : APP_FAILED;
}

/* ---- get ---- */

const struct app_option get_options[] = {
    {"cross", NULL, "also one that follows from others: the other way round, or by way of --via",
     false},
    {"via", "CURRENCY", "the currency between; USD when not given", false},
    {0},
};

static enum app_status get_crossed(struct app *app, const struct rate *rate) {
    struct ddb_item *item = NULL;
    const char *via = app_option(app, "via", "USD");
    if (!currency_exists(via))
        return app_bad_usage(app, "--via is an ISO 4217 code like USD, not '%s'", via);
    if (!cross_find(app, rate, via, &item))
        return APP_FAILED;
    if (item == NULL)
        return app_fail(app, "there is no rate of %s to %s, nor one by way of %s", rate->base,
                        rate->target, via);
    rate_print(item);
    ddb_item_free(item);
    return APP_OK;
}

/* An expired rate counts as absent unless `even_expired`: DynamoDB deletes it some time later. */
static enum app_status get(struct app *app, bool even_expired) {
    struct rate rate;
    struct ddb_item *item = NULL;
    if (!take_operands(app, &rate))
        return APP_USAGE;
    if (!even_expired && app_flag(app, "cross"))
        return get_crossed(app, &rate);
    if (!store_find(app, &rate, &item))
        return APP_FAILED;
    enum app_status status = APP_OK;
    if (item == NULL)
        status = absent(app, &rate);
    else if (ttl_has_passed(item) && !even_expired)
        status = app_fail(app, "the rate of %s to %s has expired; get-stale shows it", rate.base,
                          rate.target);
    else
        rate_print(item);
    ddb_item_free(item);
    return status;
}

enum app_status get_command(struct app *app) {
    return get(app, false);
}

enum app_status get_stale_command(struct app *app) {
    return get(app, true);
}

/* ---- the others ---- */

const struct app_option by_base_options[] = {
    {"stale", NULL, "also rates that have expired", false},
    {0},
};

enum app_status by_base_command(struct app *app) {
    const char *base = app_operand(app, 0);
    struct store_list list;
    if (!currency_exists(base))
        return app_bad_usage(app, "BASE is an ISO 4217 code like USD, not '%s'", base);
    bool ok = store_by_base(app, base, app_flag(app, "stale"), &list);
    for (size_t i = 0; i < list.count; i++)
        rate_print(list.items[i]);
    store_list_free(&list);
    return ok ? APP_OK : APP_FAILED;
}

enum app_status delete_command(struct app *app) {
    struct rate rate;
    bool was_there;
    if (!take_operands(app, &rate))
        return APP_USAGE;
    if (!store_delete(app, &rate, &was_there))
        return APP_FAILED;
    if (!was_there)
        return absent(app, &rate);
    printf("%s %s deleted\n", rate.base, rate.target);
    return APP_OK;
}

enum app_status mark_stale_command(struct app *app) {
    struct rate rate;
    struct ddb_item *item;
    if (!take_operands(app, &rate))
        return APP_USAGE;
    if (!store_mark_stale(app, &rate, &item))
        return APP_FAILED;
    if (item == NULL)
        return absent(app, &rate);
    rate_print(item);
    ddb_item_free(item);
    return APP_OK;
}
