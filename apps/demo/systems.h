/* systems.h - gramme and the five systems as the demonstration runs them.
 *
 * Programs are looked for beside the demonstration's own, as they are installed, and where the
 * build leaves them. Everything else that is needed is in the program itself. */
#ifndef DEMO_SYSTEMS_H
#define DEMO_SYSTEMS_H

#include "child.h"
#include "common/app.h"

enum { GRAMME, PAYMENT_SAGA, LEDGER, STOCK_CACHE, EXCHANGE_RATES, LUNCH_CACHE, SYSTEM_COUNT };

/* A file that is part of the program. */
struct embedded {
    const char *start;
    const char *end;
};

struct system {
    struct child child;       /* its name is that of the program */
    const char *name;         /* "ledger" */
    struct embedded template; /* its tables; none of gramme */
    struct embedded readme;
};

extern struct system systems[SYSTEM_COUNT];

/* The place in systems[]; -1: there is no such one. */
int system_find(const char *name);

/* Starts all, one after the other, and makes their tables. Says what went wrong. */
bool systems_start(struct app *app);
/* One of them has ended: says which, and how. */
bool systems_watch(struct app *app);
/* In the opposite order. False, and a message, when one did not end well. */
bool systems_stop(struct app *app);

/* Whether the payment gateway is to fail from now on; it fails once in a while in any case. */
void systems_break_gateway(bool broken);

#endif
