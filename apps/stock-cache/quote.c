/* quote.c - reads a quote through the cache.
 *
 * Whoever has the lease and dies leaves it to run out: the next one asks after the source's time.
 * Of two answers the newer stays: one that was long on its way does not replace one that came
 * later. */
#include "quote.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/document.h"
#include "common/duration.h"
#include "entry.h"

#define SOURCE_TYPE "quote#source"

enum { LOOK_MS = 40, LEASE_MARGIN_MS = 1000, SOURCE_LIFETIME_S = 7 * 24 * 60 * 60 };

enum { COUNT_HITS, COUNT_MISSES, COUNT_STALE, COUNT_ASKED, COUNT_FAILED };

struct service_counter quote_counters[] = {
    [COUNT_HITS] = {"hits_total", "Quotes that were in the cache.", 0},
    [COUNT_MISSES] = {"misses_total", "Quotes that were not.", 0},
    [COUNT_STALE] = {"stale_total", "Quotes that were given although they had ended.", 0},
    [COUNT_ASKED] = {"source_requests_total", "Times that the source was asked.", 0},
    [COUNT_FAILED] = {"source_failures_total", "Times that it failed.", 0},
    {0},
};

const struct app_option quote_options[] = {
    SOURCE_OPTIONS,
    {"ttl", "DURATION", "how long a quote is good: 45s, 30m, 24h; 45s when not given", false},
    {0},
};

const char *quote_outcome_name(enum quote_outcome outcome) {
    static const char *const names[] = {"hit", "miss", "stale"};
    return names[outcome];
}

bool quote_settings_of(const struct app *app, bool source_required,
                       struct quote_settings *ret_settings) {
    ret_settings->lifetime_s = ENTRY_LIFETIME_S;
    return source_of(app, ENTRY_DATA_MAX, source_required, &ret_settings->source) &&
           duration_option(app, "ttl", &ret_settings->lifetime_s);
}

/* ---- the source ---- */

/* What the source must have said: a price, of this symbol. An answer of which members were picked
 * need not repeat the symbol. */
static const char *check_data(const struct quote_settings *settings,
                              const struct ddb_item *document, const char *symbol) {
    const struct ddb_item *data = ddb_item_map(document, "document");
    if (settings->source.map == NULL && strcmp(ddb_item_string(data, "symbol", ""), symbol) != 0)
        return "its answer is about another symbol";
    if (ddb_item_number(data, "price", NULL) == NULL)
        return "its answer has no price";
    return NULL;
}

/* The answer of the source, or NULL with a problem. */
static struct ddb_item *ask_source(const struct quote_settings *settings, const char *symbol,
                                   char ret_problem[SOURCE_PROBLEM_SIZE]) {
    const struct source_value values[] = {{"symbol", symbol}, {NULL, NULL}};
    service_count(&quote_counters[COUNT_ASKED]);
    struct ddb_item *document = source_ask(&settings->source, values, ret_problem);
    const char *wrong = document == NULL ? NULL : check_data(settings, document, symbol);
    if (document != NULL && wrong == NULL)
        return document;
    if (wrong != NULL)
        snprintf(ret_problem, SOURCE_PROBLEM_SIZE, "%s", wrong);
    service_count(&quote_counters[COUNT_FAILED]);
    ddb_item_free(document);
    return NULL;
}

/* ---- saving ---- */

/* An older answer that came later is not saved, and that is no failure. */
static bool save(struct app *app, const struct ddb_item *entry) {
    static const char *const names[] = {"#timestamp", "timestamp", NULL};
    struct ddb_client *db = app_client(app);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_int(values, ":timestamp", ddb_item_int(entry, "timestamp", 0));
    bool ok = ddb_put_item(
        db,
        &(struct ddb_write){.table = ENTRY_TABLE,
                            .item = entry,
                            .condition =
                                "attribute_not_exists(#timestamp) OR #timestamp <= :timestamp",
                            .names = names,
                            .values = values},
        NULL);
    ddb_item_free(values);
    return ok || ddb_client_failed_with(db, "ConditionalCheckFailedException");
}

/* ---- the entry of the source ---- */

