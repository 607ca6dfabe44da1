/* serve.c - routes to the quotes, and the task that asks for the watched ones before they end. */
#include "serve.h"

#include <string.h>

#include "entry.h"
#include "quote.h"

enum { SYMBOLS_MAX = 50, REFRESH_S = 30 };

const struct app_option serve_options[] = {
    SERVICE_OPTIONS,
    SOURCE_OPTIONS,
    {"ttl", "DURATION", "how long a quote is good: 45s, 30m, 24h; 45s when not given", false},
    {"watch", "SYMBOL,...", "symbols that are kept fresh", false},
    {"refresh-every", "DURATION", "how often; 30s when not given", false},
    {0},
};

static void add_quote(struct ddb_item *reply, const char *symbol, const struct quote *quote) {
    ddb_item_set_string(reply, "symbol", symbol);
    ddb_item_set_string(reply, "outcome", quote_outcome_name(quote->outcome));
    ddb_item_set_int(reply, "ageSeconds", quote->age_s);
    ddb_item_set_value(reply, "quote", ddb_item_value(quote->entry, "data"));
}

static enum app_status read_one(struct service_call *call, const char *text,
                                struct ddb_item *reply) {
    struct quote_settings settings;
    struct quote quote = {.entry = NULL};
    char symbol[SYMBOL_SIZE];
    if (!entry_symbol(call->app, text, symbol) || !quote_settings_of(call->app, true, &settings))
        return APP_USAGE;
    enum app_status status = quote_read(call->app, &settings, symbol, false, &quote);
    if (quote.entry != NULL)
        add_quote(reply, symbol, &quote);
    else
        call->status = 502;
    ddb_item_free(quote.entry);
    return status;
}

static enum app_status get_quote(struct service_call *call) {
    return read_one(call, call->path[0], call->reply);
}

/* One that has none is told of in its place. */
static enum app_status get_quotes(struct service_call *call) {
    struct ddb_list *quotes = ddb_item_set_list(call->reply, "quotes");
    const char *symbols = service_query(call, "symbols", "");
    for (int count = 0; *symbols != '\0'; count++) {
        char symbol[64] = "";
        size_t size = strcspn(symbols, ",");
        if (count == SYMBOLS_MAX || size >= sizeof(symbol))
            return app_bad_usage(call->app, "symbols has up to %d symbols", SYMBOLS_MAX);
        memcpy(symbol, symbols, size);
        struct ddb_item *reply = ddb_list_add_map(quotes);
        enum app_status status = read_one(call, symbol, reply);
        if (status == APP_USAGE)
            return status;
        if (status != APP_OK) {
            ddb_item_set_string(reply, "symbol", symbol);
            ddb_item_set_string(reply, "error", app_message(call->app));
        }
        symbols += size + (symbols[size] == ',');
    }
    call->status = 200;
    return APP_OK;
}

static const struct service_parameter symbols_parameter[] = {
    {"symbols", SERVICE_QUERY, SERVICE_STRING, true, "AAPL,MSFT"},
    {0},
};

static const struct service_route routes[] = {
    {"GET", "/quotes/{symbol}", "a quote: from the cache, or else from the source", get_quote,
     NULL},
    {"GET", "/quotes", "several quotes at once", get_quotes, symbols_parameter},
    {0},
};

/* ---- keeping fresh ---- */

static enum app_status refresh(struct app *app, const char *text, void *context) {
    struct quote quote = {.entry = NULL};
    char symbol[SYMBOL_SIZE];
    bool ok = entry_symbol(app, text, symbol) &&
              quote_read(app, context, symbol, true, &quote) == APP_OK &&
              quote.outcome != QUOTE_STALE;
    ddb_item_free(quote.entry);
    return ok ? APP_OK : APP_FAILED;
}

static enum app_status refresh_watched(struct app *app) {
    const char *symbols = app_option(app, "watch", "");
    struct quote_settings settings;
    if (!quote_settings_of(app, *symbols != '\0', &settings))
        return APP_USAGE;
    return service_each(app, symbols, refresh, &settings);
}

static const struct service_task tasks[] = {
    {"refresh", "refresh-every", REFRESH_S, refresh_watched},
    {0},
};

static bool is_ready(struct app *app) {
    struct ddb_item *entry = NULL;
    bool ready = entry_read(app, "READY", "quote", &entry);
    ddb_item_free(entry);
    return ready;
}

enum app_status serve_command(struct app *app) {
    struct service service = {routes, tasks, quote_counters, is_ready};
    struct quote_settings settings;
    if (!quote_settings_of(app, true, &settings))
        return APP_USAGE;
    return service_run(app, &service);
}
