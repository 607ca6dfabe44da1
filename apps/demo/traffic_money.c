/* traffic_money.c - payments out of wallets, and postings to the ledger. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/service.h"
#include "common/timestamp.h"
#include "systems.h"
#include "traffic.h"

enum { BURST = 3, PAUSE_MS = 250, OUTAGE_EVERY = 60, OUTAGE_AT = 24, OUTAGE_S = 6 };

static const char *const people[] = {"anna", "ben", "clara"};
enum { PEOPLE_COUNT = 3 };

/* ---- the gateway ---- */

static _Atomic int64_t broken_until_ms;

void traffic_break_gateway(int64_t seconds) {
    atomic_store(&broken_until_ms, timestamp_elapsed_ms() + seconds * 1000);
    systems_break_gateway(true);
}

bool traffic_gateway_fails(void) {
    return timestamp_elapsed_ms() < atomic_load(&broken_until_ms);
}

/* Fails for a while once in a minute or so, and whenever somebody wants it to. */
static void tend_gateway(void) {
    static int64_t run;
    static bool failed;
    if (run++ % OUTAGE_EVERY == OUTAGE_AT)
        traffic_break_gateway(OUTAGE_S);
    bool fails = traffic_gateway_fails();
    if (failed && !fails)
        systems_break_gateway(false);
    if (failed != fails)
        traffic_note(PAYMENT_SAGA, EVENT_PLAIN,
                     fails ? "the gateway is out of order" : "the gateway works again", "", NULL);
    failed = fails;
}

/* ---- payments ---- */

static void note_payment(const char *what, const struct traffic_answer *answer) {
    const char *status = ddb_item_string(answer->document, "status", NULL);
    char outcome[EVENT_TEXT_SIZE];
    if (answer->status >= 300 || status == NULL) {
        traffic_note(PAYMENT_SAGA, EVENT_BAD, what, NULL, answer);
        return;
    }
    bool paid = strcmp(status, "SUCCESS") == 0 || strcmp(status, "REFUNDED") == 0;
    snprintf(outcome, sizeof(outcome), "%s%s%s", status, paid ? "" : ": ",
             paid                    ? ""
             : answer->status == 202 ? "nobody knows yet whether the gateway has charged"
                                     : ddb_item_string(answer->document, "detail", ""));
    traffic_note(PAYMENT_SAGA,
                 answer->status == 202 ? EVENT_WAITING
                 : paid                ? EVENT_GOOD
                                       : EVENT_BAD,
                 what, outcome, answer);
}

static void refund(const char *payment, const char *user, const char *amount) {
    char path[TRAFFIC_PATH_SIZE], what[EVENT_TEXT_SIZE];
    snprintf(path, sizeof(path), "/payments/%s/refund", payment);
    snprintf(what, sizeof(what), "%s wants %s back", user, amount);
    struct traffic_answer answer = traffic_ask(PAYMENT_SAGA, "POST", path, NULL);
    note_payment(what, &answer);
    traffic_done(&answer);
}

static void pay(void) {
    char payment[64], amount[MONEY_TEXT_SIZE], body[TRAFFIC_BODY_SIZE], what[EVENT_TEXT_SIZE];
    const char *user = people[traffic_pick(PEOPLE_COUNT)];
    traffic_name(payment, sizeof(payment));
    money_format(100 + traffic_pick(4000), amount);
    snprintf(body, sizeof(body), "{\"user\": \"%s\", \"payment\": \"%s\", \"amount\": %s}", user,
             payment, amount);
    snprintf(what, sizeof(what), "%s pays %s", user, amount);
    struct traffic_answer answer = traffic_ask(PAYMENT_SAGA, "POST", "/payments", body);
    note_payment(what, &answer);
    bool paid = strcmp(ddb_item_string(answer.document, "status", ""), "SUCCESS") == 0;
    traffic_done(&answer);
    if (paid && traffic_pick(25) == 0)
        refund(payment, user, amount);
}

static void top_up(const char *user) {
    char path[TRAFFIC_PATH_SIZE], key[64], body[TRAFFIC_BODY_SIZE], what[EVENT_TEXT_SIZE];
    traffic_name(key, sizeof(key));
    snprintf(path, sizeof(path), "/wallets/%s/top-ups", user);
    snprintf(body, sizeof(body), "{\"amount\": 200, \"key\": \"%s\"}", key);
    snprintf(what, sizeof(what), "%s puts 200.00 in", user);
    struct traffic_answer answer = traffic_ask(PAYMENT_SAGA, "POST", path, body);
    traffic_note(PAYMENT_SAGA, answer.status == 200 ? EVENT_GOOD : EVENT_BAD, what,
                 answer.status == 200 ? "done" : NULL, &answer);
    traffic_done(&answer);
}

enum app_status traffic_payments(struct app *app) {
    static int64_t run;
    (void)app;
    tend_gateway();
    if (++run % 4 == 0)
        top_up(people[run / 4 % PEOPLE_COUNT]);
    for (int i = 0; i < BURST && !service_is_stopping(); i++) {
        pay();
        traffic_pause(PAUSE_MS);
    }
    return APP_OK;
}

/* ---- the ledger ---- */

/* JSON, but for the quotes. Some are not meant well: they show as what they are. */
static const char *const purchases[] = {
    "two coffees",    "Grüne Soße & Kartoffeln",      "<b>a bold bagel</b>", "a paperback",
    "a map of Liège", "<img src=x onerror=alert(1)>", "a year of tea",       "3 × ink, 1 × paper",
};
enum { PURCHASE_COUNT = sizeof(purchases) / sizeof(*purchases) };