/* Every change keeps it for a week. `values` are freed. */
static bool update_source(struct app *app, const char *symbol, const char *update,
                          const char *condition, struct ddb_item *values) {
    static const char *const names[] = {"#ttl", "ttl", NULL};
    struct ddb_item *key = entry_key(symbol, SOURCE_TYPE);
    ddb_item_set_int(values, ":end", ttl_now() + SOURCE_LIFETIME_S);
    bool ok = ddb_update_item(app_client(app),
                              &(struct ddb_write){.table = ENTRY_TABLE,
                                                  .key = key,
                                                  .update = update,
                                                  .condition = condition,
                                                  .names = names,
                                                  .values = values,
                                                  .idempotent = true},
                              NULL);
    ddb_item_free(key);
    ddb_item_free(values);
    return ok || ddb_client_failed_with(app_client(app), "ConditionalCheckFailedException");
}

static bool take_lease(struct app *app, const struct quote_settings *settings, const char *symbol,
                       bool *ret_taken) {
    struct ddb_item *values = ddb_item_new();
    int64_t now_ms = timestamp_now_ms();
    ddb_item_set_int(values, ":now", now_ms);
    ddb_item_set_int(values, ":until", now_ms + settings->source.timeout_ms + LEASE_MARGIN_MS);
    bool ok = update_source(app, symbol, "SET leaseUntil = :until, #ttl = :end",
                            "attribute_not_exists(leaseUntil) OR leaseUntil <= :now", values);
    *ret_taken = ok && ddb_client_error(app_client(app)) == NULL;
    if (!ok)
        app_db_fail(app, "cannot save the quote of %s", symbol);
    return ok;
}

static void give_lease_back(struct app *app, const char *symbol) {
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_int(values, ":none", 0);
    update_source(app, symbol, "SET leaseUntil = :none, #ttl = :end", NULL, values);
}

/* The lease goes with it. */
static bool save_last(struct app *app, const char *symbol, const struct ddb_item *entry) {
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_value(values, ":quote", ddb_item_value(entry, "data"));
    ddb_item_set_value(values, ":timestamp", ddb_item_value(entry, "timestamp"));
    ddb_item_set_int(values, ":none", 0);
    return update_source(app, symbol,
                         "SET lastQuote = :quote, lastTimestamp = :timestamp, leaseUntil = :none, "
                         "#ttl = :end",
                         "attribute_not_exists(lastTimestamp) OR lastTimestamp <= :timestamp",
                         values);
}

/* As an entry with the attributes of a quote; NULL where there is none. */
static bool read_last(struct app *app, const char *symbol, struct ddb_item **ret_entry) {
    struct ddb_item *key = entry_key(symbol, SOURCE_TYPE), *source = NULL;
    *ret_entry = NULL;
    bool ok = ddb_get_item(app_client(app),
                           &(struct ddb_get){.table = ENTRY_TABLE, .key = key, .consistent = true},
                           &source);
    ddb_item_free(key);
    if (!ok)
        app_db_fail(app, "cannot read the quote of %s", symbol);
    else if (ddb_item_map(source, "lastQuote") != NULL && !ttl_has_passed(source)) {
        *ret_entry = ddb_item_new();
        ddb_item_set_value(*ret_entry, "data", ddb_item_value(source, "lastQuote"));
        ddb_item_set_value(*ret_entry, "timestamp", ddb_item_value(source, "lastTimestamp"));
    }
    ddb_item_free(source);
    return ok;
}

/* ---- the way through ---- */

static int64_t age_of(const struct ddb_item *entry) {
    int64_t age_s = ttl_now() - ddb_item_int(entry, "timestamp", ttl_now());
    return age_s < 0 ? 0 : age_s;
}

static bool find_fresh(struct app *app, const char *symbol, struct quote *ret_quote) {
    ret_quote->outcome = QUOTE_HIT;
    if (!entry_read(app, symbol, "quote", &ret_quote->entry))
        return false;
    ret_quote->age_s = age_of(ret_quote->entry);
    return true;
}

