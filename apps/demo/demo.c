/* demo.c - `gramme-demo`: gramme and the five systems at work, and a page that shows them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/service.h"
#include "common/service_reply.h"
#include "look.h"
#include "market.h"
#include "systems.h"
#include "traffic.h"
#include "web.h"

enum { OUTAGE_MAX_S = 60, URL_SIZE = 400 };

/* ---- the page ---- */

#define EMBEDDED(name) extern const char name[], name##_end[]
EMBEDDED(demo_page_html);
EMBEDDED(demo_page_css);
EMBEDDED(demo_page_js);

static enum app_status send_text(struct service_call *call, const char *type, const char *start,
                                 const char *end) {
    call->text_size = (size_t)(end - start);
    call->text_type = type;
    call->text = malloc(call->text_size + 1);
    if (call->text == NULL)
        abort();
    memcpy(call->text, start, call->text_size);
    return APP_OK;
}

static enum app_status get_page(struct service_call *call) {
    return send_text(call, "text/html; charset=utf-8", demo_page_html, demo_page_html_end);
}

static enum app_status get_style(struct service_call *call) {
    return send_text(call, "text/css; charset=utf-8", demo_page_css, demo_page_css_end);
}

static enum app_status get_script(struct service_call *call) {
    return send_text(call, "text/javascript; charset=utf-8", demo_page_js, demo_page_js_end);
}

static enum app_status get_state(struct service_call *call) {
    FILE *out = open_memstream(&call->text, &call->text_size);
    if (out == NULL)
        abort();
    look_write(out);
    fclose(out);
    call->text_type = "application/json";
    return APP_OK;
}

static enum app_status get_readme(struct service_call *call) {
    int at = system_find(call->path[0]);
    if (at < 0)
        return reply_missing(call, "system", call->path[0]);
    return send_text(call, "text/plain; charset=utf-8", systems[at].readme.start,
                     systems[at].readme.end);
}

/* What a service answers at that path, passed on. */
static enum app_status pass_on(struct service_call *call, const char *path, const char *type) {
    int at = system_find(call->path[0]);
    char url[URL_SIZE];
    struct web_reply reply;
    if (at < 0)
        return reply_missing(call, "system", call->path[0]);
    snprintf(url, sizeof(url), "%s%s", systems[at].child.address, path);
    web_ask("GET", url, NULL, &reply);
    call->text = reply.text;
    call->text_size = reply.size;
    call->text_type = type;
    call->status = reply.status == 0 ? 502 : reply.status;
    return APP_OK;
}

static enum app_status get_metrics(struct service_call *call) {
    return pass_on(call, "/metrics", "text/plain; charset=utf-8");
}

static enum app_status get_openapi(struct service_call *call) {
    return pass_on(call, "/openapi.json", "application/json");
}

static enum app_status break_gateway(struct service_call *call) {
    int64_t seconds = ddb_item_int(call->body, "seconds", 0);
    if (seconds < 1 || seconds > OUTAGE_MAX_S)
        return app_bad_usage(call->app, "seconds is from 1 to %d", OUTAGE_MAX_S);
    traffic_break_gateway(seconds);
    ddb_item_set_int(call->reply, "seconds", seconds);
    return APP_OK;
}

static const struct service_parameter outage_parameters[] = {
    {"seconds", SERVICE_BODY, SERVICE_NUMBER, true, "for how long it fails"},
    {0},
};

static const struct service_route routes[] = {
    {"GET", "/", "the page", get_page, NULL},
    {"GET", "/page.css", "its style", get_style, NULL},
    {"GET", "/page.js", "its script", get_script, NULL},
    {"GET", "/state", "what all of them tell of themselves", get_state, NULL},
    {"GET", "/systems/{system}/readme", "what a system is", get_readme, NULL},
    {"GET", "/systems/{system}/openapi.json", "what it answers", get_openapi, NULL},
    {"GET", "/systems/{system}/metrics", "what it did", get_metrics, NULL},
    {"POST", "/outages", "lets the payment gateway fail", break_gateway, outage_parameters},
    {0},
};

/* ---- running all of it ---- */

static atomic_bool has_lost_one;

/* Without one of them the rest makes no sense: then everything ends. */
static enum app_status watch(struct app *app) {
    if (!systems_watch(app))
        return APP_OK;
    atomic_store(&has_lost_one, true);
    kill(getpid(), SIGTERM);
    return APP_FAILED;
}

static const struct service_task tasks[] = {
    {"watch", "watch-every", 1, watch},
    {"look", "look-every", 1, look_around},
    {"check", "look-every", 1, look_deeper},
    {"payments", "traffic-every", 1, traffic_payments},
    {"ledger", "traffic-every", 1, traffic_ledger},
    {"quotes", "traffic-every", 1, traffic_quotes},
    {"rates", "traffic-every", 1, traffic_rates},
    {"menus", "traffic-every", 1, traffic_menus},
    {0},
};

static const struct app_option run_options[] = {
    {"port", "N", "port of the page; a free one when not given", false},
    {"data", "DIR", "keeps data and logs there; in memory, and gone at the end, when not given",
     false},
    {0},
};

/* Signals wait from here on, so that none comes between a child's start and its end. */
static void hold_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

static enum app_status run(struct app *app) {
    static struct service_counter counters[] = {{0}};
    struct service service = {routes, tasks, counters, NULL};
    hold_signals();
    setenv("GRAMME_DEMO_PORT", "0", 0);
    bool ok = systems_start(app) && traffic_prepare(app);
    if (ok) {
        printf("gramme and five systems are at work. The page that shows them, until Ctrl-C:\n");
        ok = service_run(app, &service) == APP_OK;
    } else {
        ok = child_stop_is_wanted(); /* and then it is none of its failures */
    }
    bool stopped = systems_stop(app);
    return ok && stopped && !atomic_load(&has_lost_one) ? APP_OK : APP_FAILED;
}

static const struct app_command commands[] = {
    {"run", NULL, "starts gramme, the five systems, traffic and the page", run, run_options},
    {"quote", "SYMBOL", "plays a stock exchange, for gramme-stock-cache", market_quote, NULL},
    {"rates", "BASE", "plays a market of currencies, for gramme-exchange-rates", market_rates,
     NULL},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {"gramme-demo", "five systems at work on gramme",
                                               commands};
    return app_main(&program, argc, argv);
}