static const char *const shops[] = {"coffee-shop", "book-shop"};

/* The id of the transaction goes to `ret_id` where it was made. */
static bool post(const char *path, const char *body, const char *what, char ret_id[64]) {
    struct traffic_answer answer = traffic_ask(LEDGER, "POST", path, body);
    const char *status = ddb_item_string(answer.document, "status", NULL);
    bool made = answer.status == 200 && status != NULL;
    enum event_tone tone = !made || strcmp(status, "failed") == 0 ? EVENT_BAD
                           : strcmp(status, "completed") == 0     ? EVENT_GOOD
                                                                  : EVENT_WAITING;
    traffic_note(LEDGER, tone, what, status, &answer);
    snprintf(ret_id, 64, "%s", ddb_item_string(answer.document, "id", ""));
    traffic_done(&answer);
    return made;
}

/* A payment that was noted is made or given up; one in a while is moved back. */
static void follow_up(const char *id, bool pending, const char *purchase) {
    static const char *const verbs[] = {"complete", "fail", "reverse"};
    int verb = pending ? traffic_pick(3) == 0 : 2;
    char path[TRAFFIC_PATH_SIZE], what[EVENT_TEXT_SIZE], made[64];
    snprintf(path, sizeof(path), "/transactions/%s/%s", id, verbs[verb]);
    snprintf(what, sizeof(what), "%s: %s", verbs[verb], purchase);
    post(path, verb == 1 ? "{\"reason\": \"out of stock\"}" : NULL, what, made);
}

static void buy(bool too_much) {
    char key[64], amount[MONEY_TEXT_SIZE], body[TRAFFIC_BODY_SIZE], what[EVENT_TEXT_SIZE], id[64];
    const char *person = people[traffic_pick(PEOPLE_COUNT)], *shop = shops[traffic_pick(2)];
    const char *purchase = purchases[traffic_pick(PURCHASE_COUNT)];
    bool pending = traffic_pick(6) == 0;
    traffic_name(key, sizeof(key));
    money_format(too_much ? 5000000 : 150 + traffic_pick(3000), amount);
    snprintf(body, sizeof(body),
             "{\"key\": \"%s\", \"from\": \"%s\", \"to\": \"%s\", \"merchant\": \"%s\", "
             "\"amount\": %s, \"description\": \"%s\", \"pending\": %s}",
             key, person, shop, shop, amount, purchase, pending ? "true" : "false");
    snprintf(what, sizeof(what), "%s: %s, %s", person, purchase, amount);
    bool made = post("/payments", body, what, id);
    if (made && (pending || traffic_pick(12) == 0))
        follow_up(id, pending, purchase);
}

static void move_cash(const char *path, const char *account, const char *amount, const char *word) {
    char key[64], body[TRAFFIC_BODY_SIZE], what[EVENT_TEXT_SIZE], id[64];
    traffic_name(key, sizeof(key));
    snprintf(body, sizeof(body), "{\"key\": \"%s\", \"account\": \"%s\", \"amount\": %s}", key,
             account, amount);
    snprintf(what, sizeof(what), "%s: %s %s", account, word, amount);
    post(path, body, what, id);
}

enum app_status traffic_ledger(struct app *app) {
    static int64_t run;
    (void)app;
    run++;
    for (int i = 0; i < BURST && !service_is_stopping(); i++) {
        buy(run % 9 == 0 && i == 0);
        traffic_pause(PAUSE_MS);
    }
    if (run % 5 == 0)
        move_cash("/deposits", people[run / 5 % PEOPLE_COUNT], "250.00", "salary of");
    if (run % 11 == 0)
        move_cash("/withdrawals", shops[run / 11 % 2], "60.00", "to the bank,");
    return APP_OK;
}

/* ---- what there is at first ---- */

static bool make(struct app *app, int system, const char *path, const char *body) {
    struct traffic_answer answer = traffic_ask(system, "POST", path, body);
    bool there = answer.status == 201 || answer.status == 409; /* it was there before */
    if (!there)
        app_fail(app, "%s: %s: %s", systems[system].name, path,
                 ddb_item_string(answer.document, "error", "no answer"));
    traffic_done(&answer);
    return there;
}

bool traffic_prepare(struct app *app) {
    static const char *const names[] = {"Coffee & <Cake>", "Bücher"};
    char body[TRAFFIC_BODY_SIZE];
    bool ok = true;
    for (int i = 0; ok && i < PEOPLE_COUNT; i++) {
        snprintf(body, sizeof(body), "{\"user\": \"%s\", \"balance\": 500}", people[i]);
        ok = make(app, PAYMENT_SAGA, "/wallets", body);
        snprintf(body, sizeof(body), "{\"id\": \"%s\", \"user\": \"people\", \"balance\": 1000}",
                 people[i]);
        ok = ok && make(app, LEDGER, "/accounts", body);
    }
    for (int i = 0; ok && i < 2; i++) {
        snprintf(body, sizeof(body), "{\"id\": \"%s\", \"name\": \"%s\", \"category\": \"Shop\"}",
                 shops[i], names[i]);
        ok = make(app, LEDGER, "/merchants", body);
        snprintf(body, sizeof(body), "{\"id\": \"%s\", \"user\": \"shops\", \"balance\": 0}",
                 shops[i]);
        ok = ok && make(app, LEDGER, "/accounts", body);
    }
    return ok;
}
