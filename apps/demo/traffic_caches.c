/* traffic_caches.c - questions to the three caches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/service.h"
#include "systems.h"
#include "traffic.h"

enum { PAUSE_MS = 200 };

/* ---- quotes ---- */

static void ask_quote(const char *symbol) {
    char path[TRAFFIC_PATH_SIZE], what[EVENT_TEXT_SIZE], outcome[EVENT_TEXT_SIZE];
    snprintf(path, sizeof(path), "/quotes/%s", symbol);
    struct traffic_answer answer = traffic_ask(STOCK_CACHE, "GET", path, NULL);
    const char *word = ddb_item_string(answer.document, "outcome", NULL);
    const char *price = ddb_item_number(ddb_item_map(answer.document, "quote"), "price", "?");
    snprintf(what, sizeof(what), "%s", symbol);
    snprintf(outcome, sizeof(outcome), "%s %s, %lld s old", word == NULL ? "" : word, price,
             (long long)ddb_item_int(answer.document, "ageSeconds", 0));
    traffic_note(STOCK_CACHE,
                 word == NULL                 ? EVENT_BAD
                 : strcmp(word, "stale") == 0 ? EVENT_WAITING
                 : strcmp(word, "miss") == 0  ? EVENT_GOOD
                                              : EVENT_PLAIN,
                 what, word == NULL ? NULL : outcome, &answer);
    traffic_done(&answer);
}

enum app_status traffic_quotes(struct app *app) {
    static const char *const symbols[] = {"AMPS", "COIL", "flux", "GRAM", "ohms", "VOLT"};
    (void)app;
    for (int i = 0; i < 4 && !service_is_stopping(); i++) {
        ask_quote(symbols[traffic_pick(6)]);
        traffic_pause(PAUSE_MS);
    }
    return APP_OK;
}

/* ---- rates ---- */

static void ask_rate(const char *base, const char *target) {
    char path[TRAFFIC_PATH_SIZE], what[EVENT_TEXT_SIZE], outcome[EVENT_TEXT_SIZE];
    snprintf(path, sizeof(path), "/rates/%s/%s?via=USD", base, target);
    snprintf(what, sizeof(what), "%s in %s", base, target);
    struct traffic_answer answer = traffic_ask(EXCHANGE_RATES, "GET", path, NULL);
    const char *rate = ddb_item_number(answer.document, "rate", NULL);
    const char *via = ddb_item_string(answer.document, "via", NULL);
    snprintf(outcome, sizeof(outcome), "%.6g%s%s%s", strtod(rate == NULL ? "" : rate, NULL),
             via == NULL ? "" : ", ", via == NULL || strcmp(via, "inverse") == 0 ? "" : "via ",
             via == NULL ? "" : via);
    traffic_note(EXCHANGE_RATES, rate == NULL ? EVENT_BAD : EVENT_GOOD, what,
                 rate == NULL ? NULL : outcome, &answer);
    traffic_done(&answer);
}

static void mark_stale(const char *target) {
    char path[TRAFFIC_PATH_SIZE], what[EVENT_TEXT_SIZE];
    snprintf(path, sizeof(path), "/rates/USD/%s/stale", target);
    snprintf(what, sizeof(what), "the market moves: USD in %s", target);
    struct traffic_answer answer = traffic_ask(EXCHANGE_RATES, "POST", path, NULL);
    traffic_note(EXCHANGE_RATES, answer.status == 200 ? EVENT_WAITING : EVENT_BAD, what,
                 answer.status == 200 ? "marked as stale until the next refresh" : NULL, &answer);
    traffic_done(&answer);
}

enum app_status traffic_rates(struct app *app) {
    /* Of PLN the source knows nothing. */
    static const char *const codes[] = {"EUR", "USD", "GBP", "JPY", "SEK",
                                        "CHF", "NOK", "CAD", "PLN"};
    static int64_t run;
    (void)app;
    for (int i = 0; i < 3 && !service_is_stopping(); i++) {
        int base = traffic_pick(8), target = (base + 1 + traffic_pick(7)) % 8;
        ask_rate(codes[base], codes[traffic_pick(15) == 0 ? 8 : target]);
        traffic_pause(PAUSE_MS);
    }
    if (++run % 13 == 0)
        mark_stale(codes[2 + traffic_pick(5)]);
    return APP_OK;
}

/* ---- menus ---- */

static const char *const restaurants[] = {"niagara", "spill", "valvet"};

