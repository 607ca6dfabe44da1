/* refresh.c - asks a source for the rates of a currency, and saves all of them. */
#include "refresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/duration.h"
#include "store.h"

enum { ANSWER_MAX = 1 << 20, COUNT_ASKED = 0, COUNT_FAILED, COUNT_SAVED };

struct service_counter refresh_counters[] = {
    [COUNT_ASKED] = {"source_requests_total", "Times that the source was asked.", 0},
    [COUNT_FAILED] = {"source_failures_total", "Times that it failed.", 0},
    [COUNT_SAVED] = {"rates_saved_total", "Rates that were saved from it.", 0},
    {0},
};

const struct app_option refresh_options[] = {
    SOURCE_OPTIONS,
    {"ttl", "DURATION", "how long a rate is good: 45s, 30m, 24h, 14d; 24h when not given", false},
    {0},
};

bool refresh_settings_of(const struct app *app, struct refresh_settings *ret_settings) {
    ret_settings->lifetime_s = STORE_LIFETIME_S;
    return source_of(app, ANSWER_MAX, true, &ret_settings->source) &&
           duration_option(app, "ttl", &ret_settings->lifetime_s);
}

/* Those of the answer that are rates. */
static size_t take_rates(const struct ddb_item *answer, const struct rate *blank,
                         struct rate *ret_rates) {
    char problem[RATE_PROBLEM_SIZE];
    size_t count = 0;
    for (size_t i = 0; i < ddb_item_count(answer); i++) {
        const struct ddb_value *value = ddb_item_value_at(answer, i);
        const char *number = ddb_value_number(value, ddb_value_string(value, ""));
        ret_rates[count] = *blank;
        if (rate_set(&ret_rates[count], "Target", ddb_item_name_at(answer, i), problem) &&
            rate_set(&ret_rates[count], "Rate", number, problem) &&
            rate_check(&ret_rates[count], problem))
            count++;
    }
    return count;
}

static enum app_status save_answer(struct app *app, const struct refresh_settings *settings,
                                   const char *base, const struct ddb_item *answer,
                                   size_t *ret_count) {
    struct rate blank = {.timestamp = ttl_now()};
    struct rate *rates = calloc(ddb_item_count(answer) + 1, sizeof(*rates));
    if (rates == NULL)
        abort();
    snprintf(blank.base, sizeof(blank.base), "%s", base);
    blank.ttl = blank.timestamp + settings->lifetime_s;
    *ret_count = take_rates(answer, &blank, rates);
    bool ok = *ret_count > 0 && store_save_all(app, rates, *ret_count);
    if (*ret_count == 0)
        app_fail(app, "no rates of %s from the source: its answer has none", base);
    free(rates);
    return ok ? APP_OK : APP_FAILED;
}

enum app_status refresh_base(struct app *app, const struct refresh_settings *settings,
                             const char *base, size_t *ret_count) {
    const struct source_value values[] = {{"base", base}, {NULL, NULL}};
    char problem[SOURCE_PROBLEM_SIZE];
    *ret_count = 0;
    if (!currency_exists(base))
        return app_bad_usage(app, "BASE is an ISO 4217 code like USD, not '%s'", base);
    service_count(&refresh_counters[COUNT_ASKED]);
    struct ddb_item *document = source_ask(&settings->source, values, problem);
    const struct ddb_item *answer = ddb_item_map(ddb_item_map(document, "document"), "rates");
    enum app_status status = APP_FAILED;
    if (document == NULL)
        app_fail(app, "no rates of %s from the source: %s", base, problem);
    else
        status = save_answer(app, settings, base, answer, ret_count);
    ddb_item_free(document);
    if (status != APP_OK)
        service_count(&refresh_counters[COUNT_FAILED]);
    atomic_fetch_add(&refresh_counters[COUNT_SAVED].count, *ret_count);
    return status;
}

enum app_status refresh_command(struct app *app) {
    struct refresh_settings settings;
    enum app_status status = APP_OK;
    if (!refresh_settings_of(app, &settings))
        return APP_USAGE;
    for (int i = 0; app_operand(app, i) != NULL && status == APP_OK; i++) {
        size_t count;
        status = refresh_base(app, &settings, app_operand(app, i), &count);
        if (status == APP_OK)
            printf("%s rates saved: %zu\n", app_operand(app, i), count);
    }
    return status;
}
