/* traffic.h - what people would ask of the five systems, made up: a task for each.
 *
 * A run of a task is a few requests, whose answers become events; the next one comes a second
 * later. Names are new in each run of the program, so that it can go on with old data. Threads: one
 * for each task. */
#ifndef DEMO_TRAFFIC_H
#define DEMO_TRAFFIC_H

#include "common/app.h"
#include "events.h"

#define TRAFFIC_SYMBOLS "AMPS,COIL,FLUX,GRAM,OHMS,VOLT"

/* Wallets, merchants and accounts, where they are not there yet. Says what went wrong. */
bool traffic_prepare(struct app *app);

enum app_status traffic_payments(struct app *app);
enum app_status traffic_ledger(struct app *app);
enum app_status traffic_quotes(struct app *app);
enum app_status traffic_rates(struct app *app);
enum app_status traffic_menus(struct app *app);

/* The gateway fails from now on for so long. */
void traffic_break_gateway(int64_t seconds);
bool traffic_gateway_fails(void);

/* ---- for the traffic itself ---- */

enum { TRAFFIC_PATH_SIZE = 200, TRAFFIC_BODY_SIZE = 2000 };

struct traffic_answer {
    int status;              /* HTTP's; 0: none */
    struct ddb_item *holder; /* traffic_done() frees it */
    const struct ddb_item *document;
};

/* Asks a system; `body` is NULL for none. */
struct traffic_answer traffic_ask(int system, const char *method, const char *path,
                                  const char *body);
/* Notes what came of it; without `outcome` it is the error that the answer has. */
void traffic_note(int system, enum event_tone tone, const char *what, const char *outcome,
                  const struct traffic_answer *answer);
void traffic_done(struct traffic_answer *answer);
/* A number below the limit. */
int traffic_pick(int limit);
/* "1763281234-17": a name that no other run has. */
void traffic_name(char *ret_name, size_t size);
void traffic_pause(int ms);

#endif