/* JSON, but for the quotes. */
static const char *const dishes[] = {"Köttbullar med gräddsås", "Ärtsoppa med pannkakor",
                                     "Fisk & <em>chips</em>",   "Raggmunk",
                                     "Rotmos med fläsk",        "<script>alert(1)</script>"};

/* A menu of this week; of some a weekday is in English, and of some a price is missing. */
static void write_menu(const char *restaurant, int year, int week) {
    static const char *const days[] = {"måndag", "tisdag", "onsdag", "torsdag", "fredag"};
    char path[TRAFFIC_PATH_SIZE], body[TRAFFIC_BODY_SIZE], what[EVENT_TEXT_SIZE];
    char outcome[EVENT_TEXT_SIZE];
    int size = snprintf(body, sizeof(body), "{\"source\": \"demo\", \"lunches\": [");
    for (int i = 0; i < 5; i++)
        size += snprintf(body + size, sizeof(body) - (size_t)size,
                         "%s{\"name\": \"%s\", \"price\": %d, \"weekday\": \"%s\", \"week\": %d, "
                         "\"place\": \"%s\"}",
                         i == 0 ? "" : ", ", dishes[traffic_pick(6)],
                         traffic_pick(8) == 0 ? 0 : 95 + traffic_pick(60),
                         traffic_pick(12) == 0 ? "Friday" : days[i], week, restaurant);
    snprintf(body + size, sizeof(body) - (size_t)size, "]}");
    snprintf(path, sizeof(path), "/menus/%s/%d/%d", restaurant, year, week);
    snprintf(what, sizeof(what), "%s sends the menu of week %d", restaurant, week);
    struct traffic_answer answer = traffic_ask(LUNCH_CACHE, "PUT", path, body);
    size_t errors = ddb_list_count(ddb_item_list(answer.document, "validationErrors"));
    snprintf(outcome, sizeof(outcome), "%lld lunches stored, %zu mistake%s",
             (long long)ddb_item_int(answer.document, "lunchCount", 0), errors,
             errors == 1 ? "" : "s");
    traffic_note(LUNCH_CACHE,
                 answer.status >= 300 ? EVENT_BAD
                 : errors > 0         ? EVENT_WAITING
                                      : EVENT_GOOD,
                 what, answer.status >= 300 ? NULL : outcome, &answer);
    traffic_done(&answer);
}

/* Somebody looks what there is to eat. */
static void read_menu(const char *restaurant, int year, int week) {
    char path[TRAFFIC_PATH_SIZE], what[EVENT_TEXT_SIZE], outcome[EVENT_TEXT_SIZE];
    snprintf(path, sizeof(path), "/menus/%s/%d/%d", restaurant, year, week);
    snprintf(what, sizeof(what), "lunch at %s, week %d", restaurant, week);
    struct traffic_answer answer = traffic_ask(LUNCH_CACHE, "GET", path, NULL);
    const struct ddb_list *lunches = ddb_item_list(answer.document, "lunches");
    size_t count = ddb_list_count(lunches);
    const struct ddb_item *lunch =
        count == 0 ? NULL : ddb_value_map(ddb_list_at(lunches, (size_t)traffic_pick((int)count)));
    snprintf(outcome, sizeof(outcome), "%s, %s kr", ddb_item_string(lunch, "name", "?"),
             ddb_item_number(lunch, "price", "?"));
    traffic_note(LUNCH_CACHE, lunch == NULL ? EVENT_BAD : EVENT_PLAIN, what,
                 lunch == NULL ? NULL : outcome, &answer);
    traffic_done(&answer);
}

enum app_status traffic_menus(struct app *app) {
    static int64_t run;
    time_t now = time(NULL);
    struct tm date;
    char text[16] = "";
    int year = 0, week = 0;
    (void)app;
    gmtime_r(&now, &date);
    strftime(text, sizeof(text), "%G %V", &date);
    sscanf(text, "%d %d", &year, &week);
    if (run++ % 3 == 0)
        write_menu(restaurants[run / 3 % 3], year, week);
    for (int i = 0; i < 3 && !service_is_stopping(); i++) {
        /* Now and then of a restaurant that nobody knows. */
        read_menu(traffic_pick(20) == 0 ? "nowhere" : restaurants[traffic_pick(3)], year, week);
        traffic_pause(PAUSE_MS);
    }
    return APP_OK;
}