/* What there was before the source failed. */
static enum app_status use_last(struct app *app, const char *symbol, const char *problem,
                                struct quote *ret_quote) {
    if (!read_last(app, symbol, &ret_quote->entry))
        return APP_FAILED;
    if (ret_quote->entry == NULL)
        return app_fail(app, "no quote of %s from the source: %s", symbol, problem);
    service_count(&quote_counters[COUNT_STALE]);
    ret_quote->outcome = QUOTE_STALE;
    ret_quote->age_s = age_of(ret_quote->entry);
    app_warn(app, "no quote of %s from the source: %s; the last good one is %lld s old", symbol,
             problem, (long long)ret_quote->age_s);
    return APP_OK;
}

/* Of the one who has the lease. Whether or not the answer can be saved, here it is. */
static enum app_status ask(struct app *app, const struct quote_settings *settings,
                           const char *symbol, struct quote *ret_quote) {
    char problem[SOURCE_PROBLEM_SIZE];
    struct ddb_item *document = ask_source(settings, symbol, problem);
    if (document == NULL) {
        give_lease_back(app, symbol);
        return use_last(app, symbol, problem, ret_quote);
    }
    ret_quote->outcome = QUOTE_MISS;
    ret_quote->age_s = 0;
    ret_quote->entry =
        entry_new(symbol, "quote", ddb_item_value(document, "document"), settings->lifetime_s);
    ddb_item_free(document);
    if (save(app, ret_quote->entry) && save_last(app, symbol, ret_quote->entry))
        return APP_OK;
    return app_db_fail(app, "cannot save the quote of %s", symbol);
}

/* Looks again with the lease in hand: whoever had it before may have saved since the last look. */
static bool find_or_lease(struct app *app, const struct quote_settings *settings,
                          const char *symbol, bool always, struct quote *ret_quote,
                          bool *ret_leased) {
    if (!take_lease(app, settings, symbol, ret_leased))
        return false;
    if (!*ret_leased || always)
        return true;
    bool ok = find_fresh(app, symbol, ret_quote);
    if (!ok || ret_quote->entry != NULL)
        give_lease_back(app, symbol);
    return ok;
}

enum app_status quote_read(struct app *app, const struct quote_settings *settings,
                           const char *symbol, bool always, struct quote *ret_quote) {
    int64_t end_ms = timestamp_elapsed_ms() + settings->source.timeout_ms + 2 * LEASE_MARGIN_MS;
    bool leased = false;
    *ret_quote = (struct quote){.entry = NULL};
    if (!always && !find_fresh(app, symbol, ret_quote))
        return APP_FAILED;
    while (ret_quote->entry == NULL && !leased && timestamp_elapsed_ms() < end_ms) {
        if (!find_or_lease(app, settings, symbol, always, ret_quote, &leased))
            return APP_FAILED;
        if (leased)
            break;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
        if (!find_fresh(app, symbol, ret_quote))
            return APP_FAILED;
    }
    service_count(&quote_counters[ret_quote->entry != NULL ? COUNT_HITS : COUNT_MISSES]);
    if (ret_quote->entry != NULL)
        return APP_OK;
    return leased ? ask(app, settings, symbol, ret_quote)
                  : use_last(app, symbol, "somebody else is asking for too long", ret_quote);
}

/* ---- the command ---- */

static enum app_status print_quote(struct app *app, const struct quote_settings *settings,
                                   const char *symbol) {
    struct quote quote;
    enum app_status status = quote_read(app, settings, symbol, false, &quote);
    if (quote.entry != NULL) {
        printf("%s ", quote_outcome_name(quote.outcome));
        document_print(ddb_item_value(quote.entry, "data"));
        putchar('\n');
    }
    ddb_item_free(quote.entry);
    return status;
}

enum app_status quote_command(struct app *app) {
    struct quote_settings settings;
    char symbol[SYMBOL_SIZE];
    enum app_status status = APP_OK;
    for (int i = 0; app_operand(app, i) != NULL; i++)
        if (!entry_symbol(app, app_operand(app, i), symbol))
            return APP_USAGE;
    if (!quote_settings_of(app, true, &settings))
        return APP_USAGE;
    for (int i = 0; app_operand(app, i) != NULL; i++) {
        entry_symbol(app, app_operand(app, i), symbol);
        if (print_quote(app, &settings, symbol) != APP_OK)
            status = APP_FAILED;
    }
    return status;
}
