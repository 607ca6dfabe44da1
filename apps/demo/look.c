/* look.c - see look.h. */
#include "look.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/document.h"
#include "common/timestamp.h"
#include "events.h"
#include "systems.h"
#include "traffic.h"
#include "web.h"

enum { URL_SIZE = 400, BODY_SIZE = 100, PAST_KEPT = 61, DEEP_S = 5, RECONCILED_MS = 300000 };

struct question {
    int system;
    const char *name;
    const char *path;
    int every_s;
    void (*write_body)(char ret_body[BODY_SIZE]); /* NULL: it is a GET */
};

/* All balances, and the transactions of the last minutes: those of hours would take ever longer. */
static void write_range(char ret_body[BODY_SIZE]) {
    char from[TIMESTAMP_SIZE];
    timestamp_format_ms(timestamp_now_ms() - RECONCILED_MS, from);
    snprintf(ret_body, BODY_SIZE, "{\"from\": \"%s\", \"to\": \"2099-12-31\"}", from);
}

/* Metrics are text, everything else is JSON. */
#define METRICS "/metrics"
static const struct question questions[] = {
    {GRAMME, "metrics", METRICS, 1, NULL},
    {PAYMENT_SAGA, "metrics", METRICS, 1, NULL},
    {PAYMENT_SAGA, "breaker", "/breakers/payment-gateway", 1, NULL},
    {PAYMENT_SAGA, "pending", "/payments", 1, NULL},
    {PAYMENT_SAGA, "anna", "/wallets/anna", 1, NULL},
    {PAYMENT_SAGA, "ben", "/wallets/ben", 1, NULL},
    {PAYMENT_SAGA, "clara", "/wallets/clara", 1, NULL},
    {PAYMENT_SAGA, "annaChecked", "/wallets/anna/verification", 10, NULL},
    {PAYMENT_SAGA, "benChecked", "/wallets/ben/verification", 10, NULL},
    {PAYMENT_SAGA, "claraChecked", "/wallets/clara/verification", 10, NULL},
    {LEDGER, "metrics", METRICS, 1, NULL},
    {LEDGER, "people", "/users/people/accounts", 1, NULL},
    {LEDGER, "shops", "/users/shops/accounts", 1, NULL},
    {LEDGER, "system", "/users/system/accounts", 1, NULL},
    {LEDGER, "reconciliation", "/reconciliations", DEEP_S, write_range},
    {STOCK_CACHE, "metrics", METRICS, 1, NULL},
    {STOCK_CACHE, "quotes", "/quotes?symbols=" TRAFFIC_SYMBOLS, 2, NULL},
    {EXCHANGE_RATES, "metrics", METRICS, 1, NULL},
    {EXCHANGE_RATES, "rates", "/rates/USD?stale=true", 1, NULL},
    {LUNCH_CACHE, "metrics", METRICS, 1, NULL},
    {LUNCH_CACHE, "stats", "/stats", 2, NULL},
};
enum { QUESTION_COUNT = sizeof(questions) / sizeof(*questions) };

static struct {
    struct web_reply reply;
    bool asked;
} answers[QUESTION_COUNT];
/* The requests of the last minute, for the curves: a page that is opened shows all of it. */
static struct {
    struct {
        int64_t time_ms;
        double requests;
    } looks[PAST_KEPT];
    uint64_t count;
} past[SYSTEM_COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* How many requests a page of metrics tells of, whatever their operation, route and status. */
static double count_requests(const char *metrics) {
    double sum = 0;
    for (const char *line = metrics; *line != '\0';
         line += strcspn(line, "\n"), line += *line != '\0') {
        size_t size = strcspn(line, "{ \n");
        const char *end = "_requests_total", *value = strchr(line, '\n');
        if (size < strlen(end) || memcmp(line + size - strlen(end), end, strlen(end)) != 0 ||
            (value = memrchr(line, ' ', value == NULL ? strlen(line) : (size_t)(value - line))) ==
                NULL ||
            strncmp(line, "gramme_http_", 12) == 0)
            continue;
        sum += strtod(value + 1, NULL);
    }
    return sum;
}

static void remember(int system, const struct web_reply *reply) {
    uint64_t at = past[system].count++ % PAST_KEPT;
    past[system].looks[at].time_ms = timestamp_now_ms();
    past[system].looks[at].requests = count_requests(reply->text);
}

static void ask(size_t at) {
    const struct question *question = &questions[at];
    char url[URL_SIZE], body[BODY_SIZE];
    struct web_reply reply;
    bool is_post = question->write_body != NULL;
    if (is_post)
        question->write_body(body);
    snprintf(url, sizeof(url), "%s%s", systems[question->system].child.address, question->path);
    web_ask(is_post ? "POST" : "GET", url, is_post ? body : NULL, &reply);
    /* Who is too busy for a good answer has its last one kept; who gives none has none. */
    bool is_kept = reply.status != 200 && reply.status != 0;
    pthread_mutex_lock(&lock);
    if (!is_kept) {
        web_reply_free(&answers[at].reply);
        answers[at].reply = reply;
        answers[at].asked = true;
    }
    if (reply.status == 200 && strcmp(question->path, METRICS) == 0)
        remember(question->system, &reply);
    pthread_mutex_unlock(&lock);
    if (is_kept)
        web_reply_free(&reply);
}

static void ask_due(int64_t second, bool deep) {
    for (size_t i = 0; i < QUESTION_COUNT; i++)
        if (second % questions[i].every_s == 0 && (questions[i].every_s >= DEEP_S) == deep)
            ask(i);
}

enum app_status look_around(struct app *app) {
    static int64_t second;
    (void)app;
    ask_due(second++, false);
    return APP_OK;
}

enum app_status look_deeper(struct app *app) {
    static int64_t second;
    (void)app;
    ask_due(second++, true);
    return APP_OK;
}

/* null: it was not asked yet, or there was no good answer. */
static void write_answer(FILE *out, size_t at) {
    const struct web_reply *reply = &answers[at].reply;
    if (!answers[at].asked || reply->status != 200)
        fputs("null", out);
    else if (strcmp(questions[at].path, METRICS) == 0)
        document_write_text(out, reply->text);
    else
        fputs(reply->text, out);
}

/* [[milliseconds, requests until then], ...], the oldest first. */
static void write_past(FILE *out, int system) {
    uint64_t count = past[system].count, first = count < PAST_KEPT ? 0 : count - PAST_KEPT;
    fputc('[', out);
    for (uint64_t i = first; i < count; i++)
        fprintf(out, "%s[%" PRId64 ",%.0f]", i == first ? "" : ",",
                past[system].looks[i % PAST_KEPT].time_ms,
                past[system].looks[i % PAST_KEPT].requests);
    fputc(']', out);
}

static void write_system(FILE *out, int system) {
    document_write_text(out, systems[system].name);
    fputs(":{\"address\":", out);
    document_write_text(out, systems[system].child.address);
    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        if (questions[i].system != system)
            continue;
        fprintf(out, ",\"%s\":", questions[i].name);
        write_answer(out, i);
    }
    fputs(",\"past\":", out);
    write_past(out, system);
    fputs(",\"events\":", out);
    events_write(out, system);
    fputc('}', out);
}

void look_write(FILE *out) {
    fprintf(out, "{\"time\":%" PRId64 ",\"gatewayFails\":%s,\"systems\":{", timestamp_now_ms(),
            traffic_gateway_fails() ? "true" : "false");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SYSTEM_COUNT; i++) {
        if (i > 0)
            fputc(',', out);
        write_system(out, i);
    }
    pthread_mutex_unlock(&lock);
    fputs("}}\n", out);
}
